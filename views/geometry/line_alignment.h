#pragma once
// Which lines of two texts are the same: a longest common subsequence (Myers 1986), in stretches
// between lines that stand once in both where there are too many differences for that.

#include <utility>
#include <vector>

namespace loopscope::views {

using LinePairs = std::vector<std::pair<int, int>>; // a line of one text and its equal in the other

struct LineAlignment {
    LinePairs pairs;     // in order
    bool coarse = false; // some equal lines may be missing
};
// Lines as numbers: equal ones are equal lines.
LineAlignment align_lines(const std::vector<int>& a, const std::vector<int>& b);

} // namespace loopscope::views
