#pragma once
// Where a read outside of an input goes: the boundaries of languages.md, for an input with n > 0
// elements along the dimension. Every function gives an index in [0, n).

#include "core/base/integer_division.h"

#include <algorithm>
#include <cstdint>

namespace loopscope::reference {

// The nearest element: a a a | a b c | c c c
inline std::int64_t edge(std::int64_t i, std::int64_t n) {
    return std::clamp<std::int64_t>(i, 0, n - 1);
}

// The border repeats: c b a | a b c | c b a
inline std::int64_t mirror(std::int64_t i, std::int64_t n) {
    auto m = floor_mod(i, 2 * n);
    return m < n ? m : 2 * n - 1 - m;
}

// The border does not repeat: c b | a b c | b a. One element alone is all there is.
inline std::int64_t reflect(std::int64_t i, std::int64_t n) {
    if (n == 1)
        return 0;
    auto m = floor_mod(i, 2 * n - 2);
    return m < n ? m : 2 * n - 2 - m;
}

// a b c | a b c | a b c
inline std::int64_t wrap(std::int64_t i, std::int64_t n) { return floor_mod(i, n); }

} // namespace loopscope::reference
