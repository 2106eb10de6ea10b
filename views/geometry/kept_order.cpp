#include "views/geometry/kept_order.h"

namespace loopscope::views {

namespace {

bool side_by_side(const Rectangle& a, const Rectangle& b) {
    return a.y < b.bottom() && b.y < a.bottom();
}

bool left_of(const Rectangle& a, const Rectangle& b) { return a.centre().x < b.centre().x; }

} // namespace

ChangedSides changed_sides(const GraphDescription& graph, const GraphLayout& layout) {
    ChangedSides changed;
    for (std::size_t a = 0; a < graph.stood.size(); ++a)
        for (std::size_t b = 0; graph.stood[a] && b < a; ++b) {
            if (!graph.stood[b])
                continue;
            const Rectangle &a_before = *graph.stood[a], &b_before = *graph.stood[b],
                            &a_now = layout.nodes[a], &b_now = layout.nodes[b];
            if (!side_by_side(a_before, b_before) || !side_by_side(a_now, b_now) ||
                left_of(a_before, b_before) == left_of(a_now, b_now))
                continue;
            ++(graph.nodes[a].group == graph.nodes[b].group ? changed.within : changed.between);
        }
    return changed;
}

GraphLayout mirrored(GraphLayout layout) {
    const double ends = layout.bounds.x + layout.bounds.right();
    for (auto* rectangles : {&layout.nodes, &layout.groups})
        for (Rectangle& r : *rectangles)
            r.x = ends - r.right();
    for (EdgeShape& edge : layout.edges)
        for (Point& p : edge.curve)
            p.x = ends - p.x;
    return layout;
}

} // namespace loopscope::views
