#include "views/geometry/layers.h"

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr double kRowGap = 40, kPortGap = 24; // below a row; beside a row of ports
constexpr double kEntryPitch = 12,
                 kEntryRim = 10; // between arrows; between them and a box's corner

} // namespace

Layers::Layers(std::vector<LayerBox> boxes, std::vector<LayerEdge> edges, LayoutWork& work)
    : g_(layer_graph(std::move(boxes), std::move(edges), work)) {
    order_rows(g_, work);
    x_ = place_in_rows(g_, work);
    trunk_x_ = place_trunks(g_, x_, work);
    if (!work.begin(g_.boxes.size() + g_.edges.size()))
        return;
    stack_rows();
    spread_entries();
}

Rectangle Layers::box(int n) const {
    return {x_[n] - g_.boxes[n].width / 2, top_[g_.rank[n]], g_.boxes[n].width, g_.boxes[n].height};
}

void Layers::stack_rows() {
    double top = 0;
    for (const auto& row : g_.rows) {
        double height = 0;
        bool ports = false;
        for (int n : row) {
            height = std::max(height, g_.boxes[n].height);
            ports |= g_.boxes[n].row != LayerBox::Row::Any;
        }
        if (ports && !top_.empty())
            top += kPortGap - kRowGap;
        top_.push_back(top);
        height_.push_back(height);
        top += height + (ports ? kPortGap : kRowGap);
    }
    for (int n = 0; n < static_cast<int>(g_.boxes.size()); ++n)
        bounds_ = united(bounds_, box(n));
    for (std::size_t t = 0; t < g_.trunks.size(); ++t)
        bounds_ = united(bounds_, {trunk_x_[t], top_[g_.trunks[t].first_rank], 1, 1});
}

double Layers::origin(std::size_t edge) const {
    const int trunk = g_.trunk_of[edge];
    return trunk == kNoTrunk ? x_[g_.edges[edge].from] : trunk_x_[trunk];
}

// Arrows stand side by side, in the order in which they come; one from straight above stands in the
// middle.
void Layers::spread_entries() {
    entry_.resize(g_.edges.size());
    std::vector<std::vector<std::size_t>> entering(g_.boxes.size());
    for (std::size_t e = 0; e < g_.edges.size(); ++e) {
        entry_[e] = x_[g_.edges[e].to];
        if (!g_.upward(e))
            entering[g_.edges[e].to].push_back(e);
    }
    for (std::size_t box = 0; box < g_.boxes.size(); ++box) {
        auto& edges = entering[box];
        if (edges.size() < 2)
            continue;
        std::stable_sort(edges.begin(), edges.end(),
                         [this](std::size_t a, std::size_t b) { return origin(a) < origin(b); });
        const double last = static_cast<double>(edges.size()) - 1;
        double middle = last / 2;
        for (std::size_t i = 0; i < edges.size(); ++i)
            if (std::abs(origin(edges[i]) - x_[box]) < 1)
                middle = static_cast<double>(i);
        const double room = std::max(0.0, g_.boxes[box].width / 2 - kEntryRim);
        const double pitch = std::min(kEntryPitch, room / std::max(middle, last - middle));
        for (std::size_t i = 0; i < edges.size(); ++i)
            entry_[edges[i]] += (static_cast<double>(i) - middle) * pitch;
    }
}

LayerPath Layers::path(std::size_t edge, double from_x, double to_x) const {
    const auto [from, to, source] = g_.edges[edge];
    const bool up = g_.upward(edge);
    const int high = up ? to : from, low = up ? from : to;
    const double high_x = up ? to_x : from_x, low_x = up ? from_x : to_x;
    LayerPath path;
    const double bottom = box(high).bottom(), row = row_bottom(g_.rank[high]);
    path.points.push_back({high_x, bottom});
    if (g_.rank[high] == g_.rank[low]) { // within a row: only where a cycle was cut
        path.points.push_back({low_x, box(low).bottom()});
        return path;
    }
    if (row > bottom) // straight past what is taller in its row
        path.points.push_back({high_x, row});
    if (const int t = g_.trunk_of[edge]; t != kNoTrunk) {
        path.points.push_back({trunk_x_[t], top_[g_.trunks[t].first_rank]});
        const double leaves = row_bottom(g_.rank[low] - 1);
        if (leaves > path.points.back().y)
            path.points.push_back({trunk_x_[t], leaves});
        path.branch = path.points.size() - 1;
    }
    path.points.push_back({low_x, top_[g_.rank[low]]});
    if (up)
        std::reverse(path.points.begin(), path.points.end());
    return path;
}

} // namespace loopscope::views
