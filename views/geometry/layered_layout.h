#pragma once
// A layered layout for graphs that are too large for Graphviz to lay out while a person waits: Sugiyama's method in its
// plain form (Sugiyama, Tagawa, Toda 1981), ranks by longest path, a few sweeps of barycentres. Each enclosure is laid out
// by itself and takes part as one box, so that it holds its own nodes and no others. 2,500 nodes take some 10 ms.

#include "views/geometry/graph_layout.h"

namespace loopscope::views {

// Edges without labels' places: the caller sets them. Cycles are drawn with some edge upwards.
GraphLayout layered_layout(const GraphDescription& graph);

} // namespace loopscope::views
