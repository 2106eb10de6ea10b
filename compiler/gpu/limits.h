#pragma once
// Launches held against the GPU at hand before anything is started.

#include "compiler/gpu/plan.h"
#include "compiler/gpu/session.h"

namespace loopscope::gpu {

// All that exceeds the GPU's limits, each with both figures (code kCodeNotRunnable); empty: it
// fits.
Diagnostics check_limits(const AttachedGpu& gpu, const Plan& plan);
// Checks a kernel as the driver has compiled it: its registers may allow fewer threads than the
// GPU.
Status check_compiled(const PlanKernel& kernel, const KernelFacts& facts);

// Bytes of all of the plan's arrays on the device. Errors: more than `free`, with the largest
// arrays by name (code measure::kCodeMemoryLimit).
Result<std::int64_t> check_device_memory(const Plan& plan, std::int64_t free);

} // namespace loopscope::gpu
