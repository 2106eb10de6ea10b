#include "compiler/worker/enclosure/floats.h"

#include "compiler/worker/enclosure/terms.h"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace loopscope::worker {

namespace {

// A NaN among the ends gives a NaN: min and max of the language do.
ExprPtr least_of(const std::vector<ExprPtr>& list) {
    auto least = list.front();
    for (std::size_t i = 1; i < list.size(); ++i)
        least = binary(Op::Min, least, list[i]);
    return least;
}

ExprPtr greatest_of(const std::vector<ExprPtr>& list) {
    auto greatest = list.front();
    for (std::size_t i = 1; i < list.size(); ++i)
        greatest = binary(Op::Max, greatest, list[i]);
    return greatest;
}

std::vector<ExprPtr> ends(const Enclosure& a) {
    return a.exact() ? std::vector<ExprPtr>{a.low} : std::vector<ExprPtr>{a.low, a.high};
}

Enclosure hull(const std::vector<ExprPtr>& list) { return {least_of(list), greatest_of(list)}; }

// What is monotone in each operand has its extremes at the ends of all. Sums and differences are
// NaN at one of these corners where infinities of both signs may meet, and quotients where two
// infinities do.
Enclosure of_corners(Op op, const Enclosure& a, const Enclosure& b) {
    std::vector<ExprPtr> corners;
    for (const auto& x : ends(a))
        for (const auto& y : ends(b))
            corners.push_back(binary(op, x, y));
    return hull(corners);
}

bool is_finite_constant(const Enclosure& a) {
    return a.exact() && is_constant(a.low) && std::isfinite(constant_float_value(a.low));
}

// The factors whose products are the extremes of all; and those of the value nearest to 0, which an
// infinity in the other factor makes NaN, though the ends on both sides of 0 do not.
std::vector<std::pair<ExprPtr, ExprPtr>> factors(const Enclosure& a, const Enclosure& b) {
    auto nearest_to_zero = [](const Enclosure& e) {
        return binary(Op::Min, binary(Op::Max, e.low, zero(e.low->type)), e.high);
    };
    std::vector<std::pair<ExprPtr, ExprPtr>> list;
    for (const auto& x : ends(a))
        for (const auto& y : ends(b))
            list.emplace_back(x, y);
    if (!a.exact() && !is_finite_constant(b))
        for (const auto& y : ends(b))
            list.emplace_back(nearest_to_zero(a), y);
    if (!b.exact() && !is_finite_constant(a))
        for (const auto& x : ends(a))
            list.emplace_back(x, nearest_to_zero(b));
    return list;
}

Enclosure product(const Enclosure& a, const Enclosure& b) {
    std::vector<ExprPtr> products;
    for (const auto& [x, y] : factors(a, b))
        products.push_back(binary(Op::Multiply, x, y));
    return hull(products);
}

bool is_square(const Enclosure& a, const Enclosure& b) {
    return equal(a.low, b.low) && equal(a.high, b.high);
}

// x*x of an x that may have either sign is no less than 0, which the products of ends do not show;
// nor is it ever NaN.
Enclosure square(const Enclosure& a) {
    auto low = binary(Op::Multiply, a.low, a.low), high = binary(Op::Multiply, a.high, a.high);
    auto crosses = both(binary(Op::Less, a.low, zero(a.low->type)),
                        binary(Op::Greater, a.high, zero(a.low->type)));
    return {select(crosses, zero(a.low->type), binary(Op::Min, low, high)),
            binary(Op::Max, low, high)};
}

Enclosure quotient(const Enclosure& a, const Enclosure& b) {
    auto type = a.low->type;
    auto inside = of_corners(Op::Divide, a, b);
    auto sign =
        either(binary(Op::Greater, b.low, zero(type)), binary(Op::Less, b.high, zero(type)));
    auto none = anything(type);
    return {select(sign, inside.low, none.low), select(sign, inside.high, none.high)};
}

} // namespace

Enclosure of_floats(Op op, const Enclosure& a, const Enclosure& b) {
    switch (op) {
    case Op::Add:
    case Op::Subtract: return of_corners(op, a, b);
    case Op::Multiply: return is_square(a, b) ? square(a) : product(a, b);
    case Op::Divide: return quotient(a, b);
    default: break;
    }
    throw std::logic_error(std::string("no enclosure of ") + symbol(op) + " of floats");
}

Enclosure of_whole_numbers(Op op, const Enclosure& a, const Enclosure& b) {
    if (op == Op::Add)
        return {binary(op, a.low, b.low), binary(op, a.high, b.high)};
    if (op == Op::Subtract)
        return {binary(op, a.low, b.high), binary(op, a.high, b.low)};
    return is_square(a, b) ? square(a) : of_corners(op, a, b);
}

Enclosure enclose_fma(const Enclosure& a, const Enclosure& b, const Enclosure& c) {
    // where the product and the addend may be opposite infinities, one is NaN
    std::vector<ExprPtr> corners;
    for (const auto& [x, y] : factors(a, b))
        for (const auto& z : ends(c))
            corners.push_back(fma(x, y, z));
    return hull(corners);
}

} // namespace loopscope::worker
