#pragma once
// Which edges run through a rectangle: of a picture with many edges, without looking at all of
// them.

#include "views/geometry/graph_layout.h"

#include <set>

namespace loopscope::views {

class PassingEdges {
public:
    explicit PassingEdges(const std::vector<EdgeShape>& edges);
    // what several share is the first one's
    std::set<std::size_t> through(const Rectangle& place) const;

private:
    struct Passing {  // a point of an edge
        int band = 0; // of heights
        double x = 0, y = 0;
        std::size_t edge = 0;
    };
    struct Upright { // a straight part of an edge
        double x = 0, from = 0, to = 0;
        std::size_t edge = 0;
    };
    std::vector<Passing> points_;   // by band, then by x
    std::vector<Upright> uprights_; // by x
};

// Points along a curve of 1 + 3n points from its point `from` on, `step` pixels apart or closer; no
// less than its length.
std::vector<Point> points_along(const std::vector<Point>& curve, double step, std::size_t from = 0);
double length_of(const std::vector<Point>& curve, std::size_t from = 0);

} // namespace loopscope::views
