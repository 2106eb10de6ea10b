#pragma once
// Limits of the language (languages.md) that every layer holds sizes against.

#include <cstdint>

namespace loopscope {

constexpr std::int64_t kMaxExtent = 2'147'483'647; // of one axis or loop, also of a fused one
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 62; // of one array
// The limit of a range of values, on either side of zero (range.h): the extent of every range fits
// in 64 bits.
constexpr std::int64_t kMaxInRange = (std::int64_t{1} << 62) - 1;

} // namespace loopscope
