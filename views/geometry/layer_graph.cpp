#include "views/geometry/layer_graph.h"

#include "views/geometry/graph_ranks.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace loopscope::views {

namespace {

// Ports are no part of the longest paths: their rows are above and below all others.
void find_rows(LayerGraph& g) {
    const auto inner = [&g](int box) { return g.boxes[box].row == LayerBox::Row::Any; };
    const int count = static_cast<int>(g.boxes.size());
    std::vector<GraphLink> links;
    for (const LayerEdge& e : g.edges)
        if (inner(e.from) && inner(e.to))
            links.push_back({e.from, e.to});
    const bool entered = std::any_of(g.boxes.begin(), g.boxes.end(), [](const LayerBox& box) {
        return box.row == LayerBox::Row::First;
    });
    g.rank = graph_ranks(count, links);
    int last = -1;
    for (int b = 0; b < count; ++b)
        if (inner(b))
            last = std::max(last, g.rank[b] += entered);
    for (int b = 0; b < count; ++b) {
        if (!inner(b))
            g.rank[b] = g.boxes[b].row == LayerBox::Row::First ? 0 : last + 1;
        g.rows.resize(std::max(g.rows.size(), static_cast<std::size_t>(g.rank[b]) + 1));
        g.rows[g.rank[b]].push_back(b);
    }
}

void link_rows(LayerGraph& g) {
    g.above.resize(g.boxes.size());
    g.below.resize(g.boxes.size());
    g.trunk_of.assign(g.edges.size(), kNoTrunk);
    std::map<std::pair<int, int>, int> known; // by box and source
    for (std::size_t e = 0; e < g.edges.size(); ++e) {
        const auto [from, to, source] = g.edges[e];
        const bool up = g.upward(e);
        const int high = up ? to : from, low = up ? from : to, rows = g.rank[low] - g.rank[high];
        if (rows == 1) {
            g.below[high].push_back(low);
            g.above[low].push_back(high);
        }
        if (rows < 2)
            continue;
        const int fresh = static_cast<int>(g.trunks.size());
        const int trunk = up ? fresh : known.emplace(std::pair{from, source}, fresh).first->second;
        if (trunk == fresh)
            g.trunks.push_back({high, low, g.rank[high] + 1, g.rank[high] + 1});
        LayerTrunk& t = g.trunks[trunk];
        if (g.rank[low] - 1 > t.last_rank) {
            t.last_rank = g.rank[low] - 1;
            t.last = low;
        }
        g.trunk_of[e] = trunk;
    }
}

} // namespace

LayerGraph layer_graph(std::vector<LayerBox> boxes, std::vector<LayerEdge> edges,
                       LayoutWork& work) {
    LayerGraph g;
    if (!work.begin(boxes.size() + edges.size()))
        return g;
    g.boxes = std::move(boxes);
    g.edges = std::move(edges);
    find_rows(g);
    link_rows(g);
    return g;
}

} // namespace loopscope::views
