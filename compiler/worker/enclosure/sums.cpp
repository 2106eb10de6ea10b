#include "compiler/worker/enclosure/sums.h"

#include "compiler/run/float_values.h"
#include "compiler/worker/enclosure/terms.h"

#include <cmath>
#include <limits>

namespace loopscope::worker {

namespace {

// m of sums.h.
ExprPtr roundings(const ExprPtr& count, bool contracted) {
    if (is_constant(count)) {
        const double n = constant_float_value(count);
        return number(n <= 1 ? 0 : contracted ? n : n - 1);
    }
    auto more = contracted ? count : subtract(count, number(1));
    return select(binary(Op::Greater, count, number(1)), more, number(0));
}

// (1 + u)^m - 1 at most, with the same of the f64 in which it and what it is a factor of are
// computed. There each term passes through `own` roundings. 16 more are for what is computed once:
// the product of m and u, x*x and the sum of the two, or exp with its 4; the sum with f64's own
// part, the product with the terms' size, and the end, that is 5 more. The products of two such
// errors are less than what x*x exceeds x*x/2 by, or, of f64 itself, less than one of the 16 up to
// 2^26 terms, which the reference would take minutes to add for one element.
ExprPtr factor(ScalarType type, const ExprPtr& m, double own) {
    const double u = unit_roundoff(type), wide_u = unit_roundoff(kWide);
    if (is_constant(m)) {
        const double often = constant_float_value(m), x = often * u;
        return number((x <= 1 ? x + x * x : std::exp(x)) + (often * own + 16) * wide_u);
    }
    auto x = multiply(m, number(u));
    auto grown =
        select(binary(Op::LessEqual, x, number(1)), add(x, multiply(x, x)), call("exp", {x}));
    auto of_wide = multiply(add(multiply(m, number(own)), number(16)), number(wide_u));
    return add(grown, of_wide);
}

// In the sum's type, to which rounding is monotone; anything unless `known`.
Enclosure rounded(ScalarType type, const ExprPtr& known, const ExprPtr& low, const ExprPtr& high) {
    auto none = anything(type);
    return {select(known, cast(type, low), none.low), select(known, cast(type, high), none.high)};
}

ExprPtr is_not_rounded(const ExprPtr& m) {
    return is_constant(m) ? constant_bool(constant_float_value(m) == 0)
                          : binary(Op::Equal, m, number(0));
}

ExprPtr wide_magnitude(const Enclosure& term) { return cast(kWide, greatest_magnitude(term)); }

ExprPtr least_magnitude(const Enclosure& term) {
    auto low = cast(kWide, unary(Op::Abs, term.low));
    return term.exact() ? low : binary(Op::Min, low, cast(kWide, unary(Op::Abs, term.high)));
}

} // namespace

Enclosure enclose_sum(ScalarType type, const SumParts& parts, bool contracted) {
    const auto m = roundings(parts.count, contracted);
    const auto grown = factor(type, m, 1); // one addition of f64 a term
    auto slack = multiply(parts.size, grown);
    // A product's rounding below the normal numbers, half a denormal, and what the additions that
    // follow make of it.
    if (contracted)
        slack =
            add(slack, multiply(multiply(m, number(least_denormal(type))), add(number(1), grown)));
    // No partial sum of any order may overflow.
    auto known = binary(Op::Less, add(parts.size, slack), number(overflow_threshold(type)));
    return choose(is_not_rounded(m), {cast(type, parts.low), cast(type, parts.high)},
                  rounded(type, known, subtract(parts.low, slack), add(parts.high, slack)));
}

Enclosure enclose_product(ScalarType type, const ProductParts& parts) {
    const auto m = roundings(parts.count, false);
    auto single = is_not_rounded(m);
    if (parts.width) // one value, not one interval
        single = binary(Op::LogicalAnd, single, binary(Op::Equal, parts.width, number(1)));
    // A term passes through five roundings of f64: of high - low, the quotient by the magnitude, 1
    // + that, and its factor in the products of lows and of widths. An uncertain value alone passes
    // through them too.
    const double own = 5;
    auto relative = add(factor(type, m, own), number(own * unit_roundoff(kWide)));
    auto below = subtract(number(1), relative), above = add(number(1), relative);
    auto narrow = multiply(parts.low, below), wide = multiply(parts.low, above);
    if (parts.width) {
        narrow = binary(Op::Divide, narrow, parts.width);
        wide = multiply(wide, parts.width);
    }
    auto known =
        binary(Op::LogicalAnd, binary(Op::Less, relative, number(1)),
               binary(Op::Less, multiply(parts.above, above), number(overflow_threshold(type))));
    known =
        binary(Op::LogicalAnd, known,
               binary(Op::GreaterEqual, multiply(parts.below, below), number(least_normal(type))));
    if (parts.width)
        known =
            binary(Op::LogicalAnd, known,
                   binary(Op::Less, parts.width, number(std::numeric_limits<double>::infinity())));
    auto value = cast(type, parts.low);
    return choose(
        single, {value, value},
        rounded(type, known, binary(Op::Min, narrow, wide), binary(Op::Max, narrow, wide)));
}

ExprPtr relative_width(const Enclosure& term) {
    if (term.exact())
        return number(1);
    auto low = cast(kWide, term.low), high = cast(kWide, term.high);
    auto width = binary(Op::Divide, subtract(high, low), least_magnitude(term));
    auto one_sign = binary(Op::LogicalOr, binary(Op::Greater, low, number(0)),
                           binary(Op::Less, high, number(0)));
    auto possible =
        select(one_sign, add(number(1), width), number(std::numeric_limits<double>::infinity()));
    return select(binary(Op::Equal, low, high), number(1), possible);
}

ExprPtr magnitude_above(const Enclosure& term) {
    return binary(Op::Max, wide_magnitude(term), number(1));
}

ExprPtr magnitude_below(const Enclosure& term) {
    auto least = binary(Op::Min, least_magnitude(term), number(1));
    return select(binary(Op::Equal, least, number(0)), number(1), least);
}

} // namespace loopscope::worker
