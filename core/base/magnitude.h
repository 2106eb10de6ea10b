#pragma once
// Sums and products of 64-bit integers that cannot overflow before they are compared.

#include <cstdint>

namespace loopscope {

using Wide = __int128;

constexpr Wide magnitude(std::int64_t value) { return value < 0 ? -Wide{value} : Wide{value}; }

} // namespace loopscope
