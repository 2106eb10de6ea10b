#include "compiler/worker/enclosure/sums.h"

#include "compiler/worker/float_values.h"

#include <cmath>
#include <limits>

namespace loopscope::worker {

namespace {

constexpr auto kWide = ScalarType::F64;

ExprPtr number(double value) { return constant_float(kWide, value); }
ExprPtr add(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Add, a, b); }
ExprPtr subtract(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Subtract, a, b); }
ExprPtr multiply(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Multiply, a, b); }

double least_denormal(ScalarType type) {
    switch (type) {
    case ScalarType::F16: return 0x1p-24;
    case ScalarType::BF16: return 0x1p-133;
    case ScalarType::F32: return std::numeric_limits<float>::denorm_min();
    default: return std::numeric_limits<double>::denorm_min();
    }
}

double least_normal(ScalarType type) {
    return least_denormal(type) * std::ldexp(1, significand_bits(type) - 1);
}

// (1 + u)^n - 1 at most, with that of the f64 in which `own` as many operations a term and a few more were made.
ExprPtr factor(ScalarType type, const ExprPtr& count, double own) {
    const double u = unit_roundoff(type), wide_u = unit_roundoff(kWide);
    if (is_constant(count)) {
        const double n = constant_float_value(count), x = n * u;
        return number((x <= 1 ? x + x * x : std::exp(x)) * (1 + 8 * wide_u) +
                      (n * own + 16) * wide_u);
    }
    auto x = multiply(count, number(u));
    auto grown =
        select(binary(Op::LessEqual, x, number(1)), add(x, multiply(x, x)), call("exp", {x}));
    auto of_wide = multiply(add(multiply(count, number(own)), number(16)), number(wide_u));
    return add(grown, of_wide);
}

// In the sum's type, to which rounding is monotone; anything unless `known`.
Enclosure rounded(ScalarType type, const ExprPtr& known, const ExprPtr& low, const ExprPtr& high) {
    auto none = anything(type);
    return {select(known, cast(type, low), none.low), select(known, cast(type, high), none.high)};
}

ExprPtr wide_magnitude(const Enclosure& term) { return cast(kWide, greatest_magnitude(term)); }

ExprPtr least_magnitude(const Enclosure& term) {
    auto low = cast(kWide, unary(Op::Abs, term.low));
    return term.exact() ? low : binary(Op::Min, low, cast(kWide, unary(Op::Abs, term.high)));
}

} // namespace

Enclosure enclose_sum(ScalarType type, const SumParts& parts, bool contracted) {
    auto slack = multiply(parts.size, factor(type, parts.count, 1));
    if (contracted)
        slack = add(slack, multiply(parts.count, number(least_denormal(type))));
    // No partial sum of any order may overflow.
    auto known = binary(Op::Less, add(parts.size, slack), number(overflow_threshold(type)));
    return rounded(type, known, subtract(parts.low, slack), add(parts.high, slack));
}

Enclosure enclose_product(ScalarType type, const ProductParts& parts) {
    auto relative = factor(type, parts.count, 3);
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
    return rounded(type, known, binary(Op::Min, narrow, wide), binary(Op::Max, narrow, wide));
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
