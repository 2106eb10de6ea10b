#include "views/geometry/line_diff.h"

#include "views/geometry/line_alignment.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
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

std::string_view without_indentation(std::string_view line) {
    return line.substr(std::min(line.find_first_not_of(' '), line.size()));
}

// "for", "blur_x": what a line is about; empty where it begins with a bracket.
std::string_view first_word(std::string_view line) {
    line = without_indentation(line);
    const auto in_word = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; };
    return line.substr(0, static_cast<std::size_t>(
                              std::find_if_not(line.begin(), line.end(), in_word) - line.begin()));
}

constexpr std::int64_t kMaxPairs = 250'000; // of lines of a gap that are tried: some milliseconds

// What stands between equal lines: what was removed, what was added, and what is two forms of one
// line.
class Gaps {
public:
    Gaps(const std::vector<std::string_view>& a, const std::vector<std::string_view>& b,
         LineDiff& diff)
        : diff_(diff) {
        Numbers bare, words;
        bare_a_ = bare.of(each(a, without_indentation));
        bare_b_ = bare.of(each(b, without_indentation));
        word_a_ = words.of(each(a, first_word));
        word_b_ = words.of(each(b, first_word));
        no_word_ = words.of({{}}).front();
    }

    void close(int from_a, int to_a, int from_b, int to_b) {
        const std::int64_t n = to_a - from_a, m = to_b - from_b;
        if (n == 1 && m == 1)
            pair(from_a, from_b);
        else if (n > 0 && m > 0 && n * m <= kMaxPairs)
            pair_kin(from_a, to_a, from_b, to_b);
        else
            pair_in_order(from_a, to_a, from_b, to_b);
    }

private:
    static std::vector<std::string_view> each(std::vector<std::string_view> lines,
                                              std::string_view (*what)(std::string_view)) {
        for (std::string_view& line : lines)
            line = what(line);
        return lines;
    }

    void pair(int in_a, int in_b) {
        diff_.lines.push_back({LineChange::Before, in_a, -1});
        diff_.lines.push_back({LineChange::After, -1, in_b});
        ++diff_.changed;
    }

    void replace(int from_a, int to_a, int from_b, int to_b) {
        for (; from_a < to_a; ++from_a, ++diff_.removed)
            diff_.lines.push_back({LineChange::Removed, from_a, -1});
        for (; from_b < to_b; ++from_b, ++diff_.added)
            diff_.lines.push_back({LineChange::Added, -1, from_b});
    }

    void pair_in_order(int from_a, int to_a, int from_b, int to_b) {
        while (from_a < to_a && from_b < to_b)
            pair(from_a++, from_b++);
        replace(from_a, to_a, from_b, to_b);
    }

    // How much speaks for two lines being forms of one: most where only the indentation differs,
    // some where they begin alike.
    int kinship(int in_a, int in_b) const {
        const auto i = static_cast<std::size_t>(in_a), j = static_cast<std::size_t>(in_b);
        return bare_a_[i] == bare_b_[j]                             ? 3
               : word_a_[i] == word_b_[j] && word_a_[i] != no_word_ ? 1
                                                                    : 0;
    }

    // The pairs, in order in both, of the most kinship.
    void pair_kin(int from_a, int to_a, int from_b, int to_b) {
        const auto width = static_cast<std::size_t>(to_b - from_b) + 1;
        std::vector<int> most((static_cast<std::size_t>(to_a - from_a) + 1) * width, 0);
        auto at = [&](int i, int j) -> int& {
            return most[static_cast<std::size_t>(i - from_a) * width +
                        static_cast<std::size_t>(j - from_b)];
        };
        for (int i = to_a - 1; i >= from_a; --i)
            for (int j = to_b - 1; j >= from_b; --j) {
                const int kin = kinship(i, j);
                at(i, j) = std::max({at(i + 1, j), at(i, j + 1), kin + at(i + 1, j + 1)});
            }
        int next_a = from_a, next_b = from_b;
        for (int i = from_a, j = from_b; i < to_a && j < to_b;) {
            const int kin = kinship(i, j);
            if (kin > 0 && at(i, j) == kin + at(i + 1, j + 1)) {
                replace(next_a, i, next_b, j);
                pair(i, j);
                next_a = ++i;
                next_b = ++j;
            } else if (at(i + 1, j) >= at(i, j + 1)) {
                ++i;
            } else {
                ++j;
            }
        }
        replace(next_a, to_a, next_b, to_b);
    }

    LineDiff& diff_;
    std::vector<int> bare_a_, bare_b_, word_a_, word_b_;
    int no_word_ = 0;
};

} // namespace

LineDiff line_diff(std::string_view before, std::string_view after) {
    Numbers numbers;
    const auto lines_a = split_lines(before), lines_b = split_lines(after);
    const std::vector<int> a = numbers.of(lines_a), b = numbers.of(lines_b);
    const LineAlignment alignment = align_lines(a, b);
    LineDiff diff;
    diff.coarse = alignment.coarse;
    Gaps gaps(lines_a, lines_b, diff);
    int next_a = 0, next_b = 0;
    for (const auto& [in_a, in_b] : alignment.pairs) {
        gaps.close(next_a, in_a, next_b, in_b);
        diff.lines.push_back({LineChange::Same, in_a, in_b});
        next_a = in_a + 1;
        next_b = in_b + 1;
    }
    gaps.close(next_a, static_cast<int>(a.size()), next_b, static_cast<int>(b.size()));
    return diff;
}

LinePart changed_part(std::string_view before, std::string_view after) {
    auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t begin = 0, tail = 0;
    while (begin < shorter && before[begin] == after[begin])
        ++begin;
    while (begin > 0 && ((begin < before.size() && continues(before[begin])) ||
                         (begin < after.size() && continues(after[begin]))))
        --begin; // not inside a character
    while (tail < shorter - begin &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
        ++tail;
    while (tail > 0 && continues(before[before.size() - tail]))
        --tail;
    return {static_cast<int>(begin), static_cast<int>(before.size() - tail),
            static_cast<int>(after.size() - tail)};
}

} // namespace loopscope::views
