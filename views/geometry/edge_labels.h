#pragma once
// Where the labels of edges stand: beside their own edge, on no node, title or other label, and where possible on no
// other edge.

#include "views/geometry/graph_layout.h"

namespace loopscope::views {

// Fills `label` of every edge that has one and a place for it.
void place_edge_labels(const GraphDescription& description, GraphLayout& layout);

// Points along a curve of 1 + 3n points, `step` pixels apart or closer.
std::vector<Point> points_along(const std::vector<Point>& curve, double step);

} // namespace loopscope::views
