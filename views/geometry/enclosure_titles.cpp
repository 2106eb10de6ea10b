#include "views/geometry/enclosure_titles.h"

#include <algorithm>
#include <optional>

namespace loopscope::views {

namespace {

constexpr double kRim = 6; // between an enclosure's line and its title
constexpr double kGap = 5; // between a title and an edge
constexpr int kSteps = 12; // of a piece of a curve: it is nearly straight between two

struct Trace {
    std::vector<Point> points; // along an edge
    Rectangle bounds;
};

Trace trace(const EdgeShape& edge) {
    Trace out;
    for (std::size_t at = 0; at + 3 < edge.curve.size(); at += 3)
        for (int step = at == 0 ? 0 : 1; step <= kSteps; ++step) {
            const double t = static_cast<double>(step) / kSteps, s = 1 - t;
            auto blend = [&](double Point::* c) {
                return s * s * s * (edge.curve[at].*c) + 3 * s * s * t * (edge.curve[at + 1].*c) +
                       3 * s * t * t * (edge.curve[at + 2].*c) +
                       t * t * t * (edge.curve[at + 3].*c);
            };
            out.points.push_back({blend(&Point::x), blend(&Point::y)});
            out.bounds = united(out.bounds, {out.points.back().x, out.points.back().y, 0.5, 0.5});
        }
    return out;
}

struct Span {
    double from = 0, to = 0;
};

// What an edge covers of a line of text, from left to right.
std::optional<Span> span_in(const Trace& edge, const Rectangle& line) {
    if (!edge.bounds.overlaps(line))
        return std::nullopt;
    std::optional<Span> out;
    auto add = [&](double x) {
        out = out ? Span{std::min(out->from, x), std::max(out->to, x)} : Span{x, x};
    };
    for (std::size_t i = 1; i < edge.points.size(); ++i) {
        const Point &a = edge.points[i - 1], &b = edge.points[i];
        const double low = std::max(std::min(a.y, b.y), line.y),
                     high = std::min(std::max(a.y, b.y), line.bottom());
        if (low > high)
            continue;
        for (double y : {low, high})
            add(a.y == b.y ? a.x : a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
        if (a.y == b.y)
            add(b.x);
    }
    return out;
}

class Placer {
public:
    Placer(const GraphDescription& description, GraphLayout& layout)
        : description_(description), layout_(layout) {
        for (const EdgeShape& edge : layout.edges)
            traces_.push_back(trace(edge));
    }

    Rectangle place(std::size_t group) {
        const GraphTitle& title = description_.titles[group];
        if (const auto whole = beside_edges(group, title.width))
            return *whole;
        if (const auto part = beside_edges(group, title.least_width))
            return *part;
        // No room anywhere: over an edge, and cut where it is too long.
        const Rectangle& box = layout_.groups[group];
        return {box.x + kRim, box.y, std::min(title.width, box.width - 2 * kRim),
                description_.group_title_height};
    }

private:
    std::optional<Rectangle> beside_edges(std::size_t group, double width) {
        Rectangle& box = layout_.groups[group];
        const Rectangle line{box.x, box.y, box.width, description_.group_title_height};
        std::vector<Span> edges;
        for (const Trace& edge : traces_)
            if (const auto span = span_in(edge, line);
                span && span->to > box.x && span->from < box.right())
                edges.push_back({span->from - kGap, span->to + kGap});
        std::sort(edges.begin(), edges.end(),
                  [](const Span& a, const Span& b) { return a.from < b.from; });
        double from = box.x + kRim;
        for (const Span& edge : edges) {
            if (edge.from - from >= width)
                return Rectangle{from, line.y, width, line.height};
            from = std::max(from, edge.to);
        }
        const double end = box.right() - kRim;
        if (end - from >= width)
            return Rectangle{from, line.y, width, line.height};
        struct Side {
            double by = 0; // how much wider
            bool left = false;
        };
        std::vector<Side> sides{{width - (end - from), false}};
        if (!edges.empty())
            sides.push_back({width - (edges.front().from - box.x - kRim), true});
        std::sort(sides.begin(), sides.end(),
                  [](const Side& a, const Side& b) { return a.by < b.by; });
        for (const auto& [by, to_the_left] : sides) {
            const Rectangle more{to_the_left ? box.x - by : box.right(), box.y, by, box.height};
            if (!is_free(more, group))
                continue;
            box = united(box, more);
            layout_.bounds = united(layout_.bounds, box);
            return Rectangle{to_the_left ? box.x + kRim : from, line.y, width, line.height};
        }
        return std::nullopt;
    }

    bool is_free(const Rectangle& place, std::size_t group) const {
        const Rectangle wide = place.grown(kGap);
        for (std::size_t n = 0; n < layout_.nodes.size(); ++n)
            if (description_.nodes[n].group != static_cast<int>(group) &&
                wide.overlaps(layout_.nodes[n]))
                return false;
        for (std::size_t g = 0; g < layout_.groups.size(); ++g)
            if (g != group && layout_.groups[g].width > 0 && wide.overlaps(layout_.groups[g]))
                return false;
        return std::none_of(traces_.begin(), traces_.end(), [&](const Trace& edge) {
            return edge.bounds.overlaps(place) &&
                   std::any_of(edge.points.begin(), edge.points.end(),
                               [&](Point p) { return place.contains(p); });
        });
    }

    const GraphDescription& description_;
    GraphLayout& layout_;
    std::vector<Trace> traces_;
};

} // namespace

void place_titles(const GraphDescription& description, GraphLayout& layout) {
    layout.titles.assign(layout.groups.size(), {});
    if (description.titles.size() != layout.groups.size())
        return;
    Placer placer(description, layout);
    for (std::size_t g = 0; g < layout.groups.size(); ++g)
        if (layout.groups[g].width > 0)
            layout.titles[g] = placer.place(g);
}

} // namespace loopscope::views
