#include "core/schedule/sliding.h"

#include <gtest/gtest.h>

namespace loopscope::test {
namespace {

FormInterval interval(const LinearForm& least, const LinearForm& greatest) {
    return {least, greatest, true};
}

// One dimension alone, with loops y and, inside it, x.
struct Loops {
    std::vector<SlidingLoop> list{{"y", {0, 63}}, {"x", {0, 31}}};
    LinearForm y = variable_form("y", {0, 63}), x = variable_form("x", {0, 31});
};

TEST(Sliding, AStencilComputesOneRowAnIteration) {
    Loops l;
    auto s = find_sliding({interval(l.y - 1, l.y + 1)}, {true}, {l.list[0]});
    EXPECT_TRUE(s.dimensions[0].slides);
    EXPECT_FALSE(s.dimensions[0].downward);
    EXPECT_EQ(s.dimensions[0].step, 1);
    EXPECT_EQ(s.dimensions[0].window, 3); // Sioutas eq. 5.9: 1 + 2 rows
    EXPECT_TRUE(s.dimensions[0].folds);
    EXPECT_EQ(s.warm_up, std::vector<std::int64_t>{2}); // Fig. 5.2 c: from -2
    EXPECT_FALSE(s.moves[0]);
}

TEST(Sliding, DownwardsToo) {
    Loops l;
    auto s = find_sliding({interval(l.y * -1 + 62, l.y * -1 + 64)}, {true}, {l.list[0]});
    EXPECT_TRUE(s.dimensions[0].slides && s.dimensions[0].downward);
    EXPECT_EQ(s.warm_up, std::vector<std::int64_t>{2});
}

TEST(Sliding, StridesComputeSeveral) {
    Loops l; // S[2*y - 1 .. 2*y + 1]: two new elements, of three
    auto s = find_sliding({interval(l.y * 2 - 1, l.y * 2 + 1)}, {true}, {l.list[0]});
    EXPECT_EQ(s.dimensions[0].step, 2);
    EXPECT_EQ(s.warm_up, std::vector<std::int64_t>{1});
    // Windows that do not overlap have nothing to keep; the memory holds one of them all the same.
    s = find_sliding({interval(l.y * 3, l.y * 3 + 2)}, {true}, {l.list[0]});
    EXPECT_FALSE(s.dimensions[0].slides);
    EXPECT_TRUE(s.dimensions[0].folds);
    EXPECT_EQ(s.dimensions[0].window, 3);
    EXPECT_EQ(s.warm_up, std::vector<std::int64_t>{0});
}

TEST(Sliding, UpsamplingRunsOnlyWhereTheWindowMoves) {
    Loops l; // S[y/2 .. y/2 + 1]
    auto half = floor_divide(l.y, 2);
    auto s = find_sliding({interval(half, half + 1)}, {true}, {l.list[0]});
    EXPECT_TRUE(s.dimensions[0].slides);
    EXPECT_EQ(s.dimensions[0].step, 1);
    EXPECT_EQ(s.dimensions[0].window, 2);
    ASSERT_TRUE(s.moves[0]);
    EXPECT_EQ(s.moves[0]->key(), (half + 1).key());
    EXPECT_EQ(s.warm_up,
              std::vector<std::int64_t>{1}); // element 0, before element 1 in iteration 0
}

TEST(Sliding, TwoDimensionsAlongTwoLoops) {
    Loops l;
    auto s = find_sliding({interval(l.y - 1, l.y + 1), interval(l.x - 1, l.x + 1)}, {true, true},
                          l.list);
    EXPECT_TRUE(s.dimensions[0].slides && s.dimensions[1].slides);
    EXPECT_TRUE(s.dimensions[0].folds);
    EXPECT_FALSE(s.dimensions[1].folds) << "rows are needed again when x starts anew";
    EXPECT_EQ(s.warm_up, (std::vector<std::int64_t>{2, 2}));
}

TEST(Sliding, NotWhereTheNewPartIsNoBox) {
    Loops l; // along a diagonal
    auto s = find_sliding({interval(l.y - 1, l.y + 1), interval(l.y - 1, l.y + 1)}, {true, true},
                          {l.list[0]});
    EXPECT_FALSE(s.dimensions[0].slides || s.dimensions[1].slides);
    EXPECT_TRUE(s.dimensions[0].folds && s.dimensions[1].folds);
    // Nor where an update reads other elements along the dimension.
    s = find_sliding({interval(l.y - 1, l.y + 1)}, {false}, {l.list[0]});
    EXPECT_FALSE(s.dimensions[0].slides);
}

TEST(Sliding, GoesOnFromTileToTile) {
    // y = yo*8 + yi: the outer loop takes over where the inner one ended, so that only it warms up.
    auto yo = variable_form("yo", {0, 7}), yi = variable_form("yi", {0, 7});
    std::vector<SlidingLoop> loops{{"yo", {0, 7}}, {"yi", {0, 7}}};
    auto y = yo * 8 + yi;
    auto s = find_sliding({interval(y - 1, y + 1)}, {true}, loops);
    EXPECT_TRUE(s.dimensions[0].slides);
    EXPECT_EQ(s.warm_up, (std::vector<std::int64_t>{1, 0}));
    EXPECT_EQ(s.dimensions[0].window, 3);
    // Stored inside yo, every tile warms up for itself.
    s = find_sliding({interval(y - 1, y + 1)}, {true}, {loops[1]});
    EXPECT_EQ(s.warm_up, std::vector<std::int64_t>{2});
    // Another loop between them starts the rows anew.
    loops.insert(loops.begin() + 1, {"xo", {0, 3}});
    s = find_sliding({interval(y - 1, y + 1)}, {true}, loops);
    EXPECT_EQ(s.warm_up, (std::vector<std::int64_t>{0, 0, 2}));
}

} // namespace
} // namespace loopscope::test
