#pragma once
// What runs of random cases may count on, whatever their seed.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace loopscope::test {

// The fewest cases of a kind that chance leaves, where each of `cases` is of it with the
// probability `share`: so few come once in three million runs (five standard deviations). Fewer
// tell that something else draws, or refuses, than when the share was measured.
inline std::int64_t fewest(std::int64_t cases, double share) {
    const auto all = static_cast<double>(cases);
    const auto deviation = std::sqrt(all * share * (1 - share));
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(all * share - 5 * deviation));
}

} // namespace loopscope::test
