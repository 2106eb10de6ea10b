#pragma once
// The derived program stage by stage: lines come one after another, and what a line leaves as it
// was is taken over.

#include "core/schedule/state.h"

#include <memory>
#include <vector>

namespace loopscope {

struct Derivation {
    // In the order of the state's stages, inlined ones included.
    StageList states;                                 // what each was derived from
    std::vector<std::shared_ptr<const Stage>> stages; // the same object as before: unchanged
    std::shared_ptr<const Pipeline> pipeline;         // as Derived::pipeline
};

// `before`: of an earlier state of the same pipeline, or null. Gives `before` itself where the
// program is the same.
std::shared_ptr<const Derivation> derive_again(const ScheduleState& state,
                                               std::shared_ptr<const Derivation> before);

} // namespace loopscope
