#pragma once
// Where the titles of enclosures stand: in their first line, beside the edges that run through it.

#include "views/geometry/graph_layout.h"

namespace loopscope::views {

// Fills `layout.titles`. An enclosure without room beside its edges is made wider, on a side where
// nothing stands.
void place_titles(const GraphDescription& description, GraphLayout& layout);

} // namespace loopscope::views
