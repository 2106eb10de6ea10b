#include "compiler/lower/gpu/linear_in_loops.h"

#include "compiler/lower/statements.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loopscope::lower {

namespace {

void add(LinearInLoops& to, const LinearInLoops& from, std::int64_t factor) {
    for (const auto& [loop, coefficient] : from.coefficients)
        if ((to.coefficients[loop] += coefficient * factor) == 0)
            to.coefficients.erase(loop);
}

} // namespace

bool is_zero(const ExprPtr& e) {
    std::int64_t value = 0;
    return constant_value(e, value) && value == 0;
}

std::optional<LinearInLoops> linear_in_loops(const ExprPtr& e, const LoopExtents& loops) {
    if (std::none_of(loops.begin(), loops.end(),
                     [&](const auto& loop) { return uses_variable(e, loop.first); }))
        return LinearInLoops{e, {}};
    if (e->kind == ExprKind::Variable)
        return LinearInLoops{constant_int(e->type, 0), {{e->name, 1}}};
    if (e->kind == ExprKind::Cast && is_integer(e->type) &&
        bytes(e->type) >= bytes(e->args[0]->type)) {
        auto inner = linear_in_loops(e->args[0], loops);
        if (inner)
            inner->base = cast(e->type, inner->base);
        return inner;
    }
    if (e->kind != ExprKind::Binary)
        return std::nullopt;
    auto a = linear_in_loops(e->args[0], loops), b = linear_in_loops(e->args[1], loops);
    std::int64_t factor = e->op == Op::Subtract ? -1 : 1;
    if (!a || !b)
        return std::nullopt;
    if (e->op == Op::Multiply && !constant_value(e->args[1], factor))
        return std::nullopt;
    if (e->op == Op::Multiply) {
        LinearInLoops out{is_zero(a->base) ? a->base : binary(Op::Multiply, a->base, e->args[1]),
                          {}};
        add(out, *a, factor);
        return out;
    }
    if (e->op != Op::Add && e->op != Op::Subtract)
        return std::nullopt;
    if (is_zero(a->base) && e->op == Op::Add)
        a->base = b->base;
    else if (!is_zero(b->base))
        a->base = binary(e->op, a->base, b->base);
    add(*a, *b, factor);
    return a;
}

std::optional<std::int64_t> covered(const LinearInLoops& form, const LoopExtents& loops) {
    std::vector<std::pair<std::int64_t, std::int64_t>> digits; // coefficient, extent
    for (const auto& [loop, coefficient] : form.coefficients)
        digits.emplace_back(coefficient, loops.at(loop));
    std::sort(digits.begin(), digits.end());
    std::int64_t count = 1;
    for (const auto& [coefficient, extent] : digits) {
        if (coefficient != count)
            return std::nullopt;
        count *= extent;
    }
    return count;
}

} // namespace loopscope::lower
