#include "views/geometry/passing_edges.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace loopscope::views {

namespace {

constexpr double kPointDistance = 4, kBandHeight = 16; // pixels
constexpr double kMaxPassing = 100000; // points: where edges are longer they are farther apart

int band_of(double y) { return static_cast<int>(std::floor(y / kBandHeight)); }

// The length of the control polygon of the piece of a curve that begins at a point: the curve is no
// longer.
double piece_length(const std::vector<Point>& curve, std::size_t at) {
    double length = 0;
    for (std::size_t i = at; i < at + 3; ++i)
        length += std::hypot(curve[i + 1].x - curve[i].x, curve[i + 1].y - curve[i].y);
    return length;
}

bool is_upright(const std::vector<Point>& curve, std::size_t at) {
    return curve[at].x == curve[at + 3].x && curve[at + 1].x == curve[at].x &&
           curve[at + 2].x == curve[at].x;
}

void append_piece(const std::vector<Point>& curve, std::size_t at, double step, bool first,
                  std::vector<Point>& out) {
    const int pieces = std::max(1, static_cast<int>(std::ceil(piece_length(curve, at) / step)));
    for (int i = first ? 0 : 1; i <= pieces; ++i) {
        const double t = static_cast<double>(i) / pieces, s = 1 - t;
        auto blend = [&](double Point::* c) {
            return s * s * s * (curve[at].*c) + 3 * s * s * t * (curve[at + 1].*c) +
                   3 * s * t * t * (curve[at + 2].*c) + t * t * t * (curve[at + 3].*c);
        };
        out.push_back({blend(&Point::x), blend(&Point::y)});
    }
}

} // namespace

PassingEdges::PassingEdges(const std::vector<EdgeShape>& edges) {
    const auto each_piece = [&edges](const auto& visit) {
        for (std::size_t e = 0; e < edges.size(); ++e)
            for (std::size_t at = edges[e].fresh_from; at + 3 < edges[e].curve.size(); at += 3)
                visit(e, edges[e].curve, at);
    };
    double length = 0;
    each_piece([&](std::size_t e, const std::vector<Point>& curve, std::size_t at) {
        const auto [low, high] = std::minmax(curve[at].y, curve[at + 3].y);
        if (is_upright(curve, at))
            uprights_.push_back({curve[at].x, low, high, e});
        else
            length += piece_length(curve, at);
    });
    const double step = std::max(kPointDistance, length / kMaxPassing);
    std::vector<Point> piece;
    each_piece([&](std::size_t e, const std::vector<Point>& curve, std::size_t at) {
        piece.clear();
        if (!is_upright(curve, at))
            append_piece(curve, at, step, true, piece);
        for (const Point& p : piece)
            points_.push_back({band_of(p.y), p.x, p.y, e});
    });
    std::sort(points_.begin(), points_.end(), [](const Passing& a, const Passing& b) {
        return std::tie(a.band, a.x) < std::tie(b.band, b.x);
    });
    std::sort(uprights_.begin(), uprights_.end(),
              [](const Upright& a, const Upright& b) { return a.x < b.x; });
}

std::set<std::size_t> PassingEdges::through(const Rectangle& place) const {
    std::set<std::size_t> edges;
    for (int band = band_of(place.y); band <= band_of(place.bottom()); ++band)
        for (auto at = std::lower_bound(points_.begin(), points_.end(), std::pair{band, place.x},
                                        [](const Passing& p, const std::pair<int, double>& from) {
                                            return std::tie(p.band, p.x) <
                                                   std::tie(from.first, from.second);
                                        });
             at != points_.end() && at->band == band && at->x <= place.right(); ++at)
            if (at->y >= place.y && at->y <= place.bottom())
                edges.insert(at->edge);
    for (auto at = std::lower_bound(uprights_.begin(), uprights_.end(), place.x,
                                    [](const Upright& u, double x) { return u.x < x; });
         at != uprights_.end() && at->x <= place.right(); ++at)
        if (at->from <= place.bottom() && at->to >= place.y)
            edges.insert(at->edge);
    return edges;
}

double length_of(const std::vector<Point>& curve, std::size_t from) {
    double length = 0;
    for (std::size_t at = from; at + 3 < curve.size(); at += 3)
        length += piece_length(curve, at);
    return length;
}

std::vector<Point> points_along(const std::vector<Point>& curve, double step, std::size_t from) {
    std::vector<Point> out;
    for (std::size_t at = from; at + 3 < curve.size(); at += 3)
        append_piece(curve, at, step, at == from, out);
    return out;
}

} // namespace loopscope::views
