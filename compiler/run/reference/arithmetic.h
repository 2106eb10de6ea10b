#pragma once
// Scalar arithmetic exactly as languages.md specifies it ("Semantics that every back end shares, to
// the bit"). It is the reference's own: no other part of the program uses it, so that a slip
// elsewhere cannot hide here. What it shares, of the 16-bit floats alone, is core/ir/half.h: what
// their bits are worth, and rounding to them where that is not ordinary (half_float.h), with the
// rounding to odd of their fma. tests/ir holds that against arithmetic of its own.

#include "compiler/run/reference/half_float.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace loopscope::reference {

// bool is stored as a byte; a type of its own keeps it apart from u8.
enum class Truth : std::uint8_t { False, True };

template <typename T> constexpr bool kIsHalf = std::is_same_v<T, F16> || std::is_same_v<T, BF16>;
template <typename T> constexpr bool kIsFloat = std::is_floating_point_v<T> || kIsHalf<T>;
template <typename T> constexpr int kWidth = static_cast<int>(sizeof(T) * 8);

// A float in the type that it is computed in: its own, or double for the 16-bit ones. T(...) of the
// result rounds once.
template <typename T> auto real(T value) {
    if constexpr (kIsHalf<T>)
        return static_cast<double>(value);
    else
        return value;
}

template <typename T> bool is_nan(T value) { return std::isnan(real(value)); }
template <typename T> T quiet_nan() { return T(std::numeric_limits<double>::quiet_NaN()); }

// A NaN becomes the one NaN: sign 0, quiet, the rest 0.
template <typename T> T with_one_nan(T value) { return is_nan(value) ? quiet_nan<T>() : value; }

// Unsigned of at least 32 bits: wrapping operations are done in it. (A narrower one would be
// promoted to int, whose overflow is undefined: 65535u16 * 65535u16.)
template <typename T> using Wrapping =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T> T add(T a, T b) {
    if constexpr (kIsFloat<T>)
        return T(real(a) + real(b));
    else
        return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}

template <typename T> T subtract(T a, T b) {
    if constexpr (kIsFloat<T>)
        return T(real(a) - real(b));
    else
        return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}

template <typename T> T multiply(T a, T b) {
    if constexpr (kIsFloat<T>)
        return T(real(a) * real(b));
    else
        return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

template <typename T> T negate(T a) {
    if constexpr (kIsFloat<T>)
        return T(-real(a));
    // the least stays the least
    else
        return static_cast<T>(Wrapping<T>{0} - static_cast<Wrapping<T>>(a));
}

// Floor division; a zero divisor gives 0.
template <typename T> T divide(T a, T b) {
    if constexpr (kIsFloat<T>) {
        return T(real(a) / real(b));
    } else if constexpr (std::is_unsigned_v<T>) {
        return b == 0 ? T{0} : static_cast<T>(a / b);
    } else {
        if (b == 0)
            return 0;
        // least / -1 wraps
        if (b == -1)
            return negate(a);
        T quotient = static_cast<T>(a / b);
        bool rounded_up = a % b != 0 && ((a < 0) != (b < 0));
        return rounded_up ? static_cast<T>(quotient - 1) : quotient;
    }
}

// Floor modulo: the result has the divisor's sign; a zero divisor gives 0.
template <typename T> T modulo(T a, T b) {
    if constexpr (std::is_unsigned_v<T>) {
        return b == 0 ? T{0} : static_cast<T>(a % b);
    } else {
        if (b == 0 || b == -1)
            return 0;
        T rest = static_cast<T>(a % b);
        return rest != 0 && ((rest < 0) != (b < 0)) ? static_cast<T>(rest + b) : rest;
    }
}

template <typename T> T shift_right_by(T a, std::uint64_t amount) {
    if (amount >= static_cast<std::uint64_t>(kWidth<T>))
        return a < T{0} ? static_cast<T>(-1) : T{0};
    return static_cast<T>(a >> amount); // of a signed value: arithmetic
}

template <typename T> T shift_left_by(T a, std::uint64_t amount) {
    if (amount >= static_cast<std::uint64_t>(kWidth<T>))
        return 0;
    return static_cast<T>(static_cast<Wrapping<T>>(a) << amount);
}

// The magnitude of a negative amount, also of the least.
template <typename T> std::uint64_t magnitude(T negative) {
    return std::uint64_t{0} - static_cast<std::uint64_t>(static_cast<std::int64_t>(negative));
}

// More than the width gives 0 (or the sign); a negative amount shifts the other way.
template <typename T> T shift_left(T a, T amount) {
    if constexpr (std::is_signed_v<T>)
        if (amount < 0)
            return shift_right_by(a, magnitude(amount));
    return shift_left_by(a, static_cast<std::uint64_t>(amount));
}

template <typename T> T shift_right(T a, T amount) {
    if constexpr (std::is_signed_v<T>)
        if (amount < 0)
            return shift_left_by(a, magnitude(amount));
    return shift_right_by(a, static_cast<std::uint64_t>(amount));
}

// NaN in, NaN out; -0 < +0.
template <typename T> T minimum(T a, T b) {
    if constexpr (kIsFloat<T>) {
        if (is_nan(a) || is_nan(b))
            return quiet_nan<T>();
        if (a == b)
            return std::signbit(real(a)) ? a : b;
    }
    return b < a ? b : a;
}

template <typename T> T maximum(T a, T b) {
    if constexpr (kIsFloat<T>) {
        if (is_nan(a) || is_nan(b))
            return quiet_nan<T>();
        if (a == b)
            return std::signbit(real(a)) ? b : a;
    }
    return a < b ? b : a;
}

template <typename T> T absolute(T a) {
    if constexpr (kIsFloat<T>)
        return T(std::fabs(real(a)));
    // of the least: the least
    else if constexpr (std::is_signed_v<T>)
        return a < 0 ? negate(a) : a;
    else
        return a;
}

template <typename T> T round_half_to_even(T value) {
    auto a = real(value);
    using Real = decltype(a);
    Real below = std::floor(a);
    // Exact, but where -1/2 < a < 0: there 1 + a rounds, to no less than 1/2. Then `below` is -1,
    // which is odd, so that a tie and more than one go up alike, to the -0 that is right.
    Real over = a - below;
    // also NaN; -0 stays -0
    if (!(over >= Real(0.5)))
        return T(std::copysign(below, a));
    Real above = below + Real(1);
    bool tie = over == Real(0.5);
    bool below_is_even = std::fmod(below, Real(2)) == Real(0);
    return T(std::copysign(tie && below_is_even ? below : above, a));
}

// Rounded once.
template <typename T> T fused_multiply_add(T a, T b, T c) {
    if constexpr (kIsHalf<T>)
        return T(fma_to_odd(a, b, c));
    else
        return std::fma(a, b, c);
}

// Truncates and saturates; NaN gives 0.
template <typename To, typename From> To saturating_cast(From value) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(value))
        return 0;
    // 2^digits is exact in every float type; the greatest itself may not be.
    const From end = std::ldexp(From(1), Limits::digits);
    if (value >= end)
        return Limits::max();
    if (value <= static_cast<From>(Limits::min()))
        return Limits::min();
    return static_cast<To>(value);
}

template <typename To, typename From> To convert(From value) {
    if constexpr (std::is_same_v<To, Truth>) {
        if constexpr (std::is_same_v<From, Truth>)
            return value;
        // NaN is not 0
        else
            return value != From() ? Truth::True : Truth::False;
    } else if constexpr (std::is_same_v<From, Truth>) {
        return value == Truth::True ? To(std::int64_t{1}) : To(std::int64_t{0});
    } else if constexpr (kIsFloat<From> && !kIsFloat<To>) {
        return saturating_cast<To>(real(value));
    } else if constexpr (kIsHalf<To> && !kIsFloat<From>) {
        using Widest = std::conditional_t<std::is_signed_v<From>, std::int64_t, std::uint64_t>;
        return To(static_cast<Widest>(value));
    } else if constexpr (kIsHalf<To>) {
        return To(static_cast<double>(value)); // exact, then rounded once
    } else if constexpr (kIsHalf<From>) {
        return static_cast<To>(real(value));
    } else {
        // Between integers it wraps; to and between floats it rounds to nearest even and overflows
        // to infinity.
        return static_cast<To>(value);
    }
}

} // namespace loopscope::reference
