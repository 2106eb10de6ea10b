#pragma once
// Rules of stages that hold whatever kernel they are in: on pipelines, swizzled memory, producer
// warpgroups.

#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/runnable.h"

#include <vector>

namespace loopscope {

// Why the GPU cannot run what the schedule says of its stages: ALCOP's rules 1 and 3 (section II-A)
// for pipelines; swizzled rows are of shared memory, and as long as a pattern asks for
// (swizzling.h); producer warpgroups need a tensor memory accelerator (TMA), and hand over in
// shared memory.
std::vector<NotRunnable> stages_not_runnable(const ScheduleTree& tree, const Mapping& mapping,
                                             const device::Gpu& gpu);

} // namespace loopscope
