#pragma once
// How the iterations of a loop run.

#include "core/schedule/state.h"

namespace loopscope {

// On threads, as those of a level of the target do, also where it is a plain loop?
inline bool runs_on_threads(const LoopState& loop) {
    return loop.kind == LoopKind::Parallel || !loop.binding.empty();
}

// At the same time, on threads or as lanes?
inline bool runs_at_once(const LoopState& loop) {
    return runs_on_threads(loop) || loop.kind == LoopKind::Vectorized;
}

// "vectorised", "bound to thread.x".
inline std::string kind_text(const LoopState& loop) {
    return loop.binding.empty() ? name(loop.kind) : "bound to " + loop.binding;
}

} // namespace loopscope
