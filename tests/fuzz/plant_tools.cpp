#include "tests/fuzz/plant_tools.h"

namespace loopscope::fuzz {

using namespace lower;

bool change_statements(Program& program, const StatementChange& change) {
    bool changed = false;
    for (auto& launch : program.launches)
        launch.body = lower::rewrite(launch.body, [&](const StatementPtr& s) {
            auto next = change(s);
            changed = changed || next != s;
            return next;
        });
    return changed;
}

bool change_values(Program& program, const ExprChange& change) {
    return change_statements(program, [&](const StatementPtr& s) {
        if (s->kind != StatementKind::Store)
            return s;
        auto value = loopscope::rewrite(s->value, change);
        return value == s->value ? s : edited(s, [&](Statement& t) { t.value = value; });
    });
}

bool change_places(Program& program, const std::string& stage, const IndicesChange& change) {
    auto is_of = [&](const std::string& buffer) {
        return buffer == stage ||
               (buffer.starts_with(stage + ".") &&
                buffer.find_first_not_of("0123456789", stage.size() + 1) == std::string::npos);
    };
    auto same = [](const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!loopscope::equal(a[i], b[i]))
                return false;
        return true;
    };
    auto in_loads = [&](const ExprPtr& e) {
        return loopscope::rewrite(e, [&](const ExprPtr& x) -> ExprPtr {
            if (x->kind != ExprKind::Load || !is_of(x->name))
                return x;
            auto indices = x->args;
            change(indices, false);
            return same(indices, x->args) ? x : with_args(x, indices);
        });
    };
    return change_statements(program, [&](const StatementPtr& s) {
        auto next = map_expressions(s, in_loads);
        if (!writes(*next) || !is_of(next->access->buffer))
            return next;
        auto indices = next->access->indices;
        change(indices, true);
        return same(indices, next->access->indices)
                   ? next
                   : edited(next, [&](Statement& t) { t.access->indices = indices; });
    });
}

bool change_one(Program& program, Which which, const Wanted& wanted,
                const StatementChange& change) {
    int all = 0, at = 0;
    change_statements(program, [&](const StatementPtr& s) {
        all += wanted(*s);
        return s;
    });
    const int chosen = which == Which::First ? 0 : all - 1;
    return change_statements(program, [&](const StatementPtr& s) {
        return wanted(*s) && at++ == chosen ? change(s) : s;
    });
}

ExprPtr minus_one(const ExprPtr& e) { return binary(Op::Subtract, e, constant_int(e->type, 1)); }

bool is_tail_guard(const StatementPtr& s) {
    return s->kind == StatementKind::If && s->condition->kind == ExprKind::Binary &&
           s->condition->op == Op::Less;
}

bool shorten(Program& program, const NodeId& origin, std::int64_t least) {
    return change_statements(program, [&](const StatementPtr& s) {
        std::int64_t n = 0;
        if (s->kind != StatementKind::For || s->origin != origin ||
            !constant_value(s->loop->extent, n) || n < least)
            return s;
        return edited(s, [](Statement& t) { t.loop->extent = minus_one(t.loop->extent); });
    });
}

namespace {

void collect(const TreeNode& node, std::vector<const TreeNode*>& out) {
    if (node.kind == TreeKind::Storage)
        out.push_back(&node);
    for (const auto& child : node.children)
        collect(*child, out);
}

} // namespace

std::vector<const TreeNode*> storage_nodes(const ScheduleTree& tree) {
    std::vector<const TreeNode*> out;
    collect(*tree.root, out);
    return out;
}

} // namespace loopscope::fuzz
