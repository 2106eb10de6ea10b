#pragma once
// Layered layout of a pipeline's graph: nodes and edges in, rectangles and curves out. By Graphviz
// where that is quick, else by layered_layout.h: layout_choice.h decides. Callable from any thread.

#include "views/geometry/shapes.h"

#include <functional>
#include <optional>
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

// The width of an enclosure's title: the least is for what must be said where the whole does not
// fit.
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
    // By node, where it was before an edit, so that the edit moves none to the other side of
    // another; empty: nothing was there.
    std::vector<std::optional<Rectangle>> stood;
    bool operator==(const GraphDescription&) const = default;
};

struct EdgeShape {
    std::vector<Point> curve;   // 1 + 3n points of cubic Bézier curves; empty: no route was found
    Rectangle label;            // of width 0 when there is none
    bool label_on_left = false; // of the curve
    // Edges from one node may run together at first. Points of the curve: from here on it is told
    // from the others, and its label stands; from here on no edge that should be drawn with it has
    // drawn it already.
    std::size_t alone_from = 0, fresh_from = 0;
};

struct GraphLayout {
    Rectangle bounds;
    std::vector<Rectangle> nodes;
    std::vector<EdgeShape> edges;
    std::vector<Rectangle> groups; // of width 0 when no node stands in it
    std::vector<Rectangle> titles; // of the groups: beside the edges, where there is room
    bool ok = true; // false: Graphviz failed; nodes then stand in one column, without edges
};

// For a job: it may take a moment. Empty where `cancelled`, which is asked now and then, says that
// nobody wants it any more.
GraphLayout layout_graph(const GraphDescription& graph,
                         const std::function<bool()>& cancelled = {});
// What a layout may take: some milliseconds; some hundredths of a second, before which no window
// seems to stand still; or more.
enum class LayoutTime { Milliseconds, Hundredths, Longer };
// For who waits for it: nullopt where it could take more than `most`; it is then for a job.
std::optional<GraphLayout> layout_at_once(const GraphDescription& graph,
                                          LayoutTime most = LayoutTime::Hundredths);

// Whether the layout of one graph serves another: nodes and edges between them are the same, and
// what is written on them has room without much to spare. A graph then stays where it is while a
// person turns a factor.
bool has_room_for(const GraphDescription& laid_out, const GraphDescription& now);
// What is to be laid out for `now` after another one: of the same nodes and edges those that have
// room keep it, and those that have outgrown it get some to spare, for they are likely to grow on.
GraphDescription with_room(const GraphDescription& laid_out, GraphDescription now);

// Index of the node at a point; -1: none.
int node_at(const GraphLayout& layout, Point point);

} // namespace loopscope::views
