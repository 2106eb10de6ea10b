#pragma once
// The prelude as text in the pipeline language: defs named FUNCTION_TYPE, such as exp_f32. Read by
// prelude.cpp alone.

#include <string_view>

namespace loopscope {

extern const std::string_view kPreludeShared; // polynomials; before each of the others
extern const std::string_view kPreludeF32;
extern const std::string_view kPreludeF64;
extern const std::string_view kPreludeFastF32;
extern const std::string_view kPreludeFastF64;

} // namespace loopscope
