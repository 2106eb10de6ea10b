#pragma once
// What a kernel asks of a GPU in figures, and which of them are more than the GPU has: threads, blocks, clusters, registers,
// shared memory.

#include "core/schedule/runnable.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope {

struct KernelFigures {
    std::map<std::string, std::int64_t> extents; // the greatest of a loop that is bound, by level
    std::map<std::string, const TreeNode*> persistent; // loops that are, by level
    std::int64_t lanes = 0; // that do work of the kernel together: a warp's, a warpgroup's; 0: none
    std::int64_t shared_bytes = 0; // as if nothing shared its room
    const TreeNode* largest_shared = nullptr;
    std::int64_t producers = 0; // warpgroups that only load
    std::string produced;       // the stage that asks for the most of them
    std::int64_t sums = 0;      // registers of a lane that hold what warpgroups add up
};

// Why the GPU cannot launch it; empty: it can. `kernel`: the node of the tree that the kernel is.
std::vector<NotRunnable> beyond_limits(const TreeNode& kernel, const KernelFigures& figures,
                                       const device::Gpu& gpu);

} // namespace loopscope
