#pragma once
// Do accesses in a launch meet in one element, by different threads of one block? What barriers are
// for.

#include "compiler/lower/gpu/access_groups.h"

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::lower {

// How the two executions of accesses lie to each other.
struct Meeting {
    // Loops up to this many, counted from the outermost, are in the same iteration; nothing is
    // known of others.
    std::size_t same = 0;
    // The loop after those: the second access is in a later iteration; in the next one, if `next`.
    bool later = false, next = false;
};

// What was found out before, in one launch: of questions, by what they ask but for how far the
// accesses lie apart, whether there is such a pair at that distance.
struct ConflictAnswers {
    std::unordered_map<std::string, std::map<std::vector<std::int64_t>, bool>> asked;
};

// May an access of the first ones and one of the second ones, of which one writes, meet in one
// element in different threads? False is proven (point_set.h). Not proven within the quota on that,
// or not affine: true.
bool may_conflict(const AccessGroups& first, const AccessGroups& second, const Meeting& meeting,
                  const LaunchShape& shape, ConflictAnswers& answers);

} // namespace loopscope::lower
