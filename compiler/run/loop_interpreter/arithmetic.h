#pragma once
// Scalar arithmetic of loop programs, by languages.md ("Semantics that every back end shares, to
// the bit"). Values live in 64-bit cells: integers extended by their sign or by zeros, floats as
// their bits, a bool as 0 or 1.

#include "core/ir/half.h"
#include "core/ir/type.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace loopscope::loop_interpreter {

using Cell = std::uint64_t;

// The 16-bit floats. Operations run on their values as doubles and round once: a double has more
// than twice their digits, so that rounding to it first changes nothing; fma and integers, where it
// would, have functions of their own.
struct Half {
    static double value(Cell bits) { return f16_value(static_cast<std::uint16_t>(bits)); }
    template <typename T> static Cell rounded(T x) { return f16_bits(x); }
};
struct BrainHalf {
    static double value(Cell bits) { return bf16_value(static_cast<std::uint16_t>(bits)); }
    template <typename T> static Cell rounded(T x) { return bf16_bits(x); }
};
template <typename T>
constexpr bool is_half = std::is_same_v<T, Half> || std::is_same_v<T, BrainHalf>;

template <typename T> T get(Cell cell) {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<std::uint32_t>(cell));
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<double>(cell);
    else
        return static_cast<T>(cell);
}

// The value's cell, in which all NaNs are one NaN, whatever the host's operation made of it.
template <typename T> Cell put(T value) {
    if constexpr (std::is_same_v<T, float>)
        return std::isnan(value) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(value);
    else if constexpr (std::is_same_v<T, double>)
        return std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value);
    else if constexpr (std::is_signed_v<T>)
        return static_cast<Cell>(static_cast<std::int64_t>(value));
    else
        return static_cast<Cell>(value);
}

// Integers wrap: computed without a sign in 64 bits, where wrapping is defined, and narrowed.
template <typename T> T add(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a + b;
    else
        return static_cast<T>(static_cast<Cell>(a) + static_cast<Cell>(b));
}
template <typename T> T subtract(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a - b;
    else
        return static_cast<T>(static_cast<Cell>(a) - static_cast<Cell>(b));
}
template <typename T> T multiply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
        return a * b;
    else
        return static_cast<T>(static_cast<Cell>(a) * static_cast<Cell>(b));
}

// Floor division; 0 for a zero divisor.
template <typename T> T divide(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return a / b;
    } else if constexpr (std::is_unsigned_v<T>) {
        return b == 0 ? T{0} : static_cast<T>(a / b);
    } else {
        if (b == 0)
            return 0;
        // the least value has no opposite: it wraps to itself
        if (b == -1)
            return subtract<T>(0, a);
        T quotient = static_cast<T>(a / b);
        bool inexact = a % b != 0;
        return inexact && ((a ^ b) < 0) ? static_cast<T>(quotient - 1) : quotient;
    }
}

// a - b*floor(a/b); 0 for a zero divisor.
template <typename T> T modulo(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::numeric_limits<T>::quiet_NaN(); // % of floats is an error in the language
    } else {
        return b == 0 ? T{0} : subtract<T>(a, multiply<T>(b, divide<T>(a, b)));
    }
}

template <typename T> T shift(T a, std::int64_t left) {
    constexpr std::int64_t width = static_cast<std::int64_t>(sizeof(T)) * 8;
    if (left >= width)
        return 0;
    if (left >= 0)
        return static_cast<T>(static_cast<Cell>(a) << left);
    bool out = left <= -width;
    if constexpr (std::is_signed_v<T>)
        return static_cast<T>(static_cast<std::int64_t>(a) >> (out ? 63 : -left));
    else
        return out ? T{0} : static_cast<T>(static_cast<Cell>(a) >> -left);
}

// The amount as a distance that cannot overflow when its sign is turned.
template <typename T> std::int64_t distance(T amount) {
    constexpr std::int64_t kFar = 1000;
    if constexpr (std::is_unsigned_v<T>)
        return amount > static_cast<std::uint64_t>(kFar) ? kFar : static_cast<std::int64_t>(amount);
    else
        return amount > kFar ? kFar : amount < -kFar ? -kFar : static_cast<std::int64_t>(amount);
}
template <typename T> T shift_left(T a, T b) { return shift<T>(a, distance(b)); }
template <typename T> T shift_right(T a, T b) { return shift<T>(a, -distance(b)); }

template <typename T> T bit_and(T a, T b) { return static_cast<T>(a & b); }
template <typename T> T bit_xor(T a, T b) { return static_cast<T>(a ^ b); }
template <typename T> T bit_or(T a, T b) { return static_cast<T>(a | b); }
template <typename T> T bit_not(T a) { return static_cast<T>(~a); }

// NaN in, NaN out; -0 < +0.
template <typename T> T minimum(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a != a || b != b)
            return std::numeric_limits<T>::quiet_NaN();
        if (a == 0 && b == 0)
            return std::signbit(a) || std::signbit(b) ? -T{0} : T{0};
    }
    return b < a ? b : a;
}
template <typename T> T maximum(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        if (a != a || b != b)
            return std::numeric_limits<T>::quiet_NaN();
        if (a == 0 && b == 0)
            return std::signbit(a) && std::signbit(b) ? -T{0} : T{0};
    }
    return a < b ? b : a;
}

template <typename T> T negate(T a) {
    if constexpr (std::is_floating_point_v<T>)
        return -a;
    else
        return subtract<T>(0, a);
}
template <typename T> T absolute(T a) {
    if constexpr (std::is_floating_point_v<T>)
        return std::fabs(a);
    else if constexpr (std::is_signed_v<T>)
        return a < 0 ? negate<T>(a) : a;
    else
        return a;
}
template <typename T> T square_root(T a) { return std::sqrt(a); }
template <typename T> T floor_of(T a) { return std::floor(a); }
template <typename T> T ceiling_of(T a) { return std::ceil(a); }
template <typename T> T round_of(T a) { // half to even, whatever the rounding mode is
    T whole = std::floor(a);
    T rest = a - whole;
    if (!(rest > T{0.5} || (rest == T{0.5} && std::fmod(whole, T{2}) != 0)))
        return std::copysign(whole, a);
    return std::copysign(whole + 1, a);
}

// Float to integer truncates and saturates, NaN gives 0; integers wrap; bool is != 0; to floats
// rounds to nearest even.
template <typename To, typename From> To convert(From a) {
    if constexpr (std::is_same_v<To, bool>) {
        return a != From{0};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if (a != a)
            return 0;
        constexpr From kAbove =
            From{2} * static_cast<From>(To{1} << (std::numeric_limits<To>::digits - 1));
        if (a >= kAbove)
            return std::numeric_limits<To>::max();
        if (a <= static_cast<From>(std::numeric_limits<To>::min()))
            return std::numeric_limits<To>::min();
        return static_cast<To>(a);
    } else {
        return static_cast<To>(a);
    }
}

} // namespace loopscope::loop_interpreter
