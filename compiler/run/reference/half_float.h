#pragma once
// The 16-bit floats as values that compute: converted to double, exactly; the result rounded back,
// once. Double has more than twice their significand and two bits, and a far wider exponent, so
// that rounding a double's + - * / sqrt again gives the correctly rounded result, denormals
// included (Figueroa, "When is double rounding innocuous?", 1995).

#include "core/ir/half.h"

#include <bit>
#include <cstdint>

namespace loopscope::reference {

// To `fraction` bits, to nearest even, where the result is a normal number or just overflows:
// nearly always, and then by a few operations. Otherwise `slow` does it.
inline std::uint16_t narrowed(double value, int fraction, int bias, std::uint16_t (*slow)(double)) {
    auto bits = std::bit_cast<std::uint64_t>(value);
    auto exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
    if (exponent < 1 - bias || exponent > bias)
        return slow(value);
    const int drop = 52 - fraction;
    auto magnitude = bits & ~(std::uint64_t{1} << 63);
    auto odd = magnitude >> drop & 1;
    // Carries go into the exponent, up to infinity.
    auto rounded = (magnitude + (std::uint64_t{1} << (drop - 1)) - 1 + odd) >> drop;
    rounded -= static_cast<std::uint64_t>(1023 - bias) << fraction;
    return static_cast<std::uint16_t>(bits >> 63 << 15 | rounded);
}

struct F16 {
    std::uint16_t bits = 0;
    F16() = default;
    explicit F16(double value) : bits(narrowed(value, 10, 15, f16_bits)) {}
    // Through a double, 64-bit integers would round twice.
    explicit F16(std::int64_t value) : bits(f16_bits(value)) {}
    explicit F16(std::uint64_t value) : bits(f16_bits(value)) {}
    operator double() const {
        // As the fraction of an f32 whose exponent is too small by 112, denormals too; infinities
        // and NaNs aside.
        auto magnitude = static_cast<std::uint32_t>(bits & 0x7fff);
        if (magnitude >= 0x7c00)
            return f16_value(bits);
        double value = std::bit_cast<float>(magnitude << 13) * 0x1p112;
        return bits & 0x8000 ? -value : value;
    }
};

struct BF16 {
    std::uint16_t bits = 0;
    BF16() = default;
    explicit BF16(double value) : bits(narrowed(value, 7, 127, bf16_bits)) {}
    explicit BF16(std::int64_t value) : bits(bf16_bits(value)) {}
    explicit BF16(std::uint64_t value) : bits(bf16_bits(value)) {}
    operator double() const { return std::bit_cast<float>(std::uint32_t{bits} << 16); }
};

} // namespace loopscope::reference
