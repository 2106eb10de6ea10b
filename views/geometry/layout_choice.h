#pragma once
// Which layout a graph gets, and whether a person can wait for it. Graphviz draws small graphs best
// and cannot be interrupted; what it takes grows with the nodes and with the rows that edges pass,
// for each of which it makes a node of its own. layered_layout.h takes some 10 ms for thousands.

#include "views/geometry/graph_layout.h"

namespace loopscope::views {

struct GraphExtent {
    std::size_t nodes = 0, edges = 0;
    std::size_t virtual_nodes = 0; // of all edges the rows that they pass between their ends
};

GraphExtent extent_of(const GraphDescription& graph);

enum class LayoutMethod { Graphviz, Layered };

struct LayoutChoice {
    LayoutMethod method = LayoutMethod::Graphviz;
    LayoutTime time = LayoutTime::Milliseconds;
};

LayoutChoice choose_layout(const GraphExtent& extent);

} // namespace loopscope::views
