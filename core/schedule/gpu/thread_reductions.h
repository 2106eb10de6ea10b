#pragma once
// Reductions over loops that are bound to threads: which threads can add up together.

#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/runnable.h"

#include <vector>

namespace loopscope {

// Why threads cannot reduce over `loop`, which is bound and of a reduction, inside of the loops
// `around`: they have one accumulator each, are at one point of the stage, and each has the memory
// of what they reduce. `divided`: the stage around whose iterations are divided among all threads,
// or null.
std::vector<NotRunnable> thread_reduction_problems(const ScheduleTree& tree, const Mapping& mapping,
                                                   const TreeNode& loop,
                                                   const std::vector<const TreeNode*>& around,
                                                   const TreeNode* divided);

} // namespace loopscope
