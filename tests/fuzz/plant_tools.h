#pragma once
// What planted bugs are made of: edits of a lowered program, each of which says whether it changed
// anything.

#include "compiler/lower/statements.h"
#include "core/schedule/tree.h"

#include <functional>
#include <string>
#include <vector>

namespace loopscope::fuzz {

using StatementChange = std::function<lower::StatementPtr(const lower::StatementPtr&)>;
using ExprChange = std::function<ExprPtr(const ExprPtr&)>;

bool change_statements(lower::Program& program, const StatementChange& change);
// Changes every node of every stored value.
bool change_values(lower::Program& program, const ExprChange& change);
// Changes all indices with which a stage's buffers are read, and stored to.
using IndicesChange = std::function<void(std::vector<ExprPtr>& indices, bool store)>;
bool change_places(lower::Program& program, const std::string& stage, const IndicesChange& change);

// One of the statements that are wanted, the first or the last in the text; false: there is none,
// or it stays as it is.
using Wanted = std::function<bool(const lower::Statement&)>;
enum class Which { First, Last };
bool change_one(lower::Program& program, Which which, const Wanted& wanted,
                const StatementChange& change);

ExprPtr minus_one(const ExprPtr& e);
// Is it `if (… < …)`, as around the body of a split's tail?
bool is_tail_guard(const lower::StatementPtr& s);
// The loops with this origin, one iteration shorter where they have at least `least`.
bool shorten(lower::Program& program, const NodeId& origin, std::int64_t least);

std::vector<const TreeNode*> storage_nodes(const ScheduleTree& tree);

} // namespace loopscope::fuzz
