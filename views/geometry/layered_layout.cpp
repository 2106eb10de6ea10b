#include "views/geometry/layered_layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace loopscope::views {

namespace {

constexpr double kNodeGap = 18, kRankGap = 40, kEnclosureMargin = 12;
constexpr double kLaneWidth = 8; // kept for a long edge in the ranks that it crosses
constexpr int kOrderSweeps = 6, kPlaceSweeps = 6;
constexpr std::size_t kMostLanes = 60000; // of all long edges; beyond it they are drawn straight

struct Size {
    double width = 0, height = 0;
};

// One flat graph: boxes with sizes, edges between them.
class Layers {
public:
    Layers(std::vector<Size> sizes, std::vector<std::pair<int, int>> edges)
        : boxes_(static_cast<int>(sizes.size())),
          sizes_(std::move(sizes)),
          edges_(std::move(edges)) {
        find_ranks();
        add_lanes();
        order();
        place();
    }

    Rectangle box(int n) const {
        const auto i = static_cast<std::size_t>(n);
        const double top = top_[static_cast<std::size_t>(rank_[i])];
        return {x_[i] - sizes_[i].width / 2, top, sizes_[i].width, sizes_[i].height};
    }
    // Where an edge passes the ranks between its ends, from above downwards.
    std::vector<Point> lane(std::size_t edge) const {
        std::vector<Point> points;
        for (int n : lanes_[edge]) {
            const auto rank = static_cast<std::size_t>(rank_[static_cast<std::size_t>(n)]);
            points.push_back({x_[static_cast<std::size_t>(n)], top_[rank] + height_[rank] / 2});
        }
        return points;
    }

private:
    // Longest paths from the sources; edges that close a cycle do not count.
    void find_ranks() {
        const auto count = static_cast<std::size_t>(boxes_);
        std::vector<std::vector<int>> below(count);
        std::vector<int> open(count, 0);
        for (const auto& [from, to] : edges_)
            if (from != to) {
                below[static_cast<std::size_t>(from)].push_back(to);
                ++open[static_cast<std::size_t>(to)];
            }
        rank_.assign(count, 0);
        std::vector<int> ready;
        std::vector<bool> done(count, false);
        std::size_t placed = 0;
        auto take = [&](int n) {
            if (!done[static_cast<std::size_t>(n)]) {
                done[static_cast<std::size_t>(n)] = true;
                ready.push_back(n);
            }
        };
        for (int n = 0; n < boxes_; ++n)
            if (open[static_cast<std::size_t>(n)] == 0)
                take(n);
        for (int next = 0; placed < count;) {
            if (placed == ready.size()) { // a cycle: it is cut at its first box
                while (done[static_cast<std::size_t>(next)])
                    ++next;
                take(next);
            }
            const int n = ready[placed++];
            for (int to : below[static_cast<std::size_t>(n)]) {
                const auto t = static_cast<std::size_t>(to);
                if (!done[t])
                    rank_[t] = std::max(rank_[t], rank_[static_cast<std::size_t>(n)] + 1);
                if (--open[t] == 0)
                    take(to);
            }
        }
    }

    // A long edge becomes a chain of thin boxes, one in each rank between its ends.
    void add_lanes() {
        lanes_.resize(edges_.size());
        std::size_t wanted = 0;
        for (const auto& [from, to] : edges_)
            wanted += static_cast<std::size_t>(std::max(0, span(from, to) - 1));
        for (std::size_t e = 0; e < edges_.size(); ++e) {
            auto [from, to] = edges_[e];
            if (from == to)
                continue;
            const bool up = span(from, to) < 0;
            if (up)
                std::swap(from, to);
            int above = from;
            for (int rank = rank_[static_cast<std::size_t>(from)] + 1;
                 wanted <= kMostLanes && rank < rank_[static_cast<std::size_t>(to)]; ++rank) {
                const int lane = static_cast<int>(sizes_.size());
                sizes_.push_back({kLaneWidth, 0});
                rank_.push_back(rank);
                links_.emplace_back(above, lane);
                lanes_[e].push_back(lane);
                above = lane;
            }
            links_.emplace_back(above, to);
            if (up)
                std::reverse(lanes_[e].begin(), lanes_[e].end());
        }
        const std::size_t count = sizes_.size();
        above_.resize(count);
        below_.resize(count);
        for (const auto& [from, to] : links_) {
            below_[static_cast<std::size_t>(from)].push_back(to);
            above_[static_cast<std::size_t>(to)].push_back(from);
        }
        const int ranks = count == 0 ? 0 : 1 + *std::max_element(rank_.begin(), rank_.end());
        rows_.resize(static_cast<std::size_t>(ranks));
        for (std::size_t n = 0; n < count; ++n)
            rows_[static_cast<std::size_t>(rank_[n])].push_back(static_cast<int>(n));
    }

    int span(int from, int to) const {
        return rank_[static_cast<std::size_t>(to)] - rank_[static_cast<std::size_t>(from)];
    }

    // Rows are sorted by the mean place of what they are linked with, downwards and upwards in turn.
    void order() {
        std::vector<double> at(sizes_.size(), 0);
        auto number = [&](const std::vector<int>& row) {
            for (std::size_t i = 0; i < row.size(); ++i)
                at[static_cast<std::size_t>(row[i])] = static_cast<double>(i);
        };
        for (const auto& row : rows_)
            number(row);
        for (int sweep = 0; sweep < kOrderSweeps; ++sweep) {
            const bool down = sweep % 2 == 0;
            for (std::size_t r = 0; r < rows_.size(); ++r) {
                auto& row = rows_[down ? r : rows_.size() - 1 - r];
                std::map<int, double> key;
                for (int n : row)
                    key[n] = mean(down ? above_ : below_, n, at);
                std::stable_sort(row.begin(), row.end(),
                                 [&](int a, int b) { return key[a] < key[b]; });
                number(row);
            }
        }
    }

    static double mean(const std::vector<std::vector<int>>& links, int n,
                       const std::vector<double>& at) {
        const auto& of = links[static_cast<std::size_t>(n)];
        if (of.empty())
            return at[static_cast<std::size_t>(n)];
        double sum = 0;
        for (int other : of)
            sum += at[static_cast<std::size_t>(other)];
        return sum / static_cast<double>(of.size());
    }

    // Every box as near as its row lets it to the mean of what it is linked with.
    void place() {
        x_.assign(sizes_.size(), 0);
        for (const auto& row : rows_) {
            double x = 0;
            for (int n : row) {
                const double width = sizes_[static_cast<std::size_t>(n)].width;
                x_[static_cast<std::size_t>(n)] = x + width / 2;
                x += width + kNodeGap;
            }
            for (int n : row)
                x_[static_cast<std::size_t>(n)] -= (x - kNodeGap) / 2;
        }
        for (int sweep = 0; sweep < kPlaceSweeps; ++sweep) {
            const bool down = sweep % 2 == 0;
            for (std::size_t r = 0; r < rows_.size(); ++r)
                settle(rows_[down ? r : rows_.size() - 1 - r], down ? above_ : below_);
        }
        double top = 0;
        for (const auto& row : rows_) {
            double height = 0;
            for (int n : row)
                height = std::max(height, sizes_[static_cast<std::size_t>(n)].height);
            top_.push_back(top);
            height_.push_back(height);
            top += height + kRankGap;
        }
    }

    // The mean of the leftmost and of the rightmost arrangement that keeps the distances.
    void settle(const std::vector<int>& row, const std::vector<std::vector<int>>& links) {
        std::vector<double> wish, left(row.size()), right(row.size());
        for (int n : row)
            wish.push_back(mean(links, n, x_));
        auto apart = [&](std::size_t i) {
            return (sizes_[static_cast<std::size_t>(row[i])].width +
                    sizes_[static_cast<std::size_t>(row[i + 1])].width) /
                       2 +
                   kNodeGap;
        };
        for (std::size_t i = 0; i < row.size(); ++i)
            left[i] = i == 0 ? wish[i] : std::max(wish[i], left[i - 1] + apart(i - 1));
        for (std::size_t i = row.size(); i-- > 0;)
            right[i] = i + 1 == row.size() ? wish[i] : std::min(wish[i], right[i + 1] - apart(i));
        for (std::size_t i = 0; i < row.size(); ++i)
            x_[static_cast<std::size_t>(row[i])] = (left[i] + right[i]) / 2;
    }

    int boxes_;
    std::vector<Size> sizes_;
    std::vector<std::pair<int, int>> edges_, links_;
    std::vector<int> rank_;
    std::vector<std::vector<int>> lanes_, above_, below_, rows_;
    std::vector<double> x_, top_, height_;
};

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

class Composer {
public:
    explicit Composer(const GraphDescription& graph) : graph_(graph) {}

    GraphLayout compose() {
        make_boxes();
        lay_out_insides();
        lay_out_whole();
        GraphLayout out;
        out.nodes = nodes_;
        out.groups = groups_;
        for (std::size_t e = 0; e < graph_.edges.size(); ++e)
            out.edges.push_back({route(e), {}});
        for (const auto* rectangles : {&out.nodes, &out.groups})
            for (const Rectangle& r : *rectangles)
                if (r.width > 0)
                    out.bounds = united(out.bounds, r);
        for (const EdgeShape& edge : out.edges)
            for (const Point& p : edge.curve)
                out.bounds = united(out.bounds, {p.x, p.y, 0.5, 0.5});
        return out;
    }

private:
    // A box of the whole is a node without enclosure, or an enclosure.
    void make_boxes() {
        std::map<int, int> of_group;
        members_.resize(static_cast<std::size_t>(std::max(0, graph_.groups)));
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n) {
            const int group = graph_.nodes[n].group;
            const bool enclosed = group >= 0 && group < graph_.groups;
            int box = static_cast<int>(boxes_.size());
            if (enclosed) {
                box = of_group.emplace(group, box).first->second;
                members_[static_cast<std::size_t>(group)].push_back(static_cast<int>(n));
            }
            if (box == static_cast<int>(boxes_.size()))
                boxes_.push_back(enclosed ? -1 - group : static_cast<int>(n));
            box_of_.push_back(box);
        }
    }

    void lay_out_insides() {
        nodes_.resize(graph_.nodes.size());
        groups_.resize(members_.size());
        for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
            nodes_[n] = {0, 0, graph_.nodes[n].width, graph_.nodes[n].height};
        inner_lanes_.resize(graph_.edges.size());
        // Edges by enclosure, so that each is looked at once.
        std::vector<std::vector<std::size_t>> inside(members_.size());
        for (std::size_t e = 0; e < graph_.edges.size(); ++e)
            if (const int group = inner_group(e); group >= 0)
                inside[static_cast<std::size_t>(group)].push_back(e);
        std::vector<int> number(graph_.nodes.size(), 0);
        for (std::size_t g = 0; g < members_.size(); ++g) {
            std::vector<Size> sizes;
            for (int n : members_[g]) {
                number[static_cast<std::size_t>(n)] = static_cast<int>(sizes.size());
                sizes.push_back({nodes_[static_cast<std::size_t>(n)].width,
                                 nodes_[static_cast<std::size_t>(n)].height});
            }
            if (sizes.empty())
                continue;
            std::vector<std::pair<int, int>> edges;
            for (std::size_t e : inside[g])
                edges.emplace_back(number[static_cast<std::size_t>(graph_.edges[e].from)],
                                   number[static_cast<std::size_t>(graph_.edges[e].to)]);
            const Layers layers(std::move(sizes), std::move(edges));
            Rectangle bounds;
            for (int n : members_[g]) {
                nodes_[static_cast<std::size_t>(n)] =
                    layers.box(number[static_cast<std::size_t>(n)]);
                bounds = united(bounds, nodes_[static_cast<std::size_t>(n)]);
            }
            for (std::size_t i = 0; i < inside[g].size(); ++i) {
                inner_lanes_[inside[g][i]] = layers.lane(i);
                for (const Point& p : inner_lanes_[inside[g][i]])
                    bounds = united(bounds, {p.x - 2, p.y, 4, 0.5});
            }
            groups_[g] = bounds.grown(kEnclosureMargin);
            groups_[g].y -= graph_.group_title_height;
            groups_[g].height += graph_.group_title_height;
        }
    }

    int inner_group(std::size_t edge) const {
        const GraphEdgeEnds& ends = graph_.edges[edge];
        const int from = graph_.nodes[static_cast<std::size_t>(ends.from)].group;
        const bool inner = from >= 0 && from < graph_.groups &&
                           from == graph_.nodes[static_cast<std::size_t>(ends.to)].group;
        return inner ? from : -1;
    }

    void lay_out_whole() {
        std::vector<Size> sizes;
        for (int box : boxes_) {
            const Rectangle& r = box < 0 ? groups_[static_cast<std::size_t>(-1 - box)]
                                         : nodes_[static_cast<std::size_t>(box)];
            sizes.push_back({r.width, r.height});
        }
        std::vector<std::pair<int, int>> edges;
        std::map<std::pair<int, int>, std::size_t> known; // parallel edges run in one lane
        std::vector<std::size_t> edge_of;
        for (const GraphEdgeEnds& ends : graph_.edges) {
            const std::pair<int, int> link{box_of_[static_cast<std::size_t>(ends.from)],
                                           box_of_[static_cast<std::size_t>(ends.to)]};
            const auto [it, fresh] = known.emplace(link, edges.size());
            if (fresh)
                edges.push_back(link);
            edge_of.push_back(it->second);
        }
        const Layers layers(std::move(sizes), std::move(edges));
        for (std::size_t b = 0; b < boxes_.size(); ++b)
            move_to(boxes_[b], layers.box(static_cast<int>(b)));
        outer_lanes_.resize(graph_.edges.size());
        for (std::size_t e = 0; e < graph_.edges.size(); ++e)
            if (inner_group(e) < 0)
                outer_lanes_[e] = layers.lane(edge_of[e]);
    }

    void move_to(int box, const Rectangle& place) {
        if (box >= 0) {
            nodes_[static_cast<std::size_t>(box)] = place;
            return;
        }
        const auto g = static_cast<std::size_t>(-1 - box);
        const double dx = place.x - groups_[g].x, dy = place.y - groups_[g].y;
        groups_[g] = place;
        for (int n : members_[g]) {
            nodes_[static_cast<std::size_t>(n)].x += dx;
            nodes_[static_cast<std::size_t>(n)].y += dy;
        }
        moved_.resize(members_.size());
        moved_[g] = {dx, dy};
    }

    std::vector<Point> route(std::size_t e) const {
        const Rectangle &from = nodes_[static_cast<std::size_t>(graph_.edges[e].from)],
                        &to = nodes_[static_cast<std::size_t>(graph_.edges[e].to)];
        const bool down = from.bottom() <= to.y;
        std::vector<Point> points{{from.centre().x, down ? from.bottom() : from.y}};
        const int group = inner_group(e);
        const Point by = group >= 0 ? moved_[static_cast<std::size_t>(group)] : Point{};
        for (const Point& p : group >= 0 ? inner_lanes_[e] : outer_lanes_[e])
            points.push_back({p.x + by.x, p.y + by.y});
        points.push_back({to.centre().x, down ? to.y : to.bottom()});
        return curve_through(points);
    }

    const GraphDescription& graph_;
    std::vector<int> boxes_;  // a node, or -1 - an enclosure
    std::vector<int> box_of_; // of each node
    std::vector<std::vector<int>> members_;
    std::vector<Rectangle> nodes_, groups_;
    std::vector<std::vector<Point>> inner_lanes_, outer_lanes_;
    std::vector<Point> moved_; // how far each enclosure was moved
};

} // namespace

GraphLayout layered_layout(const GraphDescription& graph) { return Composer(graph).compose(); }

} // namespace loopscope::views
