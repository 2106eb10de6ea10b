#pragma once
// Scalar arithmetic exactly as languages.md specifies it ("Semantics that every back end shares, to the bit"). It is
// the reference's own: no other part of the program uses it, so that a slip elsewhere cannot hide here.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace loopscope::reference {

// bool is stored as a byte; a type of its own keeps it apart from u8.
enum class Truth : std::uint8_t { False, True };

template <typename T> constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <typename T> constexpr int kWidth = static_cast<int>(sizeof(T) * 8);

// Unsigned of at least 32 bits: wrapping operations are done in it. (A narrower one would be promoted to int, whose
// overflow is undefined: 65535u16 * 65535u16.)
template <typename T> using Wrapping =
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

template <typename T> T add(T a, T b) {
    if constexpr (kIsFloat<T>)
        return a + b;
    else
        return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
}

template <typename T> T subtract(T a, T b) {
    if constexpr (kIsFloat<T>)
        return a - b;
    else
        return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
}

template <typename T> T multiply(T a, T b) {
    if constexpr (kIsFloat<T>)
        return a * b;
    else
        return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
}

template <typename T> T negate(T a) {
    if constexpr (kIsFloat<T>)
        return -a;
    else
        return static_cast<T>(Wrapping<T>{0} -
                              static_cast<Wrapping<T>>(a)); // the least stays the least
}

// Floor division; a zero divisor gives 0.
template <typename T> T divide(T a, T b) {
    if constexpr (kIsFloat<T>) {
        return a / b;
    } else if constexpr (std::is_unsigned_v<T>) {
        return b == 0 ? T{0} : static_cast<T>(a / b);
    } else {
        if (b == 0)
            return 0;
        if (b == -1)
            return negate(a); // least / -1 wraps
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
        if (std::isnan(a) || std::isnan(b))
            return std::numeric_limits<T>::quiet_NaN();
        if (a == b)
            return std::signbit(a) ? a : b;
    }
    return b < a ? b : a;
}

template <typename T> T maximum(T a, T b) {
    if constexpr (kIsFloat<T>) {
        if (std::isnan(a) || std::isnan(b))
            return std::numeric_limits<T>::quiet_NaN();
        if (a == b)
            return std::signbit(a) ? b : a;
    }
    return a < b ? b : a;
}

template <typename T> T absolute(T a) {
    if constexpr (kIsFloat<T>)
        return std::fabs(a);
    else if constexpr (std::is_signed_v<T>)
        return a < 0 ? negate(a) : a; // of the least: the least
    else
        return a;
}

template <typename T> T round_half_to_even(T a) {
    T below = std::floor(a);
    T over = a - below; // exact: a and its floor are near, or a is whole
    if (!(over >= T(0.5)))
        return std::copysign(below, a); // also NaN; -0 stays -0
    T above = below + T(1);
    bool tie = over == T(0.5);
    bool below_is_even = std::fmod(below, T(2)) == T(0);
    return std::copysign(tie && below_is_even ? below : above, a);
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
        else
            return value != From(0) ? Truth::True : Truth::False; // NaN is not 0
    } else if constexpr (std::is_same_v<From, Truth>) {
        return value == Truth::True ? To(1) : To(0);
    } else if constexpr (kIsFloat<From> && !kIsFloat<To>) {
        return saturating_cast<To>(value);
    } else {
        // Between integers it wraps; to and between floats it rounds to nearest even and overflows to infinity.
        return static_cast<To>(value);
    }
}

} // namespace loopscope::reference
