#pragma once
// Which lines of a text differ from another's: a longest common subsequence of lines (Myers 1986,
// "An O(ND) Difference Algorithm and Its Variations"), put into words that a view can draw.

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
    // Some stretch differs in more than 2,000 places and has no line that stands once in both
    // texts: all of it counts as replaced. Or the work was ended, which grows with the texts' size
    // times their differences.
    bool coarse = false;
    bool same() const { return added == 0 && removed == 0 && changed == 0; }
};

// Texts are split at line feeds; a last one ends the last line. Where removed and added lines stand
// together, those that differ in indentation alone or begin with the same word are the two forms of
// a changed line, and so is one line in the place of one.
LineDiff line_diff(std::string_view before, std::string_view after);

// What differs between two forms of a line: bytes [begin, end_before) of one, [begin, end_after) of
// the other. Whole characters.
struct LinePart {
    int begin = 0, end_before = 0, end_after = 0;
    bool operator==(const LinePart&) const = default;
};
LinePart changed_part(std::string_view before, std::string_view after);

std::vector<std::string_view> split_lines(std::string_view text);

} // namespace loopscope::views
