// Differences of texts by lines: what is said must turn one text into the other, and be the least that does.

#include "views/geometry/line_diff.h"

#include <gtest/gtest.h>

#include <random>

namespace loopscope::views::test {

namespace {

std::string join(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines)
        text += line + '\n';
    return text;
}

// What the diff says the two texts are, put together again.
void expect_rebuilds(const std::string& before, const std::string& after, const LineDiff& diff) {
    const auto a = split_lines(before), b = split_lines(after);
    std::size_t next_a = 0, next_b = 0;
    for (const DiffLine& line : diff.lines) {
        if (line.before >= 0) {
            EXPECT_EQ(static_cast<std::size_t>(line.before), next_a++);
        }
        if (line.after >= 0) {
            EXPECT_EQ(static_cast<std::size_t>(line.after), next_b++);
        }
        if (line.change == LineChange::Same) {
            EXPECT_EQ(a[static_cast<std::size_t>(line.before)],
                      b[static_cast<std::size_t>(line.after)]);
        }
        EXPECT_EQ(line.before < 0,
                  line.change == LineChange::Added || line.change == LineChange::After);
        EXPECT_EQ(line.after < 0,
                  line.change == LineChange::Removed || line.change == LineChange::Before);
    }
    EXPECT_EQ(next_a, a.size());
    EXPECT_EQ(next_b, b.size());
}

// The length of the longest common subsequence, by the table that everybody knows.
std::size_t common_lines(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    std::vector<std::vector<std::size_t>> t(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < b.size(); ++j)
            t[i + 1][j + 1] = a[i] == b[j] ? t[i][j] + 1 : std::max(t[i][j + 1], t[i + 1][j]);
    return t[a.size()][b.size()];
}

} // namespace

TEST(LineDiff, NamesWhatWasAddedRemovedAndChanged) {
    const LineDiff d = line_diff("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
    EXPECT_EQ(d.changed, 1);
    EXPECT_EQ(d.added, 1);
    EXPECT_EQ(d.removed, 0);
    const std::vector<DiffLine> wanted{{LineChange::Same, 0, 0},   {LineChange::Before, 1, -1},
                                       {LineChange::After, -1, 1}, {LineChange::Same, 2, 2},
                                       {LineChange::Same, 3, 3},   {LineChange::Added, -1, 4}};
    EXPECT_EQ(d.lines, wanted);
    EXPECT_EQ(line_diff("a\nb\n", "b\n").removed, 1);
}

TEST(LineDiff, OfEqualAndOfEmptyTexts) {
    EXPECT_TRUE(line_diff("", "").same());
    EXPECT_TRUE(line_diff("a\nb", "a\nb").same());
    EXPECT_TRUE(line_diff("a\nb", "a\nb\n").same()) << "a last line feed ends the last line";
    EXPECT_EQ(line_diff("", "a\nb\n").added, 2);
    EXPECT_EQ(line_diff("a\nb\n", "").removed, 2);
}

TEST(LineDiff, IsTheLeastOfRandomTexts) {
    std::mt19937 random(7);
    for (int round = 0; round < 400; ++round) {
        std::vector<std::string> a, b;
        const int letters = 2 + static_cast<int>(random() % 5);
        for (auto* lines : {&a, &b})
            for (int n = static_cast<int>(random() % 25); n > 0; --n)
                lines->push_back(std::string(1, static_cast<char>('a' + random() % letters)));
        const LineDiff d = line_diff(join(a), join(b));
        expect_rebuilds(join(a), join(b), d);
        std::size_t same = 0;
        for (const DiffLine& line : d.lines)
            same += line.change == LineChange::Same;
        EXPECT_EQ(same, common_lines(a, b)) << join(a) << "--\n" << join(b);
        EXPECT_FALSE(d.coarse);
    }
}

TEST(LineDiff, OfTextsWithoutAnythingInCommonIsBounded) {
    std::string before = "first\n", after = "first\n";
    for (int i = 0; i < 20000; ++i) {
        before += "old " + std::to_string(i) + '\n';
        after += "new " + std::to_string(i) + '\n';
    }
    const LineDiff d = line_diff(before + "last\n", after + "last\n");
    EXPECT_TRUE(d.coarse);
    EXPECT_EQ(d.changed, 20000);
    expect_rebuilds(before + "last\n", after + "last\n", d);
}

} // namespace loopscope::views::test
