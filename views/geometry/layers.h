#pragma once
// A flat graph laid out in rows (layer_graph.h): where its boxes are, and how its edges run between
// them.

#include "views/geometry/layer_graph.h"
#include "views/geometry/shapes.h"

namespace loopscope::views {

// From above downwards, through the trunk where there is one; the other way round of an edge that
// closes a cycle.
struct LayerPath {
    std::vector<Point> points;
    // the point where it leaves its trunk; 0: it has none, or shares it with nobody
    std::size_t branch = 0;
};

class Layers {
public:
    // Where work was cancelled, nothing else may be asked.
    Layers(std::vector<LayerBox> boxes, std::vector<LayerEdge> edges, LayoutWork& work);

    Rectangle box(int n) const;
    Rectangle bounds() const { return bounds_; }
    double entry(std::size_t edge) const { return entry_[edge]; } // where it should meet its box
    LayerPath path(std::size_t edge, double from_x, double to_x) const;
    int trunk(std::size_t edge) const { return g_.trunk_of[edge]; } // kNoTrunk: none
    bool downward(std::size_t edge) const {                         // false: it closes a cycle
        return g_.rank[g_.edges[edge].from] < g_.rank[g_.edges[edge].to];
    }
    std::size_t trunks() const { return g_.trunks.size(); }

private:
    void stack_rows();
    void spread_entries();
    double row_bottom(int rank) const { return top_[rank] + height_[rank]; }
    double origin(std::size_t edge) const;

    LayerGraph g_;
    std::vector<double> x_;            // the middle of each box
    std::vector<double> top_, height_; // of each row
    std::vector<double> trunk_x_, entry_;
    Rectangle bounds_;
};

} // namespace loopscope::views
