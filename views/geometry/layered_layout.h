#pragma once
// A layered layout for graphs that Graphviz would take too long for (layout_choice.h): rows and
// trunks of layer_graph.h. Each enclosure is laid out by itself and takes part as one box, so that
// it holds its own nodes and no others; what comes in or goes out passes a port in its first or
// last row. Thousands of nodes take some 10 ms, however long their edges are.

#include "views/geometry/graph_layout.h"
#include "views/geometry/layout_work.h"

namespace loopscope::views {

// Edges without labels' places: the caller sets them. Cycles are drawn with some edge upwards.
// Empty where it was cancelled.
GraphLayout layered_layout(const GraphDescription& graph, LayoutWork& work);

} // namespace loopscope::views
