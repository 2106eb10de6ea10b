#pragma once
// Where the names of points stand: beside them, apart from each other and from all points, and
// within bounds; a line leads to one that had to move away.

#include "views/geometry/shapes.h"

#include <optional>
#include <utility>
#include <vector>

namespace loopscope::views {

using Segment = std::pair<Point, Point>;

bool crosses(const Segment& line, const Rectangle& rectangle);
// Rectangles that cover a strip of this thickness along the line: of one that runs aslant many
// small ones, which leave the room beside it free.
std::vector<Rectangle> strip_along(const Segment& line, double thickness);

struct PointLabel {
    Point at;                     // of the point
    double radius = 0;            // of its mark
    double width = 0, height = 0; // of the text
    double reach = 0;             // how far from the mark it may stand
};

struct LabelPlace {
    Rectangle text;
    std::optional<Segment> leader = {}; // from the mark to the text; nothing: it stands beside it
};

// Order is importance: earlier ones stand nearer. `marks`: of all points, with names or without.
// `texts`: of others, that stand already. Nothing: there is no room within its reach.
std::vector<std::optional<LabelPlace>> place_point_labels(const std::vector<PointLabel>& labels,
                                                          const std::vector<Rectangle>& marks,
                                                          const Rectangle& bounds,
                                                          std::vector<Rectangle> texts = {});

} // namespace loopscope::views
