#include "views/geometry/edge_labels.h"

#include "views/geometry/log_axes.h"
#include "views/geometry/occupied.h"
#include "views/geometry/passing_edges.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace loopscope::views {

namespace {

// Above it labels stand at the middles of their edges, or not at all.
constexpr std::size_t kManyLabels = 600;
// Edges into one node: of more the labels would stand on each other's edges, and are left out with
// many labels.
constexpr int kMaxEntering = 12;
constexpr double kStep = 4;         // pixels between the points that stand for a curve
constexpr double kMaxPoints = 1000; // of a curve: of a longer one they are farther apart
constexpr double kAside = 4;        // between an edge and its label
constexpr double kClear = 2;        // between a label and another edge

// What a place costs, so that the least evil is chosen.
constexpr double kCrossesEdge = 4, kCrossesBorder = 2, kLeavesPicture = 1.5, kFromMiddle = 2,
                 kOnTheLeft = 0.3;

// Shares of the edge's length, the middle first.
constexpr std::array<double, 9> kPlaces{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82};

class EdgeLabels {
public:
    EdgeLabels(const GraphDescription& description, GraphLayout& layout)
        : description_(description), layout_(layout) {
        for (const Rectangle& node : layout.nodes)
            taken_.take(node);
        for (std::size_t g = 0; g < layout.groups.size(); ++g) {
            const Rectangle& group = layout.groups[g];
            if (group.width <= 0)
                continue;
            const bool titled = g < layout.titles.size() && layout.titles[g].width > 0;
            taken_.take(
                titled ? layout.titles[g]
                       : Rectangle{group.x, group.y, group.width, description.group_title_height});
        }
        points_.resize(layout.edges.size());
    }

    // Each where it costs least.
    void place_well(LayoutWork& work) {
        const PassingEdges passing(layout_.edges);
        std::vector<std::size_t> homeless;
        for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
            if (!work.begin(follow(e)))
                return;
            if (points_[e].size() < 2)
                continue;
            if (const auto best = best_place(e, passing))
                take(e, *best);
            else
                homeless.push_back(e);
        }
        if (work.begin(homeless.size()))
            place_anywhere_near(homeless);
    }

    // At the middles, where those are free.
    void place_quickly(LayoutWork& work) {
        std::vector<int> entering(layout_.nodes.size(), 0);
        for (const GraphEdgeEnds& ends : description_.edges)
            ++entering[ends.to];
        for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
            if (entering[description_.edges[e].to] > kMaxEntering)
                continue;
            if (!work.begin(follow(e)))
                return;
            if (points_[e].size() < 2)
                continue;
            for (bool left : {false, true})
                if (const Rectangle r = beside(e, 0.5, left); taken_.free(r)) {
                    take(e, {r, left});
                    break;
                }
            points_[e] = std::vector<Point>(); // gives back its memory
        }
    }

private:
    struct Place {
        Rectangle rectangle;
        bool left = false;
    };

    // Where the edge is alone, if it has a label; how many points that took.
    std::size_t follow(std::size_t edge) {
        const EdgeShape& shape = layout_.edges[edge];
        if (description_.edges[edge].label_width > 0)
            points_[edge] = points_along(
                shape.curve, std::max(kStep, length_of(shape.curve, shape.alone_from) / kMaxPoints),
                shape.alone_from);
        return points_[edge].size();
    }

    void take(std::size_t edge, const Place& place) {
        layout_.edges[edge].label = place.rectangle;
        layout_.edges[edge].label_on_left = place.left;
        taken_.take(place.rectangle);
    }

    Rectangle beside(std::size_t edge, double share, bool left) const {
        const GraphEdgeEnds& ends = description_.edges[edge];
        const std::vector<Point>& points = points_[edge];
        const Point at = points[static_cast<std::size_t>(
            std::lround(share * static_cast<double>(points.size() - 1)))];
        Rectangle r{at.x, at.y - ends.label_height / 2, ends.label_width, ends.label_height};
        // Beside all of the edge that passes at the label's height.
        double outermost = at.x;
        for (const Point& p : points)
            if (p.y >= r.y && p.y <= r.bottom())
                outermost = left ? std::min(outermost, p.x) : std::max(outermost, p.x);
        r.x = left ? outermost - kAside - r.width : outermost + kAside;
        return r;
    }

    std::optional<Place> best_place(std::size_t edge, const PassingEdges& passing) const {
        std::optional<Place> best;
        double least = std::numeric_limits<double>::infinity();
        for (double share : kPlaces)
            for (bool left : {false, true}) {
                const Rectangle r = beside(edge, share, left);
                if (!taken_.free(r))
                    continue;
                const double cost = kFromMiddle * std::abs(share - 0.5) + (left ? kOnTheLeft : 0) +
                                    cost_of(r, passing);
                if (cost < least) {
                    least = cost;
                    best = Place{r, left};
                }
            }
        return best;
    }

    double cost_of(const Rectangle& r, const PassingEdges& passing) const {
        double cost = kCrossesEdge * static_cast<double>(passing.through(r.grown(kClear)).size());
        for (const Rectangle& group : layout_.groups) {
            const bool inside = r.x >= group.x && r.right() <= group.right() && r.y >= group.y &&
                                r.bottom() <= group.bottom();
            if (group.width > 0 && r.overlaps(group) && !inside)
                cost += kCrossesBorder;
        }
        const Rectangle& all = layout_.bounds;
        if (r.x < all.x || r.right() > all.right())
            cost += kLeavesPicture;
        return cost;
    }

    // Between many nodes an edge may have no free place beside it.
    void place_anywhere_near(const std::vector<std::size_t>& edges) {
        std::vector<PlacedLabel> places;
        for (const Rectangle& r : taken_.all())
            places.push_back({r, false, true});
        for (std::size_t e : edges)
            places.push_back({beside(e, 0.5, false), true, true});
        separate_labels(places, layout_.bounds.grown(40));
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (const PlacedLabel& place = places[taken_.all().size() + i]; place.shown) {
                EdgeShape& edge = layout_.edges[edges[i]];
                edge.label = place.rectangle;
                const Point centre = edge.label.centre();
                const auto& points = points_[edges[i]];
                const auto near = std::min_element(
                    points.begin(), points.end(), [&](const Point& a, const Point& b) {
                        return std::abs(a.y - centre.y) < std::abs(b.y - centre.y);
                    });
                edge.label_on_left = centre.x < near->x;
            }
    }

    const GraphDescription& description_;
    GraphLayout& layout_;
    OccupiedPlaces taken_;
    std::vector<std::vector<Point>> points_; // of each edge with a label, where it is alone
};

} // namespace

void place_edge_labels(const GraphDescription& description, GraphLayout& layout, LayoutWork& work) {
    const auto labels =
        std::count_if(description.edges.begin(), description.edges.end(),
                      [](const GraphEdgeEnds& ends) { return ends.label_width > 0; });
    if (labels == 0)
        return;
    EdgeLabels edges(description, layout);
    if (static_cast<std::size_t>(labels) <= kManyLabels)
        edges.place_well(work);
    else
        edges.place_quickly(work);
}

} // namespace loopscope::views
