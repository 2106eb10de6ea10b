// Trunks run where rows leave room, the short ones nearest to what they link, as channels are
// filled by the left-edge algorithm (Hashimoto, Stevens 1971): where one has ended another may
// begin.

#include "views/geometry/layer_graph.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace loopscope::views {

namespace {

constexpr double kFromBox = 11, kFromTrunk = 8; // pixels that a trunk stays away

struct Blocked {
    double from = 0, to = 0; // no trunk between them
};
using BlockedLine = std::vector<Blocked>; // from left to right, apart from each other

BlockedLine joined(const BlockedLine& a, const BlockedLine& b) {
    BlockedLine all(a.size() + b.size()), out;
    std::merge(a.begin(), a.end(), b.begin(), b.end(), all.begin(),
               [](const Blocked& x, const Blocked& y) { return x.from < y.from; });
    for (const Blocked& piece : all) {
        if (out.empty() || piece.from >= out.back().to)
            out.push_back(piece);
        else
            out.back().to = std::max(out.back().to, piece.to);
    }
    return out;
}

// What boxes block in any run of rows that a trunk passes: of every run of 1, 2, 4, … rows it is
// known, and two of those cover any other.
class BlockedRows {
public:
    BlockedRows(const LayerGraph& g, const std::vector<double>& middles, LayoutWork& work) {
        std::size_t longest = 0;
        for (const LayerTrunk& trunk : g.trunks)
            longest = std::max(longest, passed_rows(trunk));
        auto& single = runs_.emplace_back();
        for (const auto& row : g.rows) {
            BlockedLine line;
            for (int box : row) {
                const double away = g.boxes[box].width / 2 + kFromBox;
                line.push_back({middles[box] - away, middles[box] + away});
            }
            single.push_back(joined(line, {}));
        }
        for (std::size_t length = 1; 2 * length <= longest; length *= 2) {
            const auto& half = runs_.back();
            std::vector<BlockedLine> whole;
            std::size_t pieces = 0;
            for (std::size_t row = 0; row + length < half.size(); ++row) {
                whole.push_back(joined(half[row], half[row + length]));
                pieces += whole.back().size();
            }
            runs_.push_back(std::move(whole));
            if (!work.begin(pieces))
                return;
        }
    }

    static std::size_t passed_rows(const LayerTrunk& trunk) {
        return static_cast<std::size_t>(trunk.last_rank - trunk.first_rank) + 1;
    }

    BlockedLine between(int first, int last) const {
        const auto rows = static_cast<unsigned>(last - first + 1);
        const auto level = static_cast<std::size_t>(std::bit_width(rows)) - 1;
        const auto& run = runs_[level];
        return joined(run[first], run[last + 1 - (1 << level)]);
    }

private:
    std::vector<std::vector<BlockedLine>> runs_;
};

// The place nearest to `wish` that is not blocked.
double nearest_free(const BlockedLine& line, double wish) {
    const auto after = std::partition_point(line.begin(), line.end(),
                                            [wish](const Blocked& b) { return b.to <= wish; });
    if (after == line.end() || after->from >= wish)
        return wish;
    // What blocks lies apart from each other, so that a place at its end is free.
    return wish - after->from <= after->to - wish ? after->from : after->to;
}

class TrunkPlaces {
public:
    TrunkPlaces(const LayerGraph& g, const std::vector<double>& middles, LayoutWork& work)
        : g_(g), middles_(middles), rows_(g, middles, work), x_(g.trunks.size(), 0) {}

    std::vector<double> find(LayoutWork& work) {
        std::vector<int> order(g_.trunks.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [this](int a, int b) {
            const LayerTrunk &one = g_.trunks[a], &other = g_.trunks[b];
            return std::pair(BlockedRows::passed_rows(one), one.first_rank) <
                   std::pair(BlockedRows::passed_rows(other), other.first_rank);
        });
        for (int t : order) {
            if (!work.begin(placed_.size() + 1))
                return {};
            place(t);
        }
        return std::move(x_);
    }

private:
    // Below what it comes from, or above what it goes to: where less of it is not upright.
    void place(int t) {
        const LayerTrunk& trunk = g_.trunks[t];
        const BlockedLine line =
            joined(rows_.between(trunk.first_rank, trunk.last_rank), others(trunk));
        const double from = middles_[trunk.from], to = middles_[trunk.last];
        const auto cost = [&](double x) { return std::abs(x - from) + std::abs(x - to); };
        x_[t] = nearest_free(line, from);
        if (const double x = nearest_free(line, to); cost(x) < cost(x_[t]))
            x_[t] = x;
        placed_.push_back(t);
    }

    BlockedLine others(const LayerTrunk& trunk) const {
        BlockedLine line;
        for (int t : placed_)
            if (g_.trunks[t].first_rank <= trunk.last_rank &&
                g_.trunks[t].last_rank >= trunk.first_rank)
                line.push_back({x_[t] - kFromTrunk, x_[t] + kFromTrunk});
        std::sort(line.begin(), line.end(),
                  [](const Blocked& a, const Blocked& b) { return a.from < b.from; });
        return line;
    }

    const LayerGraph& g_;
    const std::vector<double>& middles_;
    BlockedRows rows_;
    std::vector<double> x_;
    std::vector<int> placed_;
};

} // namespace

std::vector<double> place_trunks(const LayerGraph& graph, const std::vector<double>& middles,
                                 LayoutWork& work) {
    if (!work.begin(graph.boxes.size()) || graph.trunks.empty())
        return {};
    return TrunkPlaces(graph, middles, work).find(work);
}

} // namespace loopscope::views
