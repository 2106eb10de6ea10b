#pragma once
// The conversions of 16-bit floats as C text: integer code, so that they are the same with and
// without hardware for them (core/ir/half.h, in C).

#include <string>

namespace loopscope::codegen {

// `name`: f32_from_f16, f16_from_f32, f32_from_bf16, bf16_from_f32, f32_rounded_to_odd (from a
// double), f64_rounded_to_odd (from a uint64_t).
std::string half_text(const std::string& name);

} // namespace loopscope::codegen
