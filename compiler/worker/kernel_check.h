#pragma once
// The check of exported kernels in their host program: the reference as `check` evaluates it
// (check_cases.h), lowered for the host. A large result is checked in windows (windows.h); a part
// that the schedule reassociates or approximates by the ends that each element must lie between
// (enclosure/pipeline.h), all others by their bits.

#include "compiler/codegen/kernel_source/kernel_options.h"
#include "core/base/result.h"
#include "core/schedule/tree.h"

namespace loopscope::worker {

// `most_work`: of a pipeline with more, windows are compared. Errors: an index that cannot be
// bounded; also as of lowering.
Result<codegen::KernelCheck> kernel_check(const ScheduleTree& tree, double most_work = 1e8);

} // namespace loopscope::worker
