// Crossings of links between neighbouring rows are reduced by sweeps of barycentres; the best order
// of those seen is kept. Boxes that stood in an order before stay in it.

#include "views/geometry/layer_graph.h"

#include <algorithm>
#include <iterator>

namespace loopscope::views {

namespace {

constexpr int kOrderRounds = 6; // upwards and downwards
constexpr int kPatience = 2;    // rounds that made nothing better, before it is left at that

class RowOrder {
public:
    explicit RowOrder(LayerGraph& g) : g_(g), at_(g.boxes.size(), 0), key_(g.boxes.size(), 0) {
        for (const auto& row : g_.rows)
            number(row);
        for (const auto& below : g_.below)
            links_ += below.size();
    }

    void improve(LayoutWork& work) {
        if (!sweep(true, work))
            return;
        auto best = g_.rows;
        std::size_t least = crossings();
        int idle = 0;
        for (int round = 0; round < kOrderRounds && least > 0 && idle < kPatience; ++round) {
            if (!sweep(false, work) || !sweep(true, work))
                return;
            const std::size_t now = crossings();
            ++idle;
            if (now < least) {
                least = now;
                best = g_.rows;
                idle = 0;
            }
        }
        g_.rows = std::move(best);
    }

private:
    void number(const std::vector<int>& row) {
        for (std::size_t i = 0; i < row.size(); ++i)
            at_[row[i]] = static_cast<int>(i);
    }

    bool sweep(bool down, LayoutWork& work) {
        if (!work.begin(g_.boxes.size() + links_))
            return false;
        for (std::size_t r = 0; r < g_.rows.size(); ++r) {
            auto& row = g_.rows[down ? r : g_.rows.size() - 1 - r];
            for (int n : row)
                key_[n] = barycentre(down ? g_.above[n] : g_.below[n], at_[n]);
            std::stable_sort(row.begin(), row.end(),
                             [this](int a, int b) { return key_[a] < key_[b]; });
            keep_order(row);
            number(row);
        }
        return true;
    }

    // The places of all that stood somewhere go to them as they stood; what is new stays between.
    void keep_order(std::vector<int>& row) {
        const auto stood = [this](int n) { return g_.boxes[n].stood; };
        known_.clear();
        std::copy_if(row.begin(), row.end(), std::back_inserter(known_),
                     [&](int n) { return stood(n).has_value(); });
        std::stable_sort(known_.begin(), known_.end(),
                         [&](int a, int b) { return *stood(a) < *stood(b); });
        auto next = known_.begin();
        for (int& n : row)
            if (stood(n))
                n = *next++;
    }

    double barycentre(const std::vector<int>& of, int otherwise) const {
        if (of.empty())
            return otherwise;
        double sum = 0;
        for (int n : of)
            sum += at_[n];
        return sum / static_cast<double>(of.size());
    }

    std::size_t crossings() {
        std::size_t sum = 0;
        for (std::size_t r = 0; r + 1 < g_.rows.size(); ++r)
            sum += crossings_below(g_.rows[r], g_.rows[r + 1].size());
        return sum;
    }

    // Pairs of links in the wrong order, by a tree of counts (Barth, Mutzel, Jünger 2004).
    std::size_t crossings_below(const std::vector<int>& row, std::size_t width) {
        counts_.assign(width + 1, 0);
        std::size_t sum = 0, seen = 0;
        for (int n : row) {
            ends_.clear();
            for (int low : g_.below[n])
                ends_.push_back(at_[low]);
            for (int end : ends_) {
                std::size_t left = 0; // of the links before, those that end here or further left
                for (int i = end + 1; i > 0; i -= i & -i)
                    left += counts_[i];
                sum += seen - left;
            }
            for (int end : ends_)
                for (int i = end + 1; i <= static_cast<int>(width); i += i & -i)
                    ++counts_[i];
            seen += ends_.size();
        }
        return sum;
    }

    LayerGraph& g_;
    std::vector<int> at_; // each node's place in its row
    std::vector<double> key_;
    std::size_t links_ = 0;
    std::vector<std::size_t> counts_;
    std::vector<int> ends_, known_;
};

} // namespace

void order_rows(LayerGraph& graph, LayoutWork& work) { RowOrder(graph).improve(work); }

} // namespace loopscope::views
