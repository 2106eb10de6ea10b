#pragma once
// Which lines of a text differ from another's: a longest common subsequence of lines (Myers 1986, "An O(ND) Difference
// Algorithm and Its Variations"), put into words that a view can draw.

#include <string>
#include <string_view>
#include <vector>

namespace loopscope::views {

enum class LineChange {
    Same,
    Added,   // only in the newer text
    Removed, // only in the older text
    Before,  // the older form of a line that changed
    After,   // its newer form, after the older one
};

struct DiffLine {
    LineChange change = LineChange::Same;
    int before = -1, after = -1; // line in each text, from 0; -1: in that text there is none
    bool operator==(const DiffLine&) const = default;
};

struct LineDiff {
    std::vector<DiffLine> lines; // in the order in which both texts are read as one
    int added = 0, removed = 0, changed = 0;
    // The texts differ in more than kMostDifferences places: then everything between the first and the last difference
    // counts as replaced.
    bool coarse = false;
    bool same() const { return added == 0 && removed == 0 && changed == 0; }
};

constexpr int kMostDifferences = 2000; // lines added and removed; bounds time and memory (16 MB)

// Texts are split at line feeds; a last one ends the last line. Where removed lines are followed by added ones, they are
// paired as changed lines, one by one from the first on.
LineDiff line_diff(std::string_view before, std::string_view after);

std::vector<std::string_view> split_lines(std::string_view text);

} // namespace loopscope::views
