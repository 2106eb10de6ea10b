#pragma once
// What the values that a definition reads and computes decide: nothing, where they only enter arithmetic; or, where they are
// compared or address something, which of several values it gives, or which element gets it. A value that is off by a
// rounding then gives a result that no bound on the rounding holds.

#include "core/ir/pipeline.h"

#include <functional>

namespace loopscope::worker {

enum class Decides {
    Nothing,
    Choice, // under a comparison, a cast to bool or the index of a read; or what argmin and argmax choose from
    Place, // in the left side of an update or in a `where`: to which element a term goes, and whether it counts
};

// Calls `see` with every node of the definition's expressions and the most that it decides (with less before, perhaps, where
// a node is shared). Names of `let` are followed.
void visit_decisions(const Definition& definition,
                     const std::function<void(const Expr&, Decides)>& see);

} // namespace loopscope::worker
