#pragma once
// The 16-bit floats as bit patterns: f16 is IEEE binary16 (1 sign, 5 exponent, 10 fraction bits),
// bf16 the upper half of an f32 (1, 8, 7). Conversions round to nearest even, once; what is too
// great becomes infinite; denormals are kept; a NaN becomes the one NaN, 0x7e00 and 0x7fc0. All is
// integer code: hardware conversions flush bf16's denormals.

#include "core/ir/type.h"

#include <cstdint>

namespace loopscope {

constexpr bool is_half(ScalarType t) { return t == ScalarType::F16 || t == ScalarType::BF16; }

double f16_value(std::uint16_t bits); // exact
double bf16_value(std::uint16_t bits);
std::uint16_t f16_bits(double value);
std::uint16_t bf16_bits(double value);
// From integers: through a double an i64 would round twice.
std::uint16_t f16_bits(std::int64_t value);
std::uint16_t f16_bits(std::uint64_t value);
std::uint16_t bf16_bits(std::int64_t value);
std::uint16_t bf16_bits(std::uint64_t value);
// a*b + c of 16-bit values, given exactly as doubles, rounded to odd: converting the result to f16
// or bf16 then rounds a*b + c once. (Boldo and Melquiond's rounding to odd: 53 bits are more than
// twice the target's and two.)
double fma_to_odd(double a, double b, double c);

} // namespace loopscope
