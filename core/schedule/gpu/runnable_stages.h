#pragma once
// Rules of stages that hold whatever kernel they are in: pipelines, memory that is swizzled, warps
// that only load.

#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/runnable.h"

#include <vector>

namespace loopscope {

// Why what the schedule says of its stages cannot run on the GPU: ALCOP's rules 1 and 3 (section
// II-A) for pipelines; rows that are swizzled are of memory that a block shares, and as long as a
// pattern asks for (swizzling.h); warps that only load need a copy engine, and hand over in shared
// memory.
std::vector<NotRunnable> stages_not_runnable(const ScheduleTree& tree, const Mapping& mapping,
                                             const device::Gpu& gpu);

} // namespace loopscope
