#pragma once
// A small generator of random numbers whose stream is the same everywhere: a seed reproduces a pair
// on any machine, and with any compiler as long as no expression draws twice where the language
// leaves the order open, as between operands of + and arguments of a call. Such draws have
// statements of their own; they go from the last to the first, as GCC once took them.

#include "core/base/hash.h"

#include <initializer_list>
#include <iterator>
#include <vector>

namespace loopscope::fuzz {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(combine(kHashSeed, seed)) {}

    std::uint64_t next() { return combine(state_, counter_++); }
    int below(int n) { return static_cast<int>(next() % static_cast<std::uint64_t>(n)); }
    int between(int low, int high) { return low + below(high - low + 1); } // both included
    bool chance(int percent) { return below(100) < percent; }
    template <typename List> const auto& pick(const List& from) {
        return *std::next(from.begin(), below(static_cast<int>(from.size())));
    }
    template <typename T> T pick(std::initializer_list<T> from) {
        return from.begin()[below(static_cast<int>(from.size()))];
    }

private:
    std::uint64_t state_;
    std::uint64_t counter_ = 0;
};

} // namespace loopscope::fuzz
