#include "views/geometry/graph_ranks.h"

#include <algorithm>
#include <limits>

namespace loopscope::views {

namespace {

class RankFinder {
public:
    RankFinder(int nodes, const std::vector<GraphLink>& links)
        : rank_(nodes, 0), unread_(nodes, 0), reads_(nodes, 0), readers_(nodes) {
        for (const auto& [from, to] : links)
            if (from != to) {
                readers_[from].push_back(to);
                ++reads_[to];
            }
        unread_ = reads_;
    }

    std::vector<int> find() {
        push_down();
        pull_to_readers();
        return std::move(rank_);
    }

private:
    // Longest paths from the sources; links that close a cycle do not count.
    void push_down() {
        const int count = static_cast<int>(rank_.size());
        std::vector<bool> taken(count, false);
        auto take = [&](int n) {
            if (!taken[n]) {
                taken[n] = true;
                order_.push_back(n);
            }
        };
        for (int n = 0; n < count; ++n)
            if (unread_[n] == 0)
                take(n);
        int first = 0;
        for (int done = 0; done < count; ++done) {
            if (done == static_cast<int>(order_.size())) { // a cycle: it is cut at its first node
                while (taken[first])
                    ++first;
                take(first);
            }
            const int n = order_[done];
            for (int reader : readers_[n]) {
                if (!taken[reader])
                    rank_[reader] = std::max(rank_[reader], rank_[n] + 1);
                if (--unread_[reader] == 0)
                    take(reader);
            }
        }
    }

    // From the last row upwards, so that a chain follows its end.
    void pull_to_readers() {
        for (auto n = order_.rbegin(); n != order_.rend(); ++n) {
            if (readers_[*n].empty() || static_cast<int>(readers_[*n].size()) < reads_[*n])
                continue;
            int nearest = std::numeric_limits<int>::max();
            for (int reader : readers_[*n])
                if (rank_[reader] > rank_[*n])
                    nearest = std::min(nearest, rank_[reader]);
            if (nearest != std::numeric_limits<int>::max())
                rank_[*n] = nearest - 1;
        }
        const int top = rank_.empty() ? 0 : *std::min_element(rank_.begin(), rank_.end());
        for (int& rank : rank_)
            rank -= top;
    }

    std::vector<int> rank_, unread_, reads_, order_;
    std::vector<std::vector<int>> readers_;
};

} // namespace

std::vector<int> graph_ranks(int nodes, const std::vector<GraphLink>& links) {
    return RankFinder(nodes, links).find();
}

} // namespace loopscope::views
