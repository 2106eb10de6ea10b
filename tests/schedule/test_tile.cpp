#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Tile, GathersTheOuterLoops) {
    EXPECT_EQ(nest(scheduled(chain(), "out.tile(y, x, yo, xo, yi, xi, 16, 8)\n"), "out"),
              "yo xo yi xi");
}

TEST(Tile, OuterLoopFirstEvenIfItStoodInside) {
    EXPECT_EQ(nest(scheduled(chain(), "out.tile(x, y, xo, yo, xi, yi, 16, 8)\n"), "out"),
              "xo yo xi yi");
}

TEST(Tile, ALoopBetweenStaysBetween) {
    EXPECT_EQ(
        nest(scheduled(matmul(), "C.reorder(i, k, j)\nC.tile(i, j, io, jo, ii, ji, 4, 4)\n"), "C"),
        "io jo k! ii ji l!");
}

TEST(Tile, NewNamesMayReuseBothOldOnes) {
    auto applied = scheduled(chain(), "out.tile(y, x, yo, xo, x, y, 16, 8)\n");
    EXPECT_EQ(nest(applied, "out"), "yo xo x y");
    const auto& relations = applied.state.find("out")->definitions[0].relations;
    ASSERT_EQ(relations.size(), 2u);
    EXPECT_EQ(relations[0].factor, 16);
    EXPECT_EQ(relations[1].factor, 8);
    EXPECT_EQ(relations[0].inner, applied.state.find("out")->definitions[0].find("x")->id);
}

TEST(Tile, MayChangeTheOrderOfAFloatSum) {
    EXPECT_TRUE(scheduled(matmul(), "C.tile(k, l, ko, lo, ki, li, 4, 2)\n")
                    .state.find("C")
                    ->definitions[0]
                    .reassociates);
}

TEST(Tile, Refusals) {
    EXPECT_EQ(refusal(chain(), "out.tile(y, y, yo, xo, yi, xi, 16, 8)\n"),
              "1:13 tile needs two loops, and y is given twice; name two different loops");
    EXPECT_EQ(refusal(chain(), "out.tile(y, z, yo, xo, yi, xi, 16, 8)\n"),
              "1:13 out has no loop z; its loops are y, x");
    EXPECT_EQ(refusal(chain(), "out.tile(y, x, yo, yo, yi, xi, 16, 8)\n"),
              "1:20 two new loops cannot both be named yo; take another name for one of them");
    EXPECT_EQ(
        refusal(chain(), "out.vectorize(x)\nout.tile(y, x, yo, xo, yi, xi, 16, 8)\n"),
        "2:13 out.x cannot be tiled: it is vectorised; write this line before out.vectorize(x)");
    EXPECT_EQ(refusal(chain(), "out.tile(y, x, yo, xo, yi, xi, 16)\n"),
              "1:34 tile needs a factor here; write S.tile(y, x, y_outer, x_outer, y_inner, "
              "x_inner, y_factor, x_factor [, "
              "tail])");
    EXPECT_EQ(refusal(chain(), "out.tile(y, x, yo, xo, yi, xi, 16, 8, pad)\n"),
              "1:39 the tail pad computes beyond what is needed of out, which is an output: its "
              "storage is the caller's; write guard, which computes each point once, or shift");
}

TEST(Tile, TheTailIsThatOfBothSplits) {
    auto applied = scheduled(chain(), "a.tile(y, x, yo, xo, yi, xi, 5, 7, shift)\n");
    const auto& relations = applied.state.find("a")->definitions[0].relations;
    ASSERT_EQ(relations.size(), 2u);
    EXPECT_EQ(relations[0].tail, Tail::Shift);
    EXPECT_EQ(relations[1].tail, Tail::Shift);
}

TEST(Tile, RoundTrip) {
    expect_round_trip("out.tile(y, x, yo, xo, yi, xi, 16, 2*native)");
    expect_round_trip("out.tile(y, x, yo, xo, yi, xi, 16, 8, shift)");
}

} // namespace
} // namespace loopscope::test
