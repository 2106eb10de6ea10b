#pragma once
// Questions about single nodes of a tree; used by build.cpp alone.

#include "compiler/lower/program.h"
#include "core/schedule/tree.h"

#include <set>
#include <string>
#include <vector>

namespace loopscope::lower {

// The condition on loops around under which the node runs; null: it runs in all iterations.
ExprPtr run_condition(const TreeNode& node);
std::vector<ExprPtr> run_conditions(const TreeNode& node);
// The body for the iteration that is `ahead` of the present one.
StatementPtr later(const StatementPtr& body, const PartialRun& run);
// The conjunction of `a`, which may be null, and `b`.
ExprPtr both(const ExprPtr& a, const ExprPtr& b);

// The variables of the loops at and below the node.
std::set<std::string> loop_variables(const TreeNode& node);
// The step of the definition that the loop belongs to, or null.
const TreeNode* step_below(const TreeNode& node);

// The same loop under another name, as loop variables are unique in a program.
StatementPtr renamed_copy(const StatementPtr& loop, const std::string& name);

} // namespace loopscope::lower
