#include "views/geometry/line_diff.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope::views {

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

namespace {

// Lines as small numbers: equal lines have equal ones, so that comparing them is quick.
class Numbers {
public:
    std::vector<int> of(const std::vector<std::string_view>& lines) {
        std::vector<int> out;
        for (const std::string_view line : lines)
            out.push_back(known_.emplace(line, static_cast<int>(known_.size())).first->second);
        return out;
    }

private:
    std::unordered_map<std::string_view, int> known_;
};

struct Middle { // what common beginnings and ends leave
    const std::vector<int>&a, &b;
    int begin = 0, end_a = 0, end_b = 0;
};

// The greedy algorithm forwards; `furthest[d]` keeps how far each diagonal reached with d differences, for the way back.
// False: there are more than kMostDifferences.
bool shortest_edit(const Middle& m, std::vector<std::vector<int>>& furthest) {
    const int n = m.end_a - m.begin, count = m.end_b - m.begin;
    const int most = std::min(kMostDifferences, n + count);
    std::vector<int> reach(2 * static_cast<std::size_t>(most) + 3, 0);
    const int zero = most + 1;
    for (int d = 0; d <= most; ++d) {
        for (int k = -d; k <= d; k += 2) {
            const bool down = k == -d || (k != d && reach[zero + k - 1] < reach[zero + k + 1]);
            int x = down ? reach[zero + k + 1] : reach[zero + k - 1] + 1;
            while (x < n && x - k < count && x - k >= 0 && m.a[m.begin + x] == m.b[m.begin + x - k])
                ++x;
            reach[zero + k] = x;
            if (x >= n && x - k >= count) {
                furthest.emplace_back(reach.begin() + zero - d, reach.begin() + zero + d + 1);
                return true;
            }
        }
        furthest.emplace_back(reach.begin() + zero - d, reach.begin() + zero + d + 1);
    }
    return false;
}

// Which lines of the middle both texts have, from the kept diagonals: pairs in descending order.
std::vector<std::pair<int, int>> common_pairs(const Middle& m,
                                              const std::vector<std::vector<int>>& furthest) {
    std::vector<std::pair<int, int>> pairs;
    int x = m.end_a - m.begin, y = m.end_b - m.begin;
    for (int d = static_cast<int>(furthest.size()) - 1; d >= 0; --d) {
        int before_x = 0, before_y = 0; // where the last difference ended
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
            const int start_x = down ? before_x : before_x + 1;
            for (; x > start_x; --x, --y)
                pairs.emplace_back(m.begin + x - 1, m.begin + y - 1);
        } else {
            for (; x > 0 && y > 0; --x, --y)
                pairs.emplace_back(m.begin + x - 1, m.begin + y - 1);
        }
        x = before_x;
        y = before_y;
    }
    return pairs;
}

// Removed lines, then added ones; where both stand together they are the two forms of changed lines.
void close_gap(LineDiff& diff, int from_a, int to_a, int from_b, int to_b) {
    for (; from_a < to_a && from_b < to_b; ++from_a, ++from_b, ++diff.changed) {
        diff.lines.push_back({LineChange::Before, from_a, -1});
        diff.lines.push_back({LineChange::After, -1, from_b});
    }
    for (; from_a < to_a; ++from_a, ++diff.removed)
        diff.lines.push_back({LineChange::Removed, from_a, -1});
    for (; from_b < to_b; ++from_b, ++diff.added)
        diff.lines.push_back({LineChange::Added, -1, from_b});
}

} // namespace

LineDiff line_diff(std::string_view before, std::string_view after) {
    Numbers numbers;
    const std::vector<int> a = numbers.of(split_lines(before)), b = numbers.of(split_lines(after));
    Middle m{a, b, 0, static_cast<int>(a.size()), static_cast<int>(b.size())};
    while (m.begin < std::min(m.end_a, m.end_b) && a[m.begin] == b[m.begin])
        ++m.begin;
    while (std::min(m.end_a, m.end_b) > m.begin && a[m.end_a - 1] == b[m.end_b - 1])
        --m.end_a, --m.end_b;
    LineDiff diff;
    std::vector<std::pair<int, int>> pairs;
    for (int line = 0; line < m.begin; ++line)
        pairs.emplace_back(line, line);
    std::vector<std::vector<int>> furthest;
    if (shortest_edit(m, furthest)) {
        const auto middle = common_pairs(m, furthest);
        pairs.insert(pairs.end(), middle.rbegin(), middle.rend());
    } else {
        diff.coarse = true;
    }
    for (int line = 0; m.end_a + line < static_cast<int>(a.size()); ++line)
        pairs.emplace_back(m.end_a + line, m.end_b + line);
    int next_a = 0, next_b = 0;
    for (const auto& [in_a, in_b] : pairs) {
        close_gap(diff, next_a, in_a, next_b, in_b);
        diff.lines.push_back({LineChange::Same, in_a, in_b});
        next_a = in_a + 1;
        next_b = in_b + 1;
    }
    close_gap(diff, next_a, static_cast<int>(a.size()), next_b, static_cast<int>(b.size()));
    return diff;
}

} // namespace loopscope::views
