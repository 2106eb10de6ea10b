#include "views/geometry/graphviz_layout.h"
#include "core/base/number_text.h"

#include <graphviz/cgraph.h>
#include <graphviz/gvc.h>

#include <mutex>
#include <string>

namespace loopscope::views {

namespace {

constexpr double kPointsPerInch = 72;

// Graphviz reads numbers by a point: it sets the locale "C" while it works.
std::string length_text(double value) { return fixed_text(value, 4); }

// Loading Graphviz's plugins takes longer than a layout, and its library keeps global state: one
// context, one user.
struct Context {
    std::mutex mutex;
    GVC_t* gvc = gvContext();
};
Context& context() {
    // never freed: layouts may still run in a job when statics are destroyed
    static auto* kept = new Context;
    return *kept;
}

void set(void* object, const char* attribute, const std::string& value) {
    agsafeset(object, const_cast<char*>(attribute), const_cast<char*>(value.c_str()),
              const_cast<char*>(""));
}

struct Built {
    Agraph_t* graph = nullptr;
    std::vector<Agnode_t*> nodes;
    std::vector<Agedge_t*> edges;
    std::vector<Agraph_t*> groups;
};

Built build(const GraphDescription& description) {
    Built b;
    b.graph = agopen(const_cast<char*>("pipeline"), Agdirected, nullptr);
    set(b.graph, "rankdir", "TB");
    set(b.graph, "nodesep", length_text(18 / kPointsPerInch));
    // Between two enclosures stand the lower one's title and its margin.
    const double titles = description.groups > 0 ? description.group_title_height : 0;
    set(b.graph, "ranksep", length_text((34 + titles) / kPointsPerInch));
    set(b.graph, "splines", "true");
    for (int g = 0; g < description.groups; ++g) {
        b.groups.push_back(
            agsubg(b.graph, const_cast<char*>(("cluster" + std::to_string(g)).c_str()), 1));
        set(b.groups.back(), "margin", "12");
    }
    for (std::size_t n = 0; n < description.nodes.size(); ++n) {
        const GraphNodeSize& size = description.nodes[n];
        Agnode_t* node = agnode(b.graph, const_cast<char*>(("n" + std::to_string(n)).c_str()), 1);
        set(node, "shape", "box");
        set(node, "fixedsize", "true");
        set(node, "label", "");
        set(node, "width", length_text(size.width / kPointsPerInch));
        set(node, "height", length_text(size.height / kPointsPerInch));
        if (size.group >= 0 && size.group < description.groups)
            agsubnode(b.groups[size.group], node, 1);
        b.nodes.push_back(node);
    }
    for (std::size_t e = 0; e < description.edges.size(); ++e) {
        const GraphEdgeEnds& ends = description.edges[e];
        Agedge_t* edge = agedge(b.graph, b.nodes[ends.from], b.nodes[ends.to],
                                const_cast<char*>(("e" + std::to_string(e)).c_str()), 1);
        set(edge, "arrowhead", "none");
        b.edges.push_back(edge);
    }
    return b;
}

GraphLayout read(const GraphDescription& description, const Built& built) {
    GraphLayout out;
    const boxf box = GD_bb(built.graph);
    auto flip = [&](pointf p) { return Point{p.x - box.LL.x, box.UR.y - p.y}; };
    for (std::size_t n = 0; n < built.nodes.size(); ++n) {
        const Point centre = flip(ND_coord(built.nodes[n]));
        const GraphNodeSize& size = description.nodes[n];
        out.nodes.push_back(
            {centre.x - size.width / 2, centre.y - size.height / 2, size.width, size.height});
        out.bounds = united(out.bounds, out.nodes.back());
    }
    for (Agraph_t* group : built.groups) {
        if (agnnodes(group) == 0) {
            out.groups.push_back({});
            continue;
        }
        const boxf g = GD_bb(group);
        const Point top_left = flip({g.LL.x, g.UR.y});
        Rectangle r{top_left.x, top_left.y, g.UR.x - g.LL.x, g.UR.y - g.LL.y};
        r.y -= description.group_title_height - 8;
        r.height += description.group_title_height - 8;
        out.groups.push_back(r);
        out.bounds = united(out.bounds, r);
    }
    for (Agedge_t* edge : built.edges) {
        EdgeShape shape;
        if (const splines* route = ED_spl(edge); route && route->size > 0) {
            const bezier& b = route->list[0];
            for (int i = 0; i < b.size; ++i) {
                shape.curve.push_back(flip(b.list[i]));
                const Point p = shape.curve.back();
                out.bounds = united(out.bounds, {p.x, p.y, 0.5, 0.5});
            }
        }
        out.edges.push_back(std::move(shape));
    }
    return out;
}

GraphLayout one_column(const GraphDescription& description) {
    GraphLayout out;
    out.ok = false;
    double y = 0;
    for (const GraphNodeSize& size : description.nodes) {
        out.nodes.push_back({0, y, size.width, size.height});
        out.bounds = united(out.bounds, out.nodes.back());
        y += size.height + 16;
    }
    out.edges.resize(description.edges.size());
    out.groups.resize(description.groups);
    out.titles.resize(description.groups);
    return out;
}

} // namespace

// Set once, when the context is made.
std::string graphviz_version() { return gvcVersion(context().gvc); }

std::optional<GraphLayout> graphviz_layout(const GraphDescription& description, LayoutWork& work,
                                           GraphvizBusy busy) {
    Context& graphviz = context();
    std::unique_lock lock(graphviz.mutex, std::defer_lock);
    if (busy == GraphvizBusy::Wait)
        lock.lock();
    else if (!lock.try_lock())
        return std::nullopt;
    if (!work.begin(description.nodes.size() + description.edges.size()))
        return GraphLayout{};
    const Built built = build(description);
    GraphLayout out;
    if (graphviz.gvc && gvLayout(graphviz.gvc, built.graph, "dot") == 0) {
        out = read(description, built);
        gvFreeLayout(graphviz.gvc, built.graph);
    } else {
        out = one_column(description);
    }
    agclose(built.graph);
    return out;
}

} // namespace loopscope::views
