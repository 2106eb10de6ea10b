#pragma once
// From a scalar type of the language to the C++ type that holds it.

#include "compiler/run/reference/arithmetic.h"
#include "core/ir/type.h"

#include <bit>
#include <stdexcept>

namespace loopscope::reference {

template <typename T> struct Tag {
    using type = T;
};

// Calls f with the Tag of the C++ type.
template <typename F> auto with_type(ScalarType type, F f) {
    switch (type) {
    case ScalarType::Bool: return f(Tag<Truth>{});
    case ScalarType::I8: return f(Tag<std::int8_t>{});
    case ScalarType::I16: return f(Tag<std::int16_t>{});
    case ScalarType::I32: return f(Tag<std::int32_t>{});
    case ScalarType::I64: return f(Tag<std::int64_t>{});
    case ScalarType::U8: return f(Tag<std::uint8_t>{});
    case ScalarType::U16: return f(Tag<std::uint16_t>{});
    case ScalarType::U32: return f(Tag<std::uint32_t>{});
    case ScalarType::U64: return f(Tag<std::uint64_t>{});
    case ScalarType::F16: return f(Tag<F16>{});
    case ScalarType::BF16: return f(Tag<BF16>{});
    case ScalarType::F32: return f(Tag<float>{});
    case ScalarType::F64: return f(Tag<double>{});
    }
    throw std::logic_error("reference interpreter: no type");
}

// The value of an Expr's constant bits.
template <typename T> T from_bits(std::uint64_t bits) {
    if constexpr (std::is_same_v<T, float>)
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    else if constexpr (std::is_same_v<T, double>)
        return std::bit_cast<double>(bits);
    else if constexpr (kIsHalf<T>)
        return std::bit_cast<T>(static_cast<std::uint16_t>(bits));
    else if constexpr (std::is_same_v<T, Truth>)
        return bits ? Truth::True : Truth::False;
    else
        return static_cast<T>(bits);
}

} // namespace loopscope::reference
