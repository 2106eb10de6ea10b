#pragma once
// The figures of a kernel, and which of them exceed what the GPU has: threads, blocks, clusters,
// registers, shared memory.

#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/runnable.h"

#include <cstdint>
#include <vector>

namespace loopscope {

// Figures of a kernel that its mapping does not say.
struct KernelFigures {
    std::int64_t shared_bytes = 0; // as if no allocations shared a place
    const TreeNode* largest_shared = nullptr;
    std::int64_t sums = 0; // registers of a lane that hold what warpgroups add up
};

// Why the GPU cannot launch it; empty: it can.
std::vector<NotRunnable> beyond_limits(const ScheduleTree& tree, const LaunchMapping& kernel,
                                       const KernelFigures& figures, const device::Gpu& gpu);

} // namespace loopscope
