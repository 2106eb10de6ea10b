#pragma once
// Arithmetic on the numbers of index expressions, which may be any of 64 bits: an index stays
// inside of its range, but what `%` or a clamp takes may wrap (i64(x) * 2^62 % 5).

#include <cstdint>

namespace loopscope::codegen {

// Elements from a base: beyond it nothing is one window, or one tile.
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;

inline bool is_within(std::int64_t value, std::int64_t most) {
    return -most <= value && value <= most; // std::abs has no result for the least one
}

// Modulo 2^64, as the code that is made computes them.
inline std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_subtract(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline std::int64_t wrapping_multiply(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

} // namespace loopscope::codegen
