#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Fuse, MakesOneLoopOfTwo) {
    auto applied = scheduled(matmul(), "C.fuse(i, j, ij)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(nest(applied, "C"), "ij k! l!");
    EXPECT_EQ(nest(scheduled(matmul(), "C.fuse(k, l, k)\n"), "C"), "i j k!");
}

TEST(Fuse, KeepsTheKindThatBothHave) {
    EXPECT_EQ(
        nest(scheduled(chain(), "out.parallel(y)\nout.parallel(x)\nout.fuse(y, x, f)\n"), "out"),
        "f=parallel");
    EXPECT_EQ(nest(scheduled(chain(), "out.parallel(y)\nout.fuse(y, x, f)\n"), "out"), "f");
}

TEST(Fuse, KeepsTheOrderOfAFloatSumOrNot) {
    EXPECT_FALSE(
        scheduled(matmul(), "C.fuse(k, l, f)\n").state.find("C")->definitions[0].reassociates);
    EXPECT_TRUE(scheduled(matmul(), "C.reorder(l, k)\nC.fuse(l, k, f)\n")
                    .state.find("C")
                    ->definitions[0]
                    .reassociates);
}

TEST(Fuse, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.fuse(i, k, f)\n"),
              "1:11 i and k cannot be one loop: k runs over a reduction axis and the other over a "
              "free variable; fuse two loops of the same kind");
    EXPECT_EQ(refusal(matmul(), "C.fuse(l, k, f)\n"),
              "1:11 l and k are not adjacent: l is the innermost loop; bring them together first: "
              "C.reorder(l, k)");
    EXPECT_EQ(refusal(matmul(), "C.fuse(j, k, f)\n"),
              "1:11 j and k cannot be one loop: k runs over a reduction axis and the other over a "
              "free variable; fuse "
              "two loops of the same kind");
    EXPECT_EQ(refusal(matmul(), "C.fuse(i, i, f)\n"),
              "1:11 fuse needs two loops, and i is given twice; name two different loops");
    EXPECT_EQ(refusal(matmul(), "C.fuse(i, j, k)\n"),
              "1:14 C already has a loop named k; take another name");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, i)\nout.fuse(i, j, f)\n"),
              "2:10 out.i cannot be fused: C is computed at it; write this line before "
              "C.compute_at(out, i)");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, j)\nout.fuse(i, j, f)\n"),
              "2:13 out.j cannot be fused: C is computed at it; write this line before "
              "C.compute_at(out, j)");
    EXPECT_EQ(refusal(matmul(), "C.vectorize(j)\nC.fuse(i, j, f)\n"),
              "2:11 C.j cannot be fused: it is vectorised; write this line before C.vectorize(j)");
}

// What stands between the two goes inside, wherever they are.
TEST(Fuse, AnOrderThatMakesLoopsAdjacent) {
    auto made = parsed("pipeline p\ninput a[i, j, k, l]: i32[8, 8, 8, 8]\n"
                       "stage t[i, j, k, l] = a[i, j, k, l]*2\noutput t: [8, 8, 8, 8]\n");
    const std::pair<const char*, const char*> remedies[] = {
        {"t.fuse(i, k, f)\n", "t.reorder(i, k, j)"},    {"t.fuse(k, i, f)\n", "t.reorder(k, i, j)"},
        {"t.fuse(i, l, f)\n", "t.reorder(i, l, j, k)"}, {"t.fuse(l, j, f)\n", "t.reorder(l, j, k)"},
        {"t.fuse(k, j, f)\n", "t.reorder(k, j)"},
    };
    for (const auto& [line, order] : remedies) {
        EXPECT_THAT(refusal(made, line),
                    testing::EndsWith(std::string("; bring them together first: ") + order));
        EXPECT_EQ(refusal(made, order + ("\n" + std::string(line))), "applied");
    }
}

TEST(Fuse, NoOrderWhereNoneIsLegal) {
    auto made = parsed("pipeline p\nstage s[x] = 0\n"
                       "update s[i + j + k] = i - j*k over i in 0..3, j in 0..3, k in 0..3\n"
                       "output s: [24]\n");
    EXPECT_EQ(refusal(made, "s.update(0).fuse(i, k, f)\n"),
              "1:21 i and k are not adjacent: the loop just inside i is j; fuse two loops that "
              "stand next to each other");
}

TEST(Fuse, RoundTrip) { expect_round_trip("H.update(0).fuse(r, c, rc)"); }

} // namespace
} // namespace loopscope::test
