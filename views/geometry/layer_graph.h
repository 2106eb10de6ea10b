#pragma once
// A flat graph in rows, as Sugiyama's method takes it (Sugiyama, Tagawa, Toda 1981), but for long
// edges: those from one node that go down more than one row share a trunk, one upright line with a
// branch to each reader. Rows are sorted and placed without trunks; these then run where room is
// left, each in memory that does not depend on how many rows it passes.

#include "views/geometry/layout_work.h"

#include <optional>
#include <vector>

namespace loopscope::views {

struct LayerBox {
    double width = 0, height = 0;
    enum class Row {
        Any,
        First,
        // an enclosure's ports: its first and last row
        Last
    } row = Row::Any;
    // its middle before an edit: those that have one keep their order
    std::optional<double> stood = {};
};

struct LayerEdge {
    int from = 0, to = 0;
    int source = 0; // edges from one box share a trunk if they are of one source
};

struct LayerTrunk {
    int from = 0, last = 0;            // where it comes from; its farthest reader
    int first_rank = 0, last_rank = 0; // the rows that it passes
};

constexpr int kNoTrunk = -1;

struct LayerGraph {
    std::vector<LayerBox> boxes;
    std::vector<LayerEdge> edges;
    std::vector<int> rank;
    std::vector<std::vector<int>> above, below; // boxes in the next rows that a box is linked with
    std::vector<std::vector<int>> rows;         // from left to right
    std::vector<LayerTrunk> trunks;
    std::vector<int> trunk_of; // of each edge; kNoTrunk: between neighbouring rows, or within one
    bool upward(std::size_t edge) const { return rank[edges[edge].to] < rank[edges[edge].from]; }
};

LayerGraph layer_graph(std::vector<LayerBox> boxes, std::vector<LayerEdge> edges, LayoutWork& work);

// Sorts every row so that few links cross.
void order_rows(LayerGraph& graph, LayoutWork& work);

// The middle of each box, rows as they are sorted; chains are straight where they can be.
std::vector<double> place_in_rows(const LayerGraph& graph, LayoutWork& work);

// Where each trunk runs: on no box, and on no other trunk.
std::vector<double> place_trunks(const LayerGraph& graph, const std::vector<double>& middles,
                                 LayoutWork& work);

} // namespace loopscope::views
