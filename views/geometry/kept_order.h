#pragma once
// Whether nodes are left of each other as they were before an edit. Graphviz takes no order from
// outside, and one node more may turn its whole picture round.

#include "views/geometry/graph_layout.h"

namespace loopscope::views {

// Pairs of nodes that stand side by side, as they did before, but the other way round.
struct ChangedSides {
    std::size_t within = 0;  // both in one enclosure, or both in none
    std::size_t between = 0; // where an enclosure forms, some of these cannot be helped
    auto operator<=>(const ChangedSides&) const = default;
};

ChangedSides changed_sides(const GraphDescription& graph, const GraphLayout& layout);

// Left is right; of a layout that has no labels and titles yet.
GraphLayout mirrored(GraphLayout layout);

} // namespace loopscope::views
