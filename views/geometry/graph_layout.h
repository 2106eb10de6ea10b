#pragma once
// Layered layout of a pipeline's graph: nodes and edges in, rectangles and curves out. Up to 500 nodes by Graphviz, with one
// context for the whole process and one layout at a time; larger ones by layered_layout.h. Callable from any thread. 300
// nodes take about 15 ms by Graphviz, which is for a job when it is more.

#include "views/geometry/shapes.h"

#include <vector>

namespace loopscope::views {

struct GraphNodeSize {
    double width = 0, height = 0;
    int group = -1; // the enclosure that the node stands in; -1: none
    bool operator==(const GraphNodeSize&) const = default;
};

struct GraphEdgeEnds {
    int from = 0, to = 0;                     // indices of nodes
    double label_width = 0, label_height = 0; // 0: no label
    bool operator==(const GraphEdgeEnds&) const = default;
};

// Of an enclosure: the least is for what must be said where the whole has no room.
struct GraphTitle {
    double width = 0, least_width = 0;
    bool operator==(const GraphTitle&) const = default;
};

struct GraphDescription {
    std::vector<GraphNodeSize> nodes;
    std::vector<GraphEdgeEnds> edges;
    int groups = 0;
    double group_title_height = 18; // kept free above the nodes of an enclosure
    std::vector<GraphTitle> titles; // by enclosure; empty: there are none
    bool operator==(const GraphDescription&) const = default;
};

struct EdgeShape {
    std::vector<Point> curve;   // 1 + 3n points of cubic Bézier curves; empty: no route was found
    Rectangle label;            // of width 0 when there is none
    bool label_on_left = false; // of the curve
};

struct GraphLayout {
    Rectangle bounds;
    std::vector<Rectangle> nodes;
    std::vector<EdgeShape> edges;
    std::vector<Rectangle> groups; // of width 0 when no node stands in it
    std::vector<Rectangle> titles; // of the groups: beside the edges, where there is room
    bool ok = true; // false: Graphviz failed; nodes then stand in one column, without edges
};

GraphLayout layout_graph(const GraphDescription& graph);

// Whether the layout of one graph serves another: nodes and edges between them are the same, and what is written on them has
// room without much to spare. A graph then stays where it is while a person turns a factor.
bool has_room_for(const GraphDescription& laid_out, const GraphDescription& now);
// What is to be laid out for `now` after another one: of the same nodes and edges those that have room keep it, and those that
// have outgrown it get some to spare, for they are likely to grow on.
GraphDescription with_room(const GraphDescription& laid_out, GraphDescription now);

// Index of the node at a point; -1: none.
int node_at(const GraphLayout& layout, Point point);

} // namespace loopscope::views
