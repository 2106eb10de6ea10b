#pragma once
// How often a nest's body runs, with the iterations that its tails repeat or add.

#include "core/schedule/state.h"

#include <vector>

namespace loopscope {

// A nest over known extents, by the identity of a loop, which may since have been split or fused.
struct NestShape {
    std::vector<std::int64_t> extent;
    std::vector<bool> reduction; // runs over a reduction axis, or a part of one
    std::vector<Tail> used;      // by relation: what became of its tail

    bool divides(const Relation& split) const {
        return extent[static_cast<std::size_t>(split.parent)] % split.factor == 0;
    }
};

struct IterationCount {
    double count = 0;
    bool exact = true; // otherwise an upper bound
};

// Iterations that guards leave: of all loops, or without the reduction loops, as the initialisation
// runs.
IterationCount iteration_count(const DefinitionState& nest, const NestShape& shape,
                               bool reductions);

} // namespace loopscope
