#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Parallel, OfFreeVariables) {
    EXPECT_EQ(nest(scheduled(matmul(), "C.parallel(i)\nC.parallel(j)\n"), "C"),
              "i=parallel j=parallel k! l!");
    EXPECT_EQ(refusal(matmul(), "C.reorder(k, i)\nC.parallel(i)\n"), "applied");
}

TEST(Parallel, NotOfAReductionAxis) {
    auto remedy = [](const std::string& loop) {
        return "; legal to run in parallel: i, j; after C.atomic() iterations may collide; R = "
               "C.rfactor(" +
               loop + ") makes them independent in R";
    };
    EXPECT_EQ(refusal(matmul(), "C.parallel(k)\n"),
              std::string("1:12 C.k cannot be parallel: it runs over a reduction axis, and all its "
                          "iterations combine into "
                          "the same element") +
                  remedy("k"));
    EXPECT_EQ(refusal(matmul(), "C.split(k, ko, ki, 8)\nC.parallel(ko)\n"),
              std::string("2:12 C.ko cannot be parallel: it runs over a reduction axis, and all "
                          "its iterations combine "
                          "into the same element") +
                  remedy("ko"));
    EXPECT_NE(refusal(reduction(ReductionOp::Max, ScalarType::I32), "M.parallel(k)\n"), "applied");
}

TEST(Parallel, OfScatteredCountsIsRefused) {
    EXPECT_EQ(
        refusal(histogram(), "H.update(0).parallel(r)\n"),
        "1:22 H.update(0).r cannot be parallel: H[i32(img[r, c])], written in one iteration, "
        "and H[i32(img[r, c])], "
        "written in another, may be the same element: an index depends on data, is not affine "
        "or may wrap; legal to run in "
        "parallel: no loop of H.update(0); after H.update(0).atomic() iterations may collide; "
        "R = H.update(0).rfactor(r) makes them independent in R");
}

TEST(Parallel, OfAScan) {
    // S[y, r] = S[y, r - 1] over r (and c, which repeats it)
    auto scan =
        update({{v("y"), v("r")}, UpdateOp::Assign, self({v("y"), plus(v("r"), -1)}), nullptr});
    EXPECT_EQ(refusal(scan, "S.update(0).parallel(y)\n"), "applied");
    auto refused = refusal(scan, "S.update(0).parallel(r)\n");
    EXPECT_EQ(refused, "1:22 S.update(0).r cannot be parallel: S[y, r], written at r = 1, c = 0, "
                       "is read as S[y, r - 1] at r = 2, "
                       "c = 0, at a distance of (1, 0); legal to run in parallel: y");
}

TEST(Parallel, OfDistantReads) {
    // S[y, r + 20] = S[y, r]: r runs over 1..17, so that no read meets a write.
    auto apart = update(
        {{v("y"),
          binary(Op::Add, binary(Op::Multiply, v("r"), constant_index(12)), plus(v("c"), 250))},
         UpdateOp::Assign,
         self({v("y"), binary(Op::Add, binary(Op::Multiply, v("r"), constant_index(12)), v("c"))}),
         nullptr});
    EXPECT_EQ(refusal(apart, "S.update(0).parallel(r)\nS.update(0).parallel(c)\n"), "applied");
    // At a distance of 4 in r they do; within blocks of 4 they do not.
    auto near =
        update({{v("r"), v("c")}, UpdateOp::Assign, self({plus(v("r"), -4), v("c")}), nullptr});
    EXPECT_EQ(refusal(near, "S.update(0).split(r, ro, ri, 4)\nS.update(0).parallel(ri)\n"),
              "applied");
    EXPECT_THAT(refusal(near, "S.update(0).split(r, ro, ri, 4)\nS.update(0).parallel(ro)\n"),
                testing::HasSubstr("at a distance of (4, 0)"));
    EXPECT_THAT(refusal(near, "S.update(0).split(r, ro, ri, 5)\nS.update(0).parallel(ri)\n"),
                testing::HasSubstr("cannot be parallel"));
}

TEST(Parallel, TheConditionCounts) {
    // Solving a triangle: S[y, r] reads S[y, c] where c < r.
    auto less = binary(Op::Less, v("c"), v("r"));
    auto triangle = update({{v("y"), v("r")}, UpdateOp::Add, self({v("y"), v("c")}), less});
    EXPECT_THAT(refusal(triangle, "S.update(0).parallel(r)\n"), testing::HasSubstr("S[y, c]"));
    // Rows below 6 from rows from 6 on: no row is both.
    auto halves = binary(Op::LogicalAnd, binary(Op::Less, v("r"), constant_index(6)),
                         binary(Op::GreaterEqual, v("c"), constant_index(6)));
    auto apart = update({{v("y"), v("r")}, UpdateOp::Add, self({v("y"), v("c")}), halves});
    EXPECT_EQ(refusal(apart, "S.update(0).parallel(r)\n"), "applied");
}

TEST(Parallel, AnEarlierParallelLoopIsHeldAgainstLaterDirectives) {
    // S[r, c] = S[r - 1, c + 1]: c is free to run at once inside r, not outside it.
    auto skewed = update(
        {{v("r"), v("c")}, UpdateOp::Assign, self({plus(v("r"), -1), plus(v("c"), 1)}), nullptr});
    EXPECT_EQ(refusal(skewed, "S.update(0).parallel(c)\n"), "applied");
    EXPECT_THAT(refusal(skewed, "S.update(0).parallel(c)\nS.update(0).reorder(c, r)\n"),
                testing::HasSubstr("distance of (1, -1)"));
    auto straight = update(
        {{v("r"), v("c")}, UpdateOp::Assign, self({plus(v("r"), -1), plus(v("c"), -1)}), nullptr});
    EXPECT_THAT(refusal(straight, "S.update(0).parallel(c)\nS.update(0).reorder(c, r)\n"),
                testing::HasSubstr("S.update(0).c cannot be parallel"));
}

TEST(Parallel, NotInsideAVectorizedLoop) {
    EXPECT_EQ(refusal(chain(), "out.vectorize(y)\nout.parallel(x)\n"),
              "2:14 out.x cannot be parallel inside y, which is vectorised: its lanes run at once; "
              "put x outside: "
              "out.reorder(x, y)");
}

TEST(Parallel, RoundTrip) { expect_round_trip("H.update(0).parallel(r)"); }

} // namespace
} // namespace loopscope::test
