#include "compiler/lower/quotients.h"

#include "compiler/lower/simplify_expression.h"

namespace loopscope::lower {

namespace {

ExprPtr without_cast(const KnownFacts& scope, const ExprPtr& e) {
    if (e->kind != ExprKind::Cast || !is_integer(e->type) || !is_integer(e->args[0]->type))
        return e;
    auto range = scope.range(e->args[0]);
    bool same = range && range->least >= least(e->type) && range->greatest <= greatest(e->type);
    return same ? e->args[0] : e;
}

std::optional<DividedBy> divided(const KnownFacts& scope, const ExprPtr& e, Op op) {
    auto plain = without_cast(scope, e);
    std::int64_t divisor = 0;
    if (plain->kind != ExprKind::Binary || plain->op != op || !is_integer(plain->type) ||
        !uniform_constant(plain->args[1], divisor) || divisor <= 0)
        return std::nullopt;
    return DividedBy{plain->args[0], divisor};
}

bool differ_by_multiple(const KnownFacts& scope, const ExprPtr& a, const ExprPtr& b,
                        std::int64_t divisor) {
    if (a->type != b->type || a->lanes != b->lanes)
        return false;
    if (equal(a, b))
        return true;
    auto x = scope.affine(a), y = scope.affine(b);
    auto d = x && y ? difference(*x, *y) : std::nullopt;
    if (!d || d->constant % divisor != 0)
        return false;
    for (const auto& term : d->terms)
        if (term.coefficient % divisor != 0)
            return false;
    return true;
}

} // namespace

std::optional<DividedBy> as_quotient(const KnownFacts& scope, const ExprPtr& e) {
    return divided(scope, e, Op::Divide);
}

std::optional<DividedBy> as_remainder(const KnownFacts& scope, const ExprPtr& e) {
    return divided(scope, e, Op::Modulo);
}

ExprPtr rejoined(const KnownFacts& scope, const ExprPtr& quotient, const ExprPtr& remainder) {
    auto q = as_quotient(scope, quotient), r = as_remainder(scope, remainder);
    if (!q || !r)
        return nullptr;
    const auto& x = q->dividend;
    if (q->divisor == r->divisor)
        return differ_by_multiple(scope, x, r->dividend, q->divisor) ? x : nullptr;
    auto inner = as_quotient(scope, r->dividend);
    __int128 product = inner ? __int128{inner->divisor} * r->divisor : 0;
    if (product != q->divisor || !differ_by_multiple(scope, x, inner->dividend, q->divisor))
        return nullptr;
    return binary(Op::Divide, x, with_lanes(constant_int(x->type, inner->divisor), x->lanes));
}

} // namespace loopscope::lower
