#include "views/geometry/edge_labels.h"

#include "views/geometry/log_axes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace loopscope::views {

namespace {

constexpr std::size_t kManyLabels = 600; // above it labels stay at the middles of their edges
constexpr double kStep = 4;              // pixels between the points that stand for a curve
constexpr double kAside = 4;             // between an edge and its label
constexpr double kClear = 2;             // between a label and another edge

// What a place costs, so that the least evil is chosen.
constexpr double kCrossesEdge = 4, kCrossesBorder = 2, kLeavesPicture = 1.5, kFromMiddle = 2,
                 kOnTheLeft = 0.3;

// Shares of the edge's length, the middle first.
constexpr std::array<double, 9> kPlaces{0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82};

struct Passing {
    double y = 0, x = 0;
    std::size_t edge = 0;
};

class EdgeLabels {
public:
    EdgeLabels(const GraphDescription& description, GraphLayout& layout)
        : description_(description), layout_(layout) {
        taken_ = layout.nodes;
        for (std::size_t g = 0; g < layout.groups.size(); ++g) {
            const Rectangle& group = layout.groups[g];
            if (group.width <= 0)
                continue;
            const bool titled = g < layout.titles.size() && layout.titles[g].width > 0;
            taken_.push_back(
                titled ? layout.titles[g]
                       : Rectangle{group.x, group.y, group.width, description.group_title_height});
        }
        for (std::size_t e = 0; e < layout.edges.size(); ++e) {
            points_.push_back(points_along(layout.edges[e].curve, kStep));
            for (const Point& p : points_.back())
                passing_.push_back({p.y, p.x, e});
        }
        std::sort(passing_.begin(), passing_.end(),
                  [](const Passing& a, const Passing& b) { return a.y < b.y; });
    }

    void place() {
        std::vector<std::size_t> homeless;
        for (std::size_t e = 0; e < layout_.edges.size(); ++e) {
            if (description_.edges[e].label_width <= 0 || points_[e].size() < 2)
                continue;
            if (const auto best = best_place(e)) {
                layout_.edges[e].label = best->rectangle;
                layout_.edges[e].label_on_left = best->left;
                taken_.push_back(best->rectangle);
            } else {
                homeless.push_back(e);
            }
        }
        place_anywhere_near(homeless);
    }

private:
    struct Place {
        Rectangle rectangle;
        bool left = false;
    };

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

    std::optional<Place> best_place(std::size_t edge) const {
        std::optional<Place> best;
        double least = std::numeric_limits<double>::infinity();
        for (double share : kPlaces)
            for (bool left : {false, true}) {
                const Rectangle r = beside(edge, share, left);
                const bool free =
                    std::none_of(taken_.begin(), taken_.end(),
                                 [&](const Rectangle& other) { return r.overlaps(other); });
                if (!free)
                    continue;
                const double cost =
                    kFromMiddle * std::abs(share - 0.5) + (left ? kOnTheLeft : 0) + cost_of(r);
                if (cost < least) {
                    least = cost;
                    best = Place{r, left};
                }
            }
        return best;
    }

    double cost_of(const Rectangle& r) const {
        double cost = 0;
        std::set<std::size_t> crossed;
        const Rectangle near = r.grown(kClear);
        for (auto at = std::lower_bound(passing_.begin(), passing_.end(), near.y,
                                        [](const Passing& p, double y) { return p.y < y; });
             at != passing_.end() && at->y <= near.bottom(); ++at)
            if (at->x >= near.x && at->x <= near.right())
                crossed.insert(at->edge);
        cost += kCrossesEdge * static_cast<double>(crossed.size());
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
        for (const Rectangle& r : taken_)
            places.push_back({r, false, true});
        for (std::size_t e : edges)
            places.push_back({beside(e, 0.5, false), true, true});
        separate_labels(places, layout_.bounds.grown(40));
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (const PlacedLabel& place = places[taken_.size() + i]; place.shown) {
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
    std::vector<Rectangle> taken_;
    std::vector<std::vector<Point>> points_;
    std::vector<Passing> passing_; // by height
};

} // namespace

std::vector<Point> points_along(const std::vector<Point>& curve, double step) {
    std::vector<Point> out;
    for (std::size_t at = 0; at + 3 < curve.size(); at += 3) {
        double length = 0; // of the control polygon: the curve is no longer
        for (std::size_t i = at; i < at + 3; ++i)
            length += std::hypot(curve[i + 1].x - curve[i].x, curve[i + 1].y - curve[i].y);
        const int pieces = std::max(1, static_cast<int>(std::ceil(length / step)));
        for (int i = at == 0 ? 0 : 1; i <= pieces; ++i) {
            const double t = static_cast<double>(i) / pieces, s = 1 - t;
            auto blend = [&](double Point::* c) {
                return s * s * s * (curve[at].*c) + 3 * s * s * t * (curve[at + 1].*c) +
                       3 * s * t * t * (curve[at + 2].*c) + t * t * t * (curve[at + 3].*c);
            };
            out.push_back({blend(&Point::x), blend(&Point::y)});
        }
    }
    return out;
}

void place_edge_labels(const GraphDescription& description, GraphLayout& layout) {
    const auto labels =
        std::count_if(description.edges.begin(), description.edges.end(),
                      [](const GraphEdgeEnds& ends) { return ends.label_width > 0; });
    if (static_cast<std::size_t>(labels) <= kManyLabels) {
        EdgeLabels(description, layout).place();
        return;
    }
    for (std::size_t e = 0; e < layout.edges.size(); ++e) {
        const GraphEdgeEnds& ends = description.edges[e];
        const std::vector<Point> points = points_along(layout.edges[e].curve, kStep);
        if (ends.label_width <= 0 || points.empty())
            continue;
        const Point at = points[points.size() / 2];
        layout.edges[e].label = {at.x + kAside, at.y - ends.label_height / 2, ends.label_width,
                                 ends.label_height};
    }
}

} // namespace loopscope::views
