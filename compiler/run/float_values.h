#pragma once
// Values of an array's floats, whatever their type.

#include "compiler/run/buffer.h"

namespace loopscope {

// Bits of the significand, the hidden one included: 11, 8, 24, 53. The type is a float.
int significand_bits(ScalarType type);
double unit_roundoff(ScalarType type);  // 2^-significand_bits
double least_denormal(ScalarType type); // above 0
double least_normal(ScalarType type);
// Half a unit beyond the greatest finite value: what rounds to infinity. 2^16, 2^128, 2^1024 (as
// infinity).
double overflow_threshold(ScalarType type);
// An element of any type as a double: exact, but for 64-bit integers beyond 2^53.
double element_value(const Buffer& buffer, std::int64_t position);
// The greatest finite magnitude in an array; 0 if there is none.
double greatest_magnitude(const Buffer& buffer);

} // namespace loopscope
