#pragma once
// What an access touches while its axes run over a box: the exact image, by isl. The judge of quick affine arithmetic
// (boxes and regions) in the tests; nothing on the path of an edit asks it.

#include "core/polyhedral/accesses.h"
#include "core/polyhedral/integer_sets.h"

#include <optional>
#include <vector>

namespace loopscope::polyhedral {

struct Footprint {
    std::vector<Interval>
        box; // the least box around the elements, per dimension; empty if nothing is touched
    std::optional<std::int64_t> elements; // how many are touched; nullopt: more than the limit
};

// `ranges`: one per axis of `accesses`, free ones included. The conditions of `accesses` hold at every point. nullopt: the
// access is not affine, or the quota was exhausted.
std::optional<Footprint> footprint(const Accesses& accesses, const Access& access,
                                   const std::vector<Interval>& ranges,
                                   std::int64_t count_limit = 100'000,
                                   unsigned long quota = 10 * kDefaultQuota);

} // namespace loopscope::polyhedral
