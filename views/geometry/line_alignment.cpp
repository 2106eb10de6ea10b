#include "views/geometry/line_alignment.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <unordered_map>

namespace loopscope::views {

namespace {

// A stretch of both texts: lines [begin_a, end_a) of one, [begin_b, end_b) of the other.
struct Stretch {
    const std::vector<int>&a, &b;
    int begin_a = 0, end_a = 0, begin_b = 0, end_b = 0;
};

// Lines added and removed in one stretch: bounds time and memory (16 MB). Stretches that differ in
// more are cut.
constexpr int kMaxDifferences = 2000;
constexpr std::int64_t kMaxSteps = 40'000'000; // comparisons in all: some tenths of a second
constexpr int kMaxLevels = 8;                  // of stretches inside stretches

// The greedy algorithm forwards; `furthest[d]` keeps how far each diagonal reached with d
// differences, for the way back. False: there are more than kMaxDifferences, or `steps` are spent.
bool shortest_edit(const Stretch& s, std::vector<std::vector<int>>& furthest, std::int64_t& steps) {
    const int n = s.end_a - s.begin_a, count = s.end_b - s.begin_b;
    const int most = std::min(kMaxDifferences, n + count);
    // so many lines are there more
    if (std::abs(n - count) > most)
        return false;
    std::vector<int> reach(2 * static_cast<std::size_t>(most) + 3, 0);
    const int zero = most + 1;
    for (int d = 0; d <= most; ++d) {
        for (int k = -d; k <= d; k += 2) {
            const bool down = k == -d || (k != d && reach[zero + k - 1] < reach[zero + k + 1]);
            const int from = down ? reach[zero + k + 1] : reach[zero + k - 1] + 1;
            int x = from;
            while (x < n && x - k < count && x - k >= 0 &&
                   s.a[s.begin_a + x] == s.b[s.begin_b + x - k])
                ++x;
            reach[zero + k] = x;
            steps -= x - from + 1;
            if (x >= n && x - k >= count) {
                furthest.emplace_back(reach.begin() + zero - d, reach.begin() + zero + d + 1);
                return true;
            }
        }
        if (steps < 0)
            return false;
        furthest.emplace_back(reach.begin() + zero - d, reach.begin() + zero + d + 1);
    }
    return false;
}

// Which lines of the stretch both texts have, from the kept diagonals: pairs in descending order.
LinePairs common_pairs(const Stretch& s, const std::vector<std::vector<int>>& furthest) {
    LinePairs pairs;
    int x = s.end_a - s.begin_a, y = s.end_b - s.begin_b;
    for (int d = static_cast<int>(furthest.size()) - 1; d >= 0; --d) {
        int before_x = 0, before_y = 0, start_x = 0; // where the last difference ended
        if (d > 0) {
            const std::vector<int>& reach = furthest[static_cast<std::size_t>(d) - 1];
            const int k = x - y;
            // Diagonal j of the step before is at index j + (d - 1); its parity is that of d - 1.
            auto at = [&](int j) {
                return j < -(d - 1) || j > d - 1 ? -1 : reach[static_cast<std::size_t>(j + d - 1)];
            };
            const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
            const int from = down ? k + 1 : k - 1;
            before_x = at(from);
            before_y = before_x - from;
            start_x = down ? before_x : before_x + 1;
        }
        for (; x > start_x; --x, --y)
            pairs.emplace_back(s.begin_a + x - 1, s.begin_b + y - 1);
        x = before_x;
        y = before_y;
    }
    return pairs;
}

// Lines that stand once in each half of a stretch hold it together (the idea of patience sorting):
// the longest run of such lines that is in order in both.
LinePairs anchors(const Stretch& s) {
    struct Place {
        int a = -1, b = -1;
        bool once = true;
    };
    std::unordered_map<int, Place> places;
    for (int i = s.begin_a; i < s.end_a; ++i) {
        Place& place = places[s.a[i]];
        place.once = place.once && place.a < 0;
        place.a = i;
    }
    for (int i = s.begin_b; i < s.end_b; ++i) {
        Place& place = places[s.b[i]];
        place.once = place.once && place.b < 0;
        place.b = i;
    }
    std::vector<int> of_a, of_b; // lines that stand once, in the order of the first text
    for (int i = s.begin_a; i < s.end_a; ++i)
        if (const Place& place = places[s.a[i]]; place.once && place.b >= 0) {
            of_a.push_back(i);
            of_b.push_back(place.b);
        }
    // tops[n]: the one with the least place in b that ends an ascending run of n + 1.
    std::vector<std::size_t> tops;
    std::vector<int> previous(of_a.size(), -1);
    for (std::size_t i = 0; i < of_a.size(); ++i) {
        const auto pile =
            std::lower_bound(tops.begin(), tops.end(), of_b[i],
                             [&](std::size_t top, int place) { return of_b[top] < place; });
        if (pile != tops.begin())
            previous[i] = static_cast<int>(*(pile - 1));
        if (pile == tops.end())
            tops.push_back(i);
        else
            *pile = i;
    }
    LinePairs pairs;
    for (int i = tops.empty() ? -1 : static_cast<int>(tops.back()); i >= 0;
         i = previous[static_cast<std::size_t>(i)])
        pairs.emplace_back(of_a[static_cast<std::size_t>(i)], of_b[static_cast<std::size_t>(i)]);
    std::reverse(pairs.begin(), pairs.end());
    return pairs;
}

class Aligner {
public:
    // Appends the equal lines of a stretch, in order.
    void align(Stretch s, int level = 0) {
        while (s.begin_a < s.end_a && s.begin_b < s.end_b && s.a[s.begin_a] == s.b[s.begin_b])
            pairs.emplace_back(s.begin_a++, s.begin_b++);
        int tail = 0;
        while (s.begin_a < s.end_a && s.begin_b < s.end_b && s.a[s.end_a - 1] == s.b[s.end_b - 1])
            --s.end_a, --s.end_b, ++tail;
        if (s.begin_a < s.end_a && s.begin_b < s.end_b)
            align_middle(s, level);
        for (int i = 0; i < tail; ++i)
            pairs.emplace_back(s.end_a + i, s.end_b + i);
    }

    LinePairs pairs;
    bool coarse = false;

private:
    void align_middle(const Stretch& s, int level) {
        std::vector<std::vector<int>> furthest;
        if (steps_ > 0 && shortest_edit(s, furthest, steps_)) {
            const LinePairs middle = common_pairs(s, furthest);
            pairs.insert(pairs.end(), middle.rbegin(), middle.rend());
            return;
        }
        const LinePairs fixed = level < kMaxLevels ? anchors(s) : LinePairs();
        if (fixed.empty()) {
            coarse = true;
            return;
        }
        int next_a = s.begin_a, next_b = s.begin_b;
        for (const auto& [in_a, in_b] : fixed) {
            align({s.a, s.b, next_a, in_a, next_b, in_b}, level + 1);
            pairs.emplace_back(in_a, in_b);
            next_a = in_a + 1;
            next_b = in_b + 1;
        }
        align({s.a, s.b, next_a, s.end_a, next_b, s.end_b}, level + 1);
    }

    std::int64_t steps_ = kMaxSteps;
};

} // namespace

LineAlignment align_lines(const std::vector<int>& a, const std::vector<int>& b) {
    Aligner aligner;
    aligner.align({a, b, 0, static_cast<int>(a.size()), 0, static_cast<int>(b.size())});
    return {std::move(aligner.pairs), aligner.coarse};
}

} // namespace loopscope::views
