#pragma once
// Where the labels of edges stand: beside their own edge, on no node, title or other label, and
// where possible on no other edge.

#include "views/geometry/graph_layout.h"
#include "views/geometry/layout_work.h"

namespace loopscope::views {

// Fills `label` of every edge that has one and a place for it, where it is alone.
void place_edge_labels(const GraphDescription& description, GraphLayout& layout, LayoutWork& work);

} // namespace loopscope::views
