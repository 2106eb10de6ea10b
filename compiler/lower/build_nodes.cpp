#include "compiler/lower/build_nodes.h"

#include <algorithm>
#include <memory>

namespace loopscope::lower {

namespace {

void collect_variables(const TreeNode& node, std::set<std::string>& names) {
    if (node.kind == TreeKind::Loop)
        names.insert(node.variable);
    for (const auto& child : node.children)
        collect_variables(*child, names);
}

} // namespace

ExprPtr both(const ExprPtr& a, const ExprPtr& b) { return a ? binary(Op::LogicalAnd, a, b) : b; }

std::vector<ExprPtr> run_conditions(const TreeNode& node) {
    std::vector<ExprPtr> all;
    for (const auto& run : node.runs) {
        all.push_back(binary(Op::GreaterEqual, variable(run.variable),
                             constant_int(ScalarType::I32, run.first - run.ahead)));
        if (run.ahead > 0)
            all.push_back(binary(Op::Less, variable(run.variable),
                                 constant_int(ScalarType::I32, run.end - run.ahead)));
        if (run.moved)
            all.push_back(run.moved);
    }
    return all;
}

ExprPtr run_condition(const TreeNode& node) {
    ExprPtr all;
    for (const auto& condition : run_conditions(node))
        all = both(all, condition);
    return all;
}

StatementPtr later(const StatementPtr& body, const PartialRun& run) {
    const auto then =
        binary(Op::Add, variable(run.variable), constant_int(ScalarType::I32, run.ahead));
    return rewrite(
        body, [](const StatementPtr& s) { return s; },
        [&](const ExprPtr& e) {
            return substitute(e, [&](const std::string& name) -> ExprPtr {
                return name == run.variable ? then : nullptr;
            });
        });
}

const TreeNode* step_below(const TreeNode& node) {
    if (node.kind == TreeKind::Compute)
        return node.compute.role == ComputeRole::Step ? &node : nullptr;
    const TreeNode* found = nullptr;
    for (const auto& child : node.children)
        if (child->kind == TreeKind::Loop || child->kind == TreeKind::Compute)
            found = found ? found : step_below(*child);
    return found;
}

std::set<std::string> loop_variables(const TreeNode& node) {
    std::set<std::string> names;
    collect_variables(node, names);
    return names;
}

StatementPtr renamed_copy(const StatementPtr& s, const std::string& name) {
    auto fresh = name + ".edge";
    return rewrite(
        s,
        [&](const StatementPtr& node) {
            if (node->kind != StatementKind::For || node->variable != name)
                return node;
            auto copy = std::make_shared<Statement>(*node);
            copy->variable = fresh;
            return StatementPtr(copy);
        },
        [&](const ExprPtr& e) {
            return substitute(e, [&](const std::string& v) -> ExprPtr {
                return v == name ? variable(fresh) : nullptr;
            });
        });
}

} // namespace loopscope::lower
