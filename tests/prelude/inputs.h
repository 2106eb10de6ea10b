#pragma once
// Arguments to try the prelude's functions with.

#include "core/ir/type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::prelude_test {

using Patterns = std::vector<std::uint64_t>;

// Around every power of two of both signs, zero, the greatest values, infinity, NaNs of several
// kinds, and where the function or its definition changes course.
Patterns special_points(const std::string& function, ScalarType type);
// `count` of f64: half any bit pattern, half where the function is interesting, evenly over values
// or over exponents.
Patterns random_f64(const std::string& function, std::size_t count, std::uint64_t seed);
// For pow: x and y such that y*log(x) is spread over what f64 (or f32) can hold, and any bit
// patterns.
std::vector<Patterns> random_pairs(ScalarType type, std::size_t count, std::uint64_t seed);
// All pairs of values at which pow has rules of its own.
std::vector<Patterns> special_pairs(ScalarType type);

} // namespace loopscope::prelude_test
