#pragma once
// What would take too long at every commit is tried in turns: a part of it, which differs from
// commit to commit as the seed of random cases does. LOOPSCOPE_EXHAUSTIVE=1 tries all of it.

#include "tests/support/random_run.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace loopscope::test {

inline bool exhaustive() { return std::getenv("LOOPSCOPE_EXHAUSTIVE") != nullptr; }

// The commit's number for `what` has turns. Turns within others name themselves: by one number for
// both, what has its turn would meet the same part of the other at each of its turns.
inline std::size_t number_of_commit(std::string_view what) {
    auto number = RandomRun::first_seed();
    for (const char c : what)
        number = (number ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return static_cast<std::size_t>(what.empty() ? number : number >> 32);
}

// Every `parts`th number has its turn, others at the next commits.
inline bool has_turn(std::size_t number, std::size_t parts, std::string_view what = {}) {
    return exhaustive() || (number + number_of_commit(what)) % parts == 0;
}

// The one of `all` that has its turn for whatever is the `number`th; where all is tried, all.
template <typename T>
std::vector<T> in_turn(std::vector<T> all, std::size_t number = 0, std::string_view what = {}) {
    if (exhaustive() || all.empty())
        return all;
    return {std::move(all[(number + number_of_commit(what)) % all.size()])};
}

// Those of `all` that have their turn, every `parts`th: as the parameters of a suite.
template <typename T> std::vector<T> part_in_turn(const std::vector<T>& all, std::size_t parts) {
    std::vector<T> out;
    for (std::size_t number = 0; number < all.size(); ++number)
        if (has_turn(number, parts))
            out.push_back(all[number]);
    return out;
}

} // namespace loopscope::test

// Begins a test that has turns by itself: `number` is its place among the `parts`.
#define LOOPSCOPE_TEST_IN_TURN(number, parts)                                                      \
    if (!::loopscope::test::has_turn(number, parts))                                               \
    GTEST_SKIP() << "has its turn at other commits; LOOPSCOPE_EXHAUSTIVE=1 tries all"
