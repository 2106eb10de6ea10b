#include "views/geometry/layered_layout.h"

#include "views/geometry/layers.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace loopscope::views {

namespace {

constexpr double kEnclosureMargin = 12, kPortWidth = 8;

// A smooth curve through the points, its tangents upright.
std::vector<Point> curve_through(const std::vector<Point>& points) {
    std::vector<Point> curve{points.front()};
    for (std::size_t i = 1; i < points.size(); ++i) {
        const Point a = points[i - 1], b = points[i];
        const double lift = (b.y - a.y) * 0.4;
        curve.push_back({a.x, a.y + lift});
        curve.push_back({b.x, b.y - lift});
        curve.push_back(b);
    }
    return curve;
}

// A flat graph that is laid out by itself: the inside of an enclosure, or the whole with enclosures
// as boxes.
struct FlatGraph {
    std::vector<LayerBox> boxes;
    std::vector<LayerEdge> edges;
    std::optional<Layers> layers;
    Point moved;                               // by how much it was, as a whole
    std::vector<bool> edge_drawn, trunk_drawn; // by edges of the graph that were routed before

    int add(const LayerBox& box) {
        boxes.push_back(box);
        return static_cast<int>(boxes.size()) - 1;
    }
    int join(int from, int to, int source) {
        edges.push_back({from, to, source});
        return static_cast<int>(edges.size()) - 1;
    }
    bool lay_out(LayoutWork& work) {
        layers.emplace(boxes, edges, work);
        if (work.cancelled())
            return false;
        edge_drawn.assign(edges.size(), false);
        trunk_drawn.assign(layers->trunks(), false);
        return true;
    }
    double middle(int box) const { return layers->box(box).centre().x + moved.x; }
};

// What an edge of the graph runs along, in order: out of its enclosure, across the whole, into
// another one. -1: not at all.
struct Legs {
    int leave = -1, across = -1, arrive = -1; // edges of flat graphs
    int exit = -1, entry = -1;                // the ports between them
};

class LayeredComposer {
public:
    LayeredComposer(const GraphDescription& graph, LayoutWork& work)
        : graph_(graph), work_(work), inside_(std::max(0, graph.groups)) {}

    GraphLayout compose() {
        make_boxes();
        make_legs();
        GraphLayout out;
        if (!lay_out_enclosures(out) || !lay_out_whole(out) || !work_.begin(graph_.edges.size()))
            return {};
        out.edges.resize(graph_.edges.size());
        route(out);
        for (const EdgeShape& edge : out.edges)
            for (const Point& p : edge.curve)
                out.bounds = united(out.bounds, {p.x, p.y, 0.5, 0.5});
        return out;
    }

private:
    int group_of(int node) const {
        const int group = graph_.nodes[node].group;
        return group < graph_.groups ? group : -1;
    }

    std::optional<double> stood(std::size_t node) const {
        if (node >= graph_.stood.size() || !graph_.stood[node])
            return std::nullopt;
        return graph_.stood[node]->centre().x;
    }

    // A box of the whole is a node without enclosure, or an enclosure.
    void make_boxes() {
        box_of_group_.assign(inside_.size(), -1);
        for (const GraphNodeSize& node : graph_.nodes) {
            const std::size_t n = number_.size();
            const int group = group_of(static_cast<int>(n));
            const LayerBox box{node.width, node.height, LayerBox::Row::Any, stood(n)};
            if (group < 0) {
                number_.push_back(whole_.add(box));
                box_of_.push_back(number_.back());
                continue;
            }
            if (box_of_group_[group] < 0)
                box_of_group_[group] = whole_.add({});
            number_.push_back(inside_[group].add(box));
            box_of_.push_back(box_of_group_[group]);
        }
    }

    // All readers in one enclosure get what they read through one port, and what leaves one leaves
    // it once.
    void make_legs() {
        std::map<int, Legs> leaving;                      // by node
        std::map<std::pair<int, int>, int> across, entry; // by node and box
        for (const GraphEdgeEnds& ends : graph_.edges) {
            const int from = ends.from, to = ends.to, out_of = group_of(from), into = group_of(to);
            Legs legs;
            if (out_of >= 0 && out_of == into) {
                legs.arrive = inside_[into].join(number_[from], number_[to], number_[from]);
                legs_.push_back(legs);
                continue;
            }
            if (out_of >= 0) {
                const auto [known, fresh] = leaving.emplace(from, Legs{});
                if (fresh) {
                    known->second.exit = inside_[out_of].add({kPortWidth, 0, LayerBox::Row::Last});
                    known->second.leave =
                        inside_[out_of].join(number_[from], known->second.exit, number_[from]);
                }
                legs = known->second;
            }
            const auto [link, fresh] = across.emplace(std::pair{from, box_of_[to]}, -1);
            if (fresh)
                link->second = whole_.join(box_of_[from], box_of_[to], from);
            legs.across = link->second;
            if (into >= 0) {
                const auto [port, first] = entry.emplace(std::pair{from, box_of_[to]}, -1);
                if (first)
                    port->second = inside_[into].add({kPortWidth, 0, LayerBox::Row::First});
                legs.entry = port->second;
                legs.arrive = inside_[into].join(legs.entry, number_[to], legs.entry);
            }
            legs_.push_back(legs);
        }
    }

    bool lay_out_enclosures(GraphLayout& out) {
        out.groups.resize(inside_.size());
        for (std::size_t g = 0; g < inside_.size(); ++g) {
            if (inside_[g].boxes.empty())
                continue;
            if (!inside_[g].lay_out(work_))
                return false;
            Rectangle& r = out.groups[g] = inside_[g].layers->bounds().grown(kEnclosureMargin);
            r.y -= graph_.group_title_height;
            r.height += graph_.group_title_height;
            whole_.boxes[box_of_group_[g]] = {r.width, r.height, LayerBox::Row::Any,
                                              middle_of(inside_[g].boxes)};
        }
        return true;
    }

    // Of all that stood somewhere before: where their enclosure belongs.
    static std::optional<double> middle_of(const std::vector<LayerBox>& boxes) {
        double sum = 0;
        int known = 0;
        for (const LayerBox& box : boxes)
            if (box.stood) {
                sum += *box.stood;
                ++known;
            }
        return known > 0 ? std::optional(sum / known) : std::nullopt;
    }

    bool lay_out_whole(GraphLayout& out) {
        if (!whole_.lay_out(work_))
            return false;
        for (std::size_t g = 0; g < inside_.size(); ++g)
            if (box_of_group_[g] >= 0) {
                const Rectangle place = whole_.layers->box(box_of_group_[g]);
                inside_[g].moved = {place.x - out.groups[g].x, place.y - out.groups[g].y};
                out.groups[g] = place;
                out.bounds = united(out.bounds, place);
            }
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            const int group = group_of(static_cast<int>(n));
            const FlatGraph& flat = group >= 0 ? inside_[group] : whole_;
            Rectangle r = flat.layers->box(number_[n]);
            r.x += flat.moved.x;
            r.y += flat.moved.y;
            out.nodes.push_back(r);
            out.bounds = united(out.bounds, r);
        }
        return true;
    }

    // ---- routes ---------------------------------------------------------------------------------

    // The farthest reader first: it draws the whole of each trunk.
    void route(GraphLayout& out) {
        std::vector<std::size_t> order(legs_.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            return out.nodes[graph_.edges[a].to].y > out.nodes[graph_.edges[b].to].y;
        });
        for (std::size_t e : order)
            out.edges[e] = shape(e, out);
    }

    struct Leg {
        FlatGraph* flat;
        int edge;
        LayerPath path;
    };

    // What the edge runs along, in order.
    std::vector<Leg> walk(std::size_t e, const GraphLayout& out) {
        const Legs& legs = legs_[e];
        const auto [from, to] = std::pair{graph_.edges[e].from, graph_.edges[e].to};
        std::vector<Leg> way;
        double x = out.nodes[from].centre().x;
        const auto pass = [&](FlatGraph& flat, int edge, double to_x) {
            way.push_back(
                {&flat, edge, flat.layers->path(edge, x - flat.moved.x, to_x - flat.moved.x)});
            x = to_x;
        };
        if (closes_cycle(e)) {
            pass(whole_, legs.across, out.nodes[to].centre().x);
            return way;
        }
        if (legs.leave >= 0)
            pass(inside_[group_of(from)], legs.leave, inside_[group_of(from)].middle(legs.exit));
        if (legs.across >= 0)
            pass(whole_, legs.across,
                 legs.entry >= 0 ? inside_[group_of(to)].middle(legs.entry)
                                 : whole_.layers->entry(legs.across));
        if (legs.arrive >= 0) {
            FlatGraph& flat = inside_[group_of(to)];
            pass(flat, legs.arrive, flat.layers->entry(legs.arrive) + flat.moved.x);
        }
        return way;
    }

    EdgeShape shape(std::size_t e, const GraphLayout& out) {
        std::vector<Point> points;
        std::size_t
            fresh = 0,
            last = 0; // where the first piece begins that none before has drawn, and the last piece
        bool drawn = true;
        const auto begin_piece = [&](std::size_t from, std::vector<bool>& known, int which) {
            last = from;
            if (drawn)
                fresh = from;
            drawn = drawn && known[which];
            known[which] = true;
        };
        for (const auto& [flat, edge, path] : walk(e, out)) {
            begin_piece(std::max<std::size_t>(points.size(), 1) - 1,
                        path.branch > 0 ? flat->trunk_drawn : flat->edge_drawn,
                        path.branch > 0 ? flat->layers->trunk(edge) : edge);
            if (path.branch > 0)
                begin_piece(points.size() + path.branch, flat->edge_drawn, edge);
            for (const Point& p : path.points)
                points.push_back({p.x + flat->moved.x, p.y + flat->moved.y});
        }
        if (closes_cycle(e))
            return {curve_through(closing(e, out, points)), {}, false, 0, 0};
        return {curve_through(points), {}, false, 3 * last, 3 * fresh};
    }

    // Whether the edge closes a cycle of the whole graph: such an edge enters by no port.
    bool closes_cycle(std::size_t e) const {
        return legs_[e].across >= 0 && !whole_.layers->downward(legs_[e].across);
    }

    // From enclosures, whose borders such an edge runs between, to the nodes in them.
    std::vector<Point> closing(std::size_t e, const GraphLayout& out,
                               std::vector<Point> points) const {
        const Rectangle &from = out.nodes[graph_.edges[e].from],
                        &to = out.nodes[graph_.edges[e].to];
        if (points.front().y != from.y && points.front().y != from.bottom())
            points.insert(points.begin(), {from.centre().x, from.y});
        if (points.back().y != to.bottom())
            points.push_back({to.centre().x, to.bottom()});
        return points;
    }

    const GraphDescription& graph_;
    LayoutWork& work_;
    FlatGraph whole_;
    std::vector<FlatGraph> inside_;          // of each enclosure
    std::vector<int> number_;                // of each node in its flat graph
    std::vector<int> box_of_, box_of_group_; // of the whole: of each node, of each enclosure
    std::vector<Legs> legs_;                 // of each edge
};

} // namespace

GraphLayout layered_layout(const GraphDescription& graph, LayoutWork& work) {
    return LayeredComposer(graph, work).compose();
}

} // namespace loopscope::views
