#pragma once
// Reductions over loops that are bound to threads: which of them threads can do together.

#include "core/schedule/gpu/mapping.h"
#include "core/schedule/gpu/runnable.h"

#include <vector>

namespace loopscope {

// Why threads cannot reduce over `loop`, a bound reduction loop inside of the loops `around`. They
// need one accumulator each, must be at one point of the stage, and each must have the memory of
// what they reduce. `divided`: the cooperative stage around, or null.
std::vector<NotRunnable> thread_reduction_problems(const ScheduleTree& tree, const Mapping& mapping,
                                                   const TreeNode& loop,
                                                   const std::vector<const TreeNode*>& around,
                                                   const TreeNode* divided);

} // namespace loopscope
