#pragma once
// What would take too long at every commit is tried in turns: a part of it, which differs from
// commit to commit as the seed of random cases does. LOOPSCOPE_EXHAUSTIVE=1 tries all of it.

#include "tests/support/random_run.h"

#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

namespace loopscope::test {

inline bool exhaustive() { return std::getenv("LOOPSCOPE_EXHAUSTIVE") != nullptr; }

// Every `parts`th number has its turn, others at the next commits.
inline bool has_turn(std::size_t number, std::size_t parts) {
    return exhaustive() || (number + RandomRun::first_seed()) % parts == 0;
}

// The one of `all` that has its turn for whatever is the `number`th; where all is tried, all.
template <typename T> std::vector<T> in_turn(std::vector<T> all, std::size_t number = 0) {
    if (exhaustive() || all.empty())
        return all;
    return {std::move(all[(number + RandomRun::first_seed()) % all.size()])};
}

// Those of `all` that have their turn, one of `parts`.
template <typename Range> auto turns_of(const Range& all, std::size_t parts) {
    std::vector<std::decay_t<decltype(*std::begin(all))>> chosen;
    std::size_t number = 0;
    for (const auto& one : all)
        if (has_turn(number++, parts))
            chosen.push_back(one);
    return chosen;
}

} // namespace loopscope::test
