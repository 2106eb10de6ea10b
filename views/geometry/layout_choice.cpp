#include "views/geometry/layout_choice.h"

#include "views/geometry/graph_ranks.h"

#include <cstdlib>

namespace loopscope::views {

namespace {

// Nodes, and nodes with all rows that edges go down. Of thousands of random graphs none up to the
// first pair took Graphviz more than 0.2 s, and none up to the second more than 35 ms. Beyond it
// takes seconds soon: a chain of 100 stages that all read one input has 5,300 rows, and takes 15 s.
constexpr std::size_t kMaxNodesForGraphviz = 300, kMaxRowsForGraphviz = 1500;
// Rows that edges pass, for each node and edge: where there are more, Graphviz' picture is one of
// long edges, and its nodes go astray among them; in the layered layout those from one node share a
// line.
constexpr std::size_t kMaxPassedForGraphviz = 3;
constexpr std::size_t kMaxNodesAtOnce = 100, kMaxRowsAtOnce = 700;
// Some sample graphs up to these took 1 to 3 ms.
constexpr std::size_t kMaxNodesInPassing = 30, kMaxRowsInPassing = 100;
// The layered layout's limit counts nodes and edges: the rows that an edge passes cost it nothing.
// 10 ms, most of it for labels, and 1.
constexpr std::size_t kMaxLayeredAtOnce = 500, kMaxLayeredInPassing = 150;

} // namespace

GraphExtent extent_of(const GraphDescription& graph) {
    std::vector<GraphLink> links;
    links.reserve(graph.edges.size());
    for (const GraphEdgeEnds& ends : graph.edges)
        links.push_back({ends.from, ends.to});
    const std::vector<int> rank = graph_ranks(static_cast<int>(graph.nodes.size()), links);
    GraphExtent extent{graph.nodes.size(), graph.edges.size(), 0};
    for (const auto& [from, to] : links)
        if (const int rows = std::abs(rank[to] - rank[from]); rows > 1)
            extent.virtual_nodes += static_cast<std::size_t>(rows) - 1;
    return extent;
}

LayoutChoice choose_layout(const GraphExtent& extent) {
    const std::size_t drawn = extent.nodes + extent.edges, rows = drawn + extent.virtual_nodes;
    if (extent.nodes <= kMaxNodesForGraphviz && rows <= kMaxRowsForGraphviz &&
        extent.virtual_nodes <= kMaxPassedForGraphviz * drawn)
        return {LayoutMethod::Graphviz,
                extent.nodes <= kMaxNodesInPassing && rows <= kMaxRowsInPassing
                    ? LayoutTime::Milliseconds
                : extent.nodes <= kMaxNodesAtOnce && rows <= kMaxRowsAtOnce ? LayoutTime::Hundredths
                                                                            : LayoutTime::Longer};
    return {LayoutMethod::Layered, drawn <= kMaxLayeredInPassing ? LayoutTime::Milliseconds
                                   : drawn <= kMaxLayeredAtOnce  ? LayoutTime::Hundredths
                                                                 : LayoutTime::Longer};
}

} // namespace loopscope::views
