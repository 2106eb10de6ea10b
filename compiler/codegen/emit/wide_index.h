#pragma once
// Arithmetic on the numbers in index expressions, which may be any of 64 bits: an index stays
// inside of its range, but operands of `%` or of a clamp may wrap (i64(x) * 2^62 % 5).

#include <cstdint>

namespace loopscope::codegen {

// The greatest distance, in elements from a base, within one window or tile.
constexpr std::int64_t kFarthest = std::int64_t{1} << 40;

inline bool is_within(std::int64_t value, std::int64_t most) {
    return -most <= value && value <= most; // std::abs has no result for the least one
}

// Arithmetic modulo 2^64, as the generated code computes.
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
