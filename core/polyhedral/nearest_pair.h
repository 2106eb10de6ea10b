#pragma once
// The nearest of the pairs of iterations that meet, found by looking at all of them: of the few
// iterations that indices in the arithmetic of a machine most often have, that is little work,
// where isl's search takes seconds.

#include "core/polyhedral/dependences.h"

namespace loopscope::polyhedral {

// Agrees in the nest's loops before `position`, and of the loop there the first iteration has
// another value than the second, or a greater one.
struct PairOrder {
    std::size_t position = 0;
    bool greater = false;
};

// Whether the query's iterations are few enough, and none of its forms depends on a free axis but
// by a multiple that both accesses have.
bool has_few_pairs(const DependenceQuery& query, const Access& first, const Access& second);

// The least, among all pairs of two affine accesses that meet in this order, of: the sum of the
// distances' magnitudes, the distance of each axis that is not free, then its value in the first
// iteration. nullopt: none meets. The query has few pairs.
std::optional<std::vector<std::int64_t>> nearest_pair(const DependenceQuery& query,
                                                      const Access& first, const Access& second,
                                                      const PairOrder& order);

} // namespace loopscope::polyhedral
