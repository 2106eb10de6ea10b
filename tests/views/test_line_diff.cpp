// Differences of texts by lines: what is said must turn one text into the other, and be the least
// that does.

#include "views/geometry/line_diff.h"

#include <gtest/gtest.h>

#include <chrono>
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

// A guard goes, and what it held moves out: the guard was removed, and the rest only changed its
// indentation.
TEST(LineDiff, LinesThatMovedInOrOutStayTogether) {
    const LineDiff d = line_diff("for x\n    if g\n        store a\n        store b\nend\n",
                                 "for x\n    store a\n    store b\nend\n");
    const std::vector<DiffLine> wanted{{LineChange::Same, 0, 0},    {LineChange::Removed, 1, -1},
                                       {LineChange::Before, 2, -1}, {LineChange::After, -1, 1},
                                       {LineChange::Before, 3, -1}, {LineChange::After, -1, 2},
                                       {LineChange::Same, 4, 3}};
    EXPECT_EQ(d.lines, wanted);
    EXPECT_EQ(d.changed, 2);
    EXPECT_EQ(d.removed, 1);
}

// A loop is gone and its body says it in one line: the body's line is the one that changed.
TEST(LineDiff, LinesThatBeginAlikeArePaired) {
    const LineDiff d = line_diff("for v in 0..8 {\n    a[v] = b[v]\n}\nend\n",
                                 "a[ramp(0, 8)] = b[ramp(0, 8)]\nend\n");
    const std::vector<DiffLine> wanted{{LineChange::Removed, 0, -1},
                                       {LineChange::Before, 1, -1},
                                       {LineChange::After, -1, 0},
                                       {LineChange::Removed, 2, -1},
                                       {LineChange::Same, 3, 1}};
    EXPECT_EQ(d.lines, wanted);
    EXPECT_EQ(line_diff("x\n", "y\n").changed, 1) << "one line in the place of one";
    EXPECT_EQ(line_diff("x\n", "y\nz\n").changed, 0) << "nothing says which";
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

// Two texts of 50,000 lines that differ in half of them: lines that stand once hold them together.
TEST(LineDiff, OfManyDifferencesIsCutAtLinesThatStandOnce) {
    std::string before, after;
    for (int i = 0; i < 25000; ++i) {
        const std::string kept = "kept " + std::to_string(i) + '\n';
        before += kept + "    store a\n";
        after += kept + (i % 2 == 0 ? "    store b\n" : "    store c\n    store d\n");
    }
    const auto begin = std::chrono::steady_clock::now();
    const LineDiff d = line_diff(before, after);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_FALSE(d.coarse);
    EXPECT_EQ(d.changed, 25000);
    EXPECT_EQ(d.added, 12500);
    EXPECT_EQ(d.removed, 0);
    expect_rebuilds(before, after, d);
    EXPECT_LT(seconds, 5) << "bounded";
}

// Lines that all repeat, in an order of their own in each text: nothing to cut at, and the work
// still ends.
TEST(LineDiff, OfManyRepeatedLinesIsBounded) {
    std::mt19937 random(3);
    std::string before, after;
    for (int i = 0; i < 50000; ++i) {
        before += std::string(1, static_cast<char>('a' + random() % 4)) + '\n';
        after += std::string(1, static_cast<char>('a' + random() % 4)) + '\n';
    }
    const auto begin = std::chrono::steady_clock::now();
    const LineDiff d = line_diff(before, after);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_TRUE(d.coarse);
    expect_rebuilds(before, after, d);
    EXPECT_LT(seconds, 5) << "bounded";
}

TEST(LineDiff, OfTextsOfUnequalLengthKeepsWhatTheyShare) {
    std::string before = "begin\nmiddle\nend\n", after = "begin\n";
    for (int i = 0; i < 6000; ++i)
        after += "x" + std::to_string(i % 7) + '\n';
    after += "middle\n";
    for (int i = 0; i < 6000; ++i)
        after += "y" + std::to_string(i % 7) + '\n';
    const LineDiff d = line_diff(before, after + "end\n");
    EXPECT_EQ(d.added, 12000);
    EXPECT_EQ(d.changed + d.removed, 0);
    EXPECT_FALSE(d.coarse);
}

TEST(LineDiff, NamesThePartOfALineThatChanged) {
    EXPECT_EQ(changed_part("C.split(k, 8)", "C.split(k, 16)"), (LinePart{11, 12, 13}));
    EXPECT_EQ(changed_part("abc", "abc"), (LinePart{3, 3, 3}));
    EXPECT_EQ(changed_part("", "abc"), (LinePart{0, 0, 3}));
    EXPECT_EQ(changed_part("aa", "aaa"), (LinePart{2, 2, 3})) << "ends do not overlap";
    // "ä" and "ö" differ in their second byte: the part is whole characters.
    EXPECT_EQ(changed_part("x\xc3\xa4y", "x\xc3\xb6y"), (LinePart{1, 3, 3}));
    EXPECT_EQ(changed_part("x\xc3\xa4y", "x\xc2\xa4y"), (LinePart{1, 3, 3}));
}

} // namespace loopscope::views::test
