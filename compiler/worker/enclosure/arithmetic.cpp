#include "compiler/worker/enclosure/arithmetic.h"

#include "compiler/worker/enclosure/floats.h"
#include "compiler/worker/enclosure/terms.h"

#include <algorithm>
#include <limits>

namespace loopscope::worker {

namespace {

ExprPtr negated(ExprPtr a) { return unary(Op::LogicalNot, std::move(a)); }

// Is the interval one of numbers? Integers' always are.
ExprPtr is_valid(const Enclosure& a) {
    return is_float(a.low->type) ? binary(Op::LessEqual, a.low, a.high) : constant_bool(true);
}

// Whole numbers up to here are exact in f64, and so is each that it computes up to here: what is
// greater by one and more does not round to it.
double exact_limit(ScalarType type, bool least_one) {
    constexpr double kLimit = 0x1p53 - 1;
    if (bits(type) < 64)
        return static_cast<double>(least_one ? least(type) : greatest(type));
    return least_one ? (is_signed(type) ? -kLimit : 0) : kLimit;
}

ExprPtr is_within_limits(const Enclosure& wide, ScalarType type) {
    auto least = constant_float(kWide, exact_limit(type, true)),
         greatest = constant_float(kWide, exact_limit(type, false));
    return both(binary(Op::GreaterEqual, wide.low, least),
                binary(Op::LessEqual, wide.high, greatest));
}

Enclosure widened(const Enclosure& a) {
    auto low = cast(kWide, a.low);
    return {low, a.exact() ? low : cast(kWide, a.high)};
}

// Integers wrap, so that their operations are monotone only where nothing does: which f64 tells.
Enclosure of_integers(const std::vector<Enclosure>& operands, ScalarType type,
                      const std::function<Enclosure(const std::vector<Enclosure>&)>& in_floats,
                      const std::function<ExprPtr(const std::vector<ExprPtr>&)>& value) {
    std::vector<Enclosure> wide;
    for (const auto& operand : operands)
        wide.push_back(widened(operand));
    auto result = in_floats(wide);
    auto fits = is_within_limits(result, type);
    for (const auto& operand : wide)
        fits = both(fits, is_within_limits(operand, type));
    return choose(fits, {cast(type, result.low), cast(type, result.high)},
                  enclose_certain(operands, value));
}

Enclosure less(const Enclosure& a, const Enclosure& b, bool or_equal) {
    auto valid = both(is_valid(a), is_valid(b));
    auto certain = binary(or_equal ? Op::LessEqual : Op::Less, a.high, b.low);
    auto impossible = binary(or_equal ? Op::Greater : Op::GreaterEqual, a.low, b.high);
    return {both(valid, certain), negated(both(valid, impossible))};
}

Enclosure equality(const Enclosure& a, const Enclosure& b) {
    auto valid = both(is_valid(a), is_valid(b));
    auto apart = either(binary(Op::Less, a.high, b.low), binary(Op::Less, b.high, a.low));
    auto certain = both(both(is_certain(a), is_certain(b)), binary(Op::Equal, a.low, b.low));
    return {certain, negated(both(valid, apart))};
}

Enclosure comparison(Op op, const Enclosure& a, const Enclosure& b) {
    switch (op) {
    case Op::Less: return less(a, b, false);
    case Op::LessEqual: return less(a, b, true);
    case Op::Greater: return less(b, a, false);
    case Op::GreaterEqual: return less(b, a, true);
    default: break;
    }
    auto same = equality(a, b);
    return op == Op::Equal ? same : Enclosure{negated(same.high), negated(same.low)};
}

Enclosure of_bools(Op op, const Enclosure& a, const Enclosure& b) {
    if (op == Op::LogicalAnd || op == Op::LogicalOr)
        return {binary(op, a.low, b.low), binary(op, a.high, b.high)};
    return enclose_certain(
        {a, b}, [op](const std::vector<ExprPtr>& args) { return binary(op, args[0], args[1]); });
}

Enclosure magnitude(const Enclosure& a) {
    auto type = a.low->type;
    auto low = binary(Op::Max, binary(Op::Max, a.low, unary(Op::Negate, a.high)), zero(type));
    return {low, greatest_magnitude(a)};
}

Enclosure of_float(Op op, const Enclosure& a) {
    if (op == Op::Negate)
        return {unary(op, a.high), unary(op, a.low)};
    if (op == Op::Abs)
        return magnitude(a);
    return {unary(op, a.low), unary(op, a.high)}; // sqrt, floor, ceil, round: monotone
}

Enclosure to_bool(const Enclosure& a) {
    auto none = is_float(a.low->type) ? zero(a.low->type) : constant_int(a.low->type, 0);
    return comparison(Op::NotEqual, a, exactly(none));
}

Enclosure to_integer(ScalarType type, const Enclosure& a) {
    auto from = a.low->type;
    Enclosure converted{cast(type, a.low), cast(type, a.high)};
    if (is_bool(from))
        return converted;
    if (is_float(from)) // truncates and saturates, which is monotone
        return choose(is_valid(a), converted, anything(type));
    auto certain = enclose_certain(
        {a}, [type](const std::vector<ExprPtr>& args) { return cast(type, args[0]); });
    return choose(is_within_limits(widened(a), type), converted, certain);
}

} // namespace

Enclosure exactly(ExprPtr value) { return {value, value}; }

Enclosure anything(ScalarType type) {
    if (is_float(type))
        return {constant_float(type, std::numeric_limits<double>::quiet_NaN()),
                constant_float(type, std::numeric_limits<double>::quiet_NaN())};
    if (is_bool(type))
        return {constant_bool(false), constant_bool(true)};
    const std::uint64_t all =
        bits(type) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits(type)) - 1;
    return {constant_int(type, least(type)),
            is_unsigned(type) ? constant_bits(type, all) : constant_int(type, greatest(type))};
}

bool all_exact(const std::vector<Enclosure>& list) {
    return std::all_of(list.begin(), list.end(), [](const Enclosure& e) { return e.exact(); });
}

ExprPtr greatest_magnitude(const Enclosure& a) {
    auto low = unary(Op::Abs, a.low);
    return a.exact() ? low : binary(Op::Max, low, unary(Op::Abs, a.high));
}

ExprPtr is_certain(const Enclosure& a) {
    if (a.exact())
        return constant_bool(true);
    return is_bool(a.low->type) ? either(a.low, negated(a.high)) : binary(Op::Equal, a.low, a.high);
}

Enclosure enclose_certain(const std::vector<Enclosure>& operands,
                          const std::function<ExprPtr(const std::vector<ExprPtr>&)>& value) {
    auto certain = constant_bool(true);
    std::vector<ExprPtr> lows;
    for (const auto& operand : operands) {
        lows.push_back(operand.low);
        if (operand.exact())
            continue;
        certain = both(certain, is_certain(operand));
        if (is_float(operand.low->type)) // zeros of both signs are equal
            certain = both(certain, binary(Op::NotEqual, operand.low, zero(operand.low->type)));
    }
    auto of_lows = value(lows);
    return choose(certain, exactly(of_lows), anything(of_lows->type));
}

Enclosure enclose_unary(Op op, const Enclosure& a) {
    auto type = a.low->type;
    if (is_float(type))
        return of_float(op, a);
    if (op == Op::LogicalNot || op == Op::BitNot)
        return {unary(op, a.high), unary(op, a.low)};
    return of_integers(
        {a}, type, [op](const std::vector<Enclosure>& args) { return of_float(op, args[0]); },
        [op](const std::vector<ExprPtr>& args) { return unary(op, args[0]); });
}

Enclosure enclose_binary(Op op, const Enclosure& a, const Enclosure& b) {
    auto type = a.low->type;
    if (is_bool(type))
        return of_bools(op, a, b);
    if (is_comparison(op))
        return comparison(op, a, b);
    if (op == Op::Min || op == Op::Max)
        return {binary(op, a.low, b.low), binary(op, a.high, b.high)};
    if (is_float(type))
        return of_floats(op, a, b);
    auto value = [op](const std::vector<ExprPtr>& args) { return binary(op, args[0], args[1]); };
    if (op == Op::Add || op == Op::Subtract || op == Op::Multiply)
        return of_integers(
            {a, b}, type,
            [op](const std::vector<Enclosure>& args) {
                return of_whole_numbers(op, args[0], args[1]);
            },
            value);
    return enclose_certain({a, b}, value);
}

Enclosure enclose_select(const Enclosure& condition, const Enclosure& a, const Enclosure& b) {
    if (condition.exact())
        return choose(condition.low, a, b);
    const bool boolean = is_bool(a.low->type);
    Enclosure either{binary(boolean ? Op::LogicalAnd : Op::Min, a.low, b.low),
                     binary(boolean ? Op::LogicalOr : Op::Max, a.high, b.high)};
    return choose(condition.low, a, choose(condition.high, either, b));
}

Enclosure enclose_cast(ScalarType type, const Enclosure& a) {
    if (is_bool(type))
        return is_bool(a.low->type) ? a : to_bool(a);
    if (is_integer(type))
        return to_integer(type, a);
    return {cast(type, a.low), cast(type, a.high)}; // rounds
}

} // namespace loopscope::worker
