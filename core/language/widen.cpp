#include "core/language/widen.h"

#include <unordered_set>

namespace loopscope {

namespace {

constexpr auto kNarrow = ScalarType::I32;
constexpr auto kWide = ScalarType::I64;

// A node whose arguments are already wide.
ExprPtr wide_node(const ExprPtr& e, const std::unordered_set<std::string>& lets) {
    switch (e->kind) {
    case ExprKind::Constant: {
        std::int64_t value = 0;
        constant_value(e, value);
        return constant_int(kWide, value, e->where);
    }
    case ExprKind::Variable:
        return lets.count(e->name) ? variable(e->name, kWide, e->where) : cast(kWide, e, e->where);
    case ExprKind::Unary: return unary(e->op, e->args[0], e->where);
    case ExprKind::Binary: return binary(e->op, e->args[0], e->args[1], e->where);
    case ExprKind::Select: return select(e->args[0], e->args[1], e->args[2], e->where);
    case ExprKind::Let: return let(e->name, e->args[0], e->args[1], e->where);
    default:
        return cast(kWide, e,
                    e->where); // a cast to i32 that was written, or a read: its value is an i32
    }
}

} // namespace

ExprPtr widen(const ExprPtr& e) {
    if (!e)
        return e;
    std::unordered_set<std::string> lets;
    visit(e, [&](const Expr& node) {
        if (node.kind == ExprKind::Let && node.args[0]->type == kNarrow)
            lets.insert(node.name);
        return true;
    });
    return rewrite(e, [&](const ExprPtr& node) {
        return node->type == kNarrow ? wide_node(node, lets) : node;
    });
}

Definition widen(const Definition& definition) {
    Definition out = definition;
    for (auto& v : out.values)
        v = widen(v);
    for (auto& v : out.left)
        v = widen(v);
    out.condition = widen(out.condition);
    return out;
}

} // namespace loopscope
