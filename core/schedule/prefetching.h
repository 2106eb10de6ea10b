#pragma once
// S.prefetch(X, a, n): its requirements on the schedule, checked after each line, and the part of X
// that it asks for.

#include "core/base/result.h"
#include "core/schedule/directive.h"
#include "core/schedule/region.h"
#include "core/schedule/state.h"
#include "core/schedule/tree.h"

namespace loopscope {

constexpr std::int64_t kMaxAhead = 1024;

// Is X in memory, and read by the definition?
Status check_prefetched(const ScheduleState& state, const DefinitionRef& reader,
                        const Prefetching& prefetch);
// Do the loop's iterations run one after another, with X in memory before each of them?
Status check_prefetch_loop(const ScheduleState& state, const DefinitionRef& reader,
                           const Prefetching& prefetch);
// Checks all prefetches of the state.
Status check_prefetches(const ScheduleState& state);

// The part of X that is asked for.
Prefetch prefetch_of(const ScheduleState& state, const Layout& layout, const DefinitionRef& reader,
                     const Prefetching& prefetch);

} // namespace loopscope
