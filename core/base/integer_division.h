#pragma once
// Divisions of integers that round to the side asked for, whatever the signs. C++ rounds to zero,
// which is right for neither. A divisor of 0, and a quotient that its type does not hold, are the
// caller's to exclude. The result has the type that the operands are brought to.

namespace loopscope {

// The greatest integer of at most a / b.
template <typename A, typename B> constexpr auto floor_div(A a, B b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

// What floor_div leaves: of the sign of b, or 0.
template <typename A, typename B> constexpr auto floor_mod(A a, B b) {
    const auto rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// The least integer of at least a / b.
template <typename A, typename B> constexpr auto ceil_div(A a, B b) {
    return a / b + (a % b != 0 && (a < 0) == (b < 0) ? 1 : 0);
}

// The least multiple of `unit` of at least `value`.
template <typename A, typename B> constexpr auto round_up(A value, B unit) {
    return ceil_div(value, unit) * unit;
}

} // namespace loopscope
