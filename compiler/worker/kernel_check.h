#pragma once
// What the host program of exported kernels checks them by: the reference as `check` evaluates it
// (check_cases.h), lowered for the host. Of a large result windows (windows.h); beside what the
// schedule reassociates or approximates the ends that each element must lie between
// (enclosure/pipeline.h), and bits of all else.

#include "compiler/codegen/kernel_source/kernel_options.h"
#include "core/base/result.h"
#include "core/schedule/tree.h"

namespace loopscope::worker {

// `most_work`: of a pipeline with more, windows are compared. Errors: an index that cannot be
// bounded; also as of lowering.
Result<codegen::KernelCheck> kernel_check(const ScheduleTree& tree, double most_work = 1e8);

} // namespace loopscope::worker
