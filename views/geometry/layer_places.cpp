// Coordinates in rows after Brandes and Köpf (2001): boxes are aligned with medians of their
// neighbours into upright blocks, in four ways, and every way is compacted; what is drawn is the
// middle of the four.

#include "views/geometry/layer_graph.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace loopscope::views {

namespace {

constexpr double kBoxGap = 22; // pixels: wide enough for one trunk

using Middles = std::vector<double>; // of each box

class RowPlaces {
public:
    explicit RowPlaces(const LayerGraph& g)
        : g_(g),
          at_(g.boxes.size(), 0),
          above_(g.above),
          below_(g.below),
          root_(g.boxes.size(), 0) {
        for (const auto& row : g.rows)
            for (std::size_t i = 0; i < row.size(); ++i)
                at_[row[i]] = static_cast<int>(i);
        for (auto* links : {&above_, &below_})
            for (auto& of : *links)
                std::sort(of.begin(), of.end(), [this](int a, int b) { return at_[a] < at_[b]; });
        for (const auto& of : below_)
            links_ += of.size();
    }

    Middles find(LayoutWork& work) {
        if (!work.begin(g_.boxes.size() + links_))
            return {};
        std::array<Middles, 4> ways;
        for (std::size_t way = 0; way < ways.size(); ++way) {
            if (!work.begin(g_.boxes.size() + links_))
                return {};
            const bool from_above = way < 2, from_left = way % 2 == 0;
            align(from_above, from_left);
            ways[way] = compacted(from_left);
        }
        return middle_of(ways);
    }

private:
    // Blocks do not cross: in each row what is aligned further right is aligned with what stands
    // further right.
    void align(bool from_above, bool from_left) {
        std::iota(root_.begin(), root_.end(), 0);
        for (std::size_t r = 0; r < g_.rows.size(); ++r) {
            const auto& row = g_.rows[from_above ? r : g_.rows.size() - 1 - r];
            int limit = from_left ? -1 : std::numeric_limits<int>::max();
            for (std::size_t i = 0; i < row.size(); ++i) {
                const int box = row[from_left ? i : row.size() - 1 - i];
                const auto& others = from_above ? above_[box] : below_[box];
                if (others.empty())
                    continue;
                const std::size_t low = (others.size() - 1) / 2, high = others.size() / 2;
                for (std::size_t m : {from_left ? low : high, from_left ? high : low}) {
                    const int at = at_[others[m]];
                    if (from_left ? at <= limit : at >= limit)
                        continue;
                    root_[box] = root_[others[m]];
                    limit = at;
                    break;
                }
            }
        }
    }

    double apart(int a, int b) const {
        return (g_.boxes[a].width + g_.boxes[b].width) / 2 + kBoxGap;
    }

    // Blocks as far left as their neighbours let them, then right up to those beside them. Seen in
    // a mirror from the right.
    Middles compacted(bool from_left) const {
        const std::size_t count = g_.boxes.size();
        struct Beside {
            int block;
            double apart;
        };
        std::vector<std::vector<Beside>> right(count);
        std::vector<int> waits(count, 0);
        for (const auto& row : g_.rows)
            for (std::size_t i = 0; i + 1 < row.size(); ++i) {
                const int a = row[from_left ? i : row.size() - 1 - i],
                          b = row[from_left ? i + 1 : row.size() - 2 - i];
                right[root_[a]].push_back({root_[b], apart(a, b)});
                ++waits[root_[b]];
            }
        std::vector<int> order;
        for (std::size_t n = 0; n < count; ++n)
            if (root_[n] == static_cast<int>(n) && waits[n] == 0)
                order.push_back(static_cast<int>(n));
        Middles x(count, 0);
        for (std::size_t done = 0; done < order.size(); ++done)
            for (const auto& [block, by] : right[order[done]]) {
                x[block] = std::max(x[block], x[order[done]] + by);
                if (--waits[block] == 0)
                    order.push_back(block);
            }
        for (auto block = order.rbegin(); block != order.rend(); ++block) {
            double room = std::numeric_limits<double>::infinity();
            for (const auto& [other, by] : right[*block])
                room = std::min(room, x[other] - by);
            if (!right[*block].empty())
                x[*block] = std::max(x[*block], room);
        }
        for (std::size_t n = 0; n < count; ++n)
            x[n] = x[root_[n]];
        if (!from_left)
            for (double& at : x)
                at = -at;
        return x;
    }

    struct Extent {
        double low = std::numeric_limits<double>::infinity(), high = -low;
    };
    Extent extent(const Middles& x) const {
        Extent e;
        for (std::size_t n = 0; n < x.size(); ++n) {
            e.low = std::min(e.low, x[n] - g_.boxes[n].width / 2);
            e.high = std::max(e.high, x[n] + g_.boxes[n].width / 2);
        }
        return e;
    }

    // All at the sides of the narrowest, from 0; then of each box the mean of the two in the
    // middle.
    Middles middle_of(const std::array<Middles, 4>& ways) const {
        std::array<Extent, 4> extents;
        std::size_t least = 0;
        for (std::size_t way = 0; way < ways.size(); ++way) {
            extents[way] = extent(ways[way]);
            if (extents[way].high - extents[way].low < extents[least].high - extents[least].low)
                least = way;
        }
        const double width = extents[least].high - extents[least].low;
        Middles out(g_.boxes.size());
        for (std::size_t n = 0; n < out.size(); ++n) {
            std::array<double, 4> at;
            for (std::size_t way = 0; way < ways.size(); ++way)
                at[way] =
                    ways[way][n] + (way % 2 == 0 ? -extents[way].low : width - extents[way].high);
            std::sort(at.begin(), at.end());
            out[n] = (at[1] + at[2]) / 2;
        }
        return out;
    }

    const LayerGraph& g_;
    std::vector<int> at_;                         // each box's place in its row
    std::vector<std::vector<int>> above_, below_; // from left to right
    std::vector<int> root_;                       // of each box, the first of its block
    std::size_t links_ = 0;
};

} // namespace

std::vector<double> place_in_rows(const LayerGraph& graph, LayoutWork& work) {
    return RowPlaces(graph).find(work);
}

} // namespace loopscope::views
