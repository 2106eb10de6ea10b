#pragma once
// Marks of a schedule on the definitions of the pipeline, in the pipeline's own terms: a stage that
// rfactor made counts as the definition that it was made from; copies do not concern the reference.

#include "core/schedule/tree.h"

#include <set>
#include <string>
#include <utility>

namespace loopscope::worker {

using DefinitionSet = std::set<std::pair<std::string, int>>; // (stage, index of the definition)

struct Marks {
    // contract and fast_math. For a definition that rfactor divided: its first part, which has the
    // terms.
    DefinitionSet contracted;
    // float sums and products: what else is marked never depends on the order
    DefinitionSet reassociated;
    // fast_math, where the definition calls functions of the prelude; also what was inlined into
    // such a definition.
    DefinitionSet approximated;
};
Marks marks_of(const ScheduleTree& tree);

} // namespace loopscope::worker
