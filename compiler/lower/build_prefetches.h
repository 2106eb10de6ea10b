#pragma once
// What a loop of the tree prefetches, as statements; used by build.cpp alone.

#include "compiler/lower/program.h"
#include "core/schedule/tree.h"

#include <functional>

namespace loopscope::lower {

// How the builder expresses, at one place, what the tree says.
struct BuildScope {
    const ScheduleTree& tree;
    std::function<ExprPtr(const ExprPtr&)> resolved; // an expression, region variables put in
    // Indices of a stage, in its buffers.
    std::function<std::vector<ExprPtr>(const std::string&, const std::vector<ExprPtr>&)> relative;
    std::function<bool(const std::string&)> empty; // is nothing needed of a stage?
};

// The prefetches at the start of each iteration of the loop, in their order.
StatementPtr loop_prefetches(const TreeNode& loop, const BuildScope& scope);

} // namespace loopscope::lower
