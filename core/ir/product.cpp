#include "core/ir/product.h"

namespace loopscope {

namespace {

bool binds(const ExprPtr& e, const std::string& name) {
    return any_node(e, [&](const Expr& x) { return x.kind == ExprKind::Let && x.name == name; });
}

ExprPtr fused(const ExprPtr& product, const ExprPtr& addend, bool negated,
              const SourceRange& where) {
    if (product->kind != ExprKind::Let) {
        const auto& a = product->args[0];
        return fma(negated ? unary(Op::Negate, a) : a, product->args[1], addend, where);
    }
    auto name = product->name;
    auto body = product->args[1];
    // A shared expression may stand on both sides; no let stands inside another of its name.
    // no name of a script has a dot
    while (binds(addend, name))
        name += ".c";
    if (name != product->name)
        body = substitute(body, [&](const std::string& n) -> ExprPtr {
            return n == product->name ? variable(name, product->args[0]->type) : nullptr;
        });
    return let(name, product->args[0], fused(body, addend, negated, where), product->where);
}

} // namespace

bool is_product(const ExprPtr& e) {
    const Expr* x = e.get();
    while (x->kind == ExprKind::Let)
        x = x->args[1].get();
    return x->kind == ExprKind::Binary && x->op == Op::Multiply && is_float(x->type);
}

ExprPtr multiply_add(const ExprPtr& product, const ExprPtr& addend, SourceRange where) {
    return fused(product, addend, false, where);
}

ExprPtr multiply_subtract(const ExprPtr& product, const ExprPtr& addend, SourceRange where) {
    return fused(product, addend, true, where);
}

} // namespace loopscope
