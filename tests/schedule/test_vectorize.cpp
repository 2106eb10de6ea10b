#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Vectorize, OfAnyLoop) {
    EXPECT_EQ(nest(scheduled(matmul(), "C.vectorize(i)\n"), "C"), "i=vectorised j k! l!");
}

TEST(Vectorize, WithAFactorSplitsFirst) {
    auto applied = scheduled(matmul(), "C.vectorize(j, native)\n");
    EXPECT_EQ(nest(applied, "C"), "i j j_v=vectorised k! l!");
    EXPECT_EQ(applied.state.find("C")->definitions[0].relations.at(0).factor, 8);
    EXPECT_FALSE(applied.state.find("C")->definitions[0].reassociates);
}

TEST(Vectorize, OfAReductionAxisIsAVectorReduction) {
    auto sum = scheduled(matmul(), "C.vectorize(k, 8)\n");
    EXPECT_EQ(nest(sum, "C"), "i j k! k_v!=vectorised l!");
    EXPECT_TRUE(sum.state.find("C")->definitions[0].reassociates);
    auto most = scheduled(reduction(ReductionOp::Max, ScalarType::F32), "M.vectorize(l)\n");
    EXPECT_EQ(refusal(most), "applied");
    EXPECT_FALSE(most.state.find("M")->definitions[0].reassociates);
    EXPECT_FALSE(scheduled(reduction(ReductionOp::Sum, ScalarType::I32), "M.vectorize(l)\n")
                     .state.find("M")
                     ->definitions[0]
                     .reassociates);
}

TEST(Vectorize, OfUpdatesNeedsDistinctElements) {
    auto row = update({{v("r"), v("c")}, UpdateOp::Add, input_at({v("r"), v("c")}), nullptr});
    EXPECT_EQ(refusal(row, "S.update(0).vectorize(c, 4)\n"), "applied");
    auto column = update({{v("y"), v("r")}, UpdateOp::Add, input_at({v("r"), v("c")}), nullptr});
    EXPECT_EQ(refusal(column, "S.update(0).vectorize(c, 4)\n"),
              "1:23 S.update(0).c_v cannot be vectorised: S[y, r], written at r = 1, c = 0, is "
              "written again at r = 1, c "
              "= 1, at a distance of (0, 1); legal to vectorise: y, r; after S.update(0).atomic() "
              "iterations may collide; R = S.update(0).rfactor(c) makes them independent in R");
    EXPECT_EQ(refusal(column, "S.update(0).vectorize(y, 4)\n"), "applied");
    EXPECT_NE(refusal(histogram(), "H.update(0).vectorize(c, 4)\n"), "applied");
}

// Split by 8, r (of 6) has one outer iteration, which carries nothing; but r itself cannot be
// vectorised.
TEST(Vectorize, NamesAsLegalWhatIsLegalBeforeTheSplit) {
    auto refused = refusal(histogram(), "H.update(0).vectorize(r, 8)\n");
    EXPECT_NE(refused.find("legal to vectorise: no loop of H.update(0);"), std::string::npos)
        << refused;
}

TEST(Vectorize, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.vectorize(jj)\n"),
              "1:13 C has no loop jj; its loops are i, j, k, l; did you mean j?");
    EXPECT_EQ(
        refusal(matmul(), "C.vectorize(j, 8)\nC.vectorize(j_v, 4)\n"),
        "2:13 C.j_v cannot be split: it is vectorised; vectorize last: C.split(j, j, j_v, 8), then "
        "this line, then C.vectorize(…)");
    EXPECT_EQ(refusal(matmul(), "C.split(j, j, j_v, 8)\nC.vectorize(j_v, 4)\n"), "applied")
        << "the remedy";
    EXPECT_EQ(refusal(matmul(), "C.vectorize(j)\nC.vectorize(j, 4)\n"),
              "2:13 C.j cannot be split: it is vectorised; write this line before C.vectorize(j)");
    EXPECT_EQ(refusal(matmul(), "C.vectorize(j)\nC.vectorize(i)\n"),
              "2:13 C cannot have two vectorised loops, i and j; make one of them serial or "
              "unrolled, or fuse them and "
              "vectorise the fused loop");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, i)\nout.vectorize(i)\n"),
              "2:15 C cannot be computed at out.i, which is vectorised: its lanes run at once; "
              "legal for C: "
              "compute_root()");
    EXPECT_EQ(refusal(matmul(), "C.vectorize(j, 2000)\n"),
              "1:16 a factor of 2000 is too large here; at most 1024; split for more");
    EXPECT_EQ(refusal(matmul(), "C.vectorize(j, 4*nativ)\n"),
              "1:16 '4*nativ' is no factor; a factor is a whole number from 1, native, or such as "
              "4*native");
}

// The line itself would make i_v: what comes before it cannot name that.
TEST(Vectorize, RemediesNameLoopsThatThereAre) {
    EXPECT_EQ(refusal(chain(), "a.parallel(x)\na.vectorize(y, 4)\n"),
              "2:13 a.x cannot be parallel inside y_v, which is vectorised: its lanes run at once; "
              "put x outside: a.reorder(x, y)");
    EXPECT_EQ(refusal(chain(), "a.parallel(x)\na.reorder(x, y)\na.vectorize(y, 4)\n"), "applied");
    EXPECT_EQ(refusal(chain(), "a.vectorize(y, 4)\na.parallel(x)\n"),
              "2:12 a.x cannot be parallel inside y_v, which is vectorised: its lanes run at once; "
              "put x outside: a.reorder(x, y_v)");
    EXPECT_EQ(refusal(chain(), "a.vectorize(y, 4)\na.reorder(x, y_v)\na.parallel(x)\n"), "applied");
    // One that a line of its own made has a name before this one.
    EXPECT_EQ(refusal(chain(), "a.parallel(x)\na.split(y, yo, yi, 8)\n"
                               "a.vectorize(yi, 4)\n"),
              "3:13 a.x cannot be parallel inside yi_v, which is vectorised: its lanes run at "
              "once; put x outside: a.reorder(x, yi)");
    EXPECT_EQ(refusal(chain(), "a.parallel(x)\na.split(y, yo, yi, 8)\n"
                               "a.reorder(x, yi)\na.vectorize(yi, 4)\n"),
              "applied");
}

TEST(Vectorize, RoundTrip) {
    expect_round_trip("C.vectorize(j)");
    expect_round_trip("C.vectorize(j, native)");
    expect_round_trip("C.vectorize(j, native, shift)");
    expect_round_trip("C.update(1).vectorize(j, 2*native)");
}

} // namespace
} // namespace loopscope::test
