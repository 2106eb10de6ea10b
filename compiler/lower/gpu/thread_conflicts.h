#pragma once
// Finds accesses of a launch that meet in one element, by different threads of one block: what
// barriers are for.

#include "compiler/lower/gpu/access_groups.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::lower {

// How the executions of two accesses lie to each other.
struct Meeting {
    // Loops up to this many, counted from the outermost, are in the same iteration; nothing is
    // known of others.
    std::size_t same = 0;
    // The loop after those: the second access is in a later iteration; in the next one, if `next`.
    bool later = false, next = false;
};

// Answers found before in one launch: for each question, as it is but for how far the accesses lie
// apart, whether there is such a pair at a distance.
struct ConflictAnswers {
    std::unordered_map<std::string, std::map<std::vector<std::int64_t>, bool>> asked;
};

// May one of the first accesses and one of the second, at least one of them writing, touch one
// element in different threads? False is proven (point_set.h). True where it is not proven within
// the quota, or not affine.
bool may_conflict(const AccessGroups& first, const AccessGroups& second, const Meeting& meeting,
                  const LaunchShape& shape, ConflictAnswers& answers);

} // namespace loopscope::lower
