#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Reorder, UnnamedLoopsKeepTheirPlaces) {
    EXPECT_EQ(nest(scheduled(matmul(), "C.reorder(k, i)\n"), "C"), "k! j i l!");
    EXPECT_EQ(nest(scheduled(matmul(), "C.reorder(l, k, j, i)\n"), "C"), "l! k! j i");
}

TEST(Reorder, MarksAFloatSumWhoseOrderChanges) {
    auto marked = [](const PipelinePtr& pipeline, const std::string& lines,
                     const std::string& stage) {
        auto applied = scheduled(pipeline, lines);
        EXPECT_EQ(refusal(applied), "applied");
        return applied.state.find(stage)->definitions[0].reassociates;
    };
    EXPECT_TRUE(marked(matmul(), "C.reorder(l, k)\n", "C"));
    EXPECT_FALSE(marked(matmul(), "C.reorder(k, l, i, j)\n", "C"));
    EXPECT_FALSE(marked(matmul(), "C.reorder(l, k)\nC.reorder(k, l)\n", "C"));
    EXPECT_TRUE(marked(matmul(), "C.split(k, ko, ki, 8)\nC.reorder(ki, ko)\n", "C"));
    EXPECT_FALSE(marked(matmul(), "C.split(k, ko, ki, 8)\nC.reorder(ko, i, ki)\n", "C"));
    EXPECT_TRUE(marked(reduction(ReductionOp::Product, ScalarType::F64), "M.reorder(l, k)\n", "M"));
    EXPECT_FALSE(marked(reduction(ReductionOp::Max, ScalarType::F32), "M.reorder(l, k)\n", "M"));
    EXPECT_FALSE(marked(reduction(ReductionOp::Sum, ScalarType::I32), "M.reorder(l, k)\n", "M"));
}

TEST(Reorder, OfAScanWhoseOrderMatters) {
    // S[y, r] = S[y, r - 1] + in[c, r] over r, c: each r needs all c of the step before.
    auto scan =
        update({{v("y"), v("r")},
                UpdateOp::Assign,
                binary(Op::Add, self({v("y"), plus(v("r"), -1)}), input_at({v("c"), v("r")})),
                nullptr});
    EXPECT_EQ(nest(scheduled(scan, "S.update(0).reorder(r, c, y)\n"), "S", 1), "r! c! y");
    EXPECT_EQ(refusal(scan, "S.update(0).reorder(c, r)\n"),
              "1:1 this order of the loops of S.update(0) would exchange iterations that depend on "
              "each other: S[y, r], "
              "written at r = 1, c = 1, is read as S[y, r - 1] at r = 2, c = 0, at a distance of "
              "(1, -1); keep r, c in this order");
}

TEST(Reorder, OfIndependentWritesIsFree) {
    auto copy = update({{v("r"), v("c")}, UpdateOp::Assign, input_at({v("r"), v("c")}), nullptr});
    EXPECT_EQ(refusal(copy, "S.update(0).reorder(c, r)\n"), "applied");
}

TEST(Reorder, OfCollidingUpdates) {
    auto colliding = [](UpdateOp op, ScalarType type) {
        auto value = is_float(type) ? input_at({v("r"), v("c")}) : v("c");
        return update({{v("y"), v("r")}, op, value, nullptr, type});
    };
    // The last of colliding assignments wins: c inside r keeps it, c outside r keeps it too, c
    // backwards would not.
    EXPECT_EQ(refusal(colliding(UpdateOp::Assign, ScalarType::F32), "S.update(0).reorder(c, r)\n"),
              "applied");
    EXPECT_EQ(refusal(colliding(UpdateOp::Assign, ScalarType::F32),
                      "S.update(0).split(c, co, ci, 4)\nS.update(0).reorder(ci, co)\n"),
              "2:1 this order of the loops of S.update(0) would exchange iterations that depend on "
              "each other: S[y, r], "
              "written at r = 1, c = 3, is written again at r = 1, c = 4, at a distance of (0, 1); "
              "keep r, co, ci in this order");
    auto add = scheduled(colliding(UpdateOp::Add, ScalarType::I32),
                         "S.update(0).split(c, co, ci, 4)\nS.update(0).reorder(ci, co)\n");
    EXPECT_EQ(refusal(add), "applied");
    EXPECT_FALSE(add.state.find("S")->definitions[1].reassociates);
    auto floats = scheduled(colliding(UpdateOp::Add, ScalarType::F32),
                            "S.update(0).split(c, co, ci, 4)\nS.update(0).reorder(ci, co)\n");
    EXPECT_EQ(refusal(floats), "applied");
    EXPECT_TRUE(floats.state.find("S")->definitions[1].reassociates);
    auto kept = scheduled(colliding(UpdateOp::Add, ScalarType::F32), "S.update(0).reorder(c, r)\n");
    EXPECT_FALSE(kept.state.find("S")->definitions[1].reassociates)
        << "each element still sees c in order";
    EXPECT_FALSE(scheduled(colliding(UpdateOp::Max, ScalarType::F32),
                           "S.update(0).split(c, co, ci, 4)\nS.update(0).reorder(ci, co)\n")
                     .state.find("S")
                     ->definitions[1]
                     .reassociates);
}

TEST(Reorder, OfDataDependentWrites) {
    EXPECT_EQ(refusal(histogram(), "H.update(0).reorder(c, r)\n"), "applied");
    auto scatter = update({{cast(ScalarType::I32, input_at({v("r"), v("c")})), v("x")},
                           UpdateOp::Assign,
                           input_at({v("c"), v("r")}),
                           nullptr});
    EXPECT_EQ(refusal(scatter, "S.update(0).reorder(c, r)\n"),
              "1:1 this order of the loops of S.update(0) would exchange iterations that depend on "
              "each other: "
              "S[i32(in[r, c]), x], written in one iteration, and S[i32(in[r, c]), x], written in "
              "another, may be the "
              "same element: an index depends on data, is not affine or may wrap; keep r, c in "
              "this order");
}

TEST(Reorder, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.reorder(i, z)\n"),
              "1:14 C has no loop z; its loops are i, j, k, l");
    EXPECT_EQ(refusal(matmul(), "C.reorder(i, k, i)\n"),
              "1:17 i is listed twice; list each loop once");
    EXPECT_EQ(refusal(matmul(), "C.reorder(i)\n"),
              "1:1 reorder needs two loops or more; list them outermost first");
}

TEST(Reorder, MayNotBreakAPlacement) {
    // a at out's x through b at out's y would leave b, a reader of a, outside.
    auto pipeline = chain();
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, j)\nout.reorder(j, i)\n"), "applied");
    EXPECT_EQ(
        refusal(matmul(), "C.compute_at(out, j)\nout.vectorize(i)\nout.reorder(i, j)\n"),
        "2:15 C cannot be computed inside out.i, which is vectorised: its lanes run at once; legal "
        "for C: "
        "compute_root()");
    EXPECT_EQ(
        refusal(matmul(), "C.compute_at(out, i)\nout.vectorize(j)\nout.reorder(j, i)\n"),
        "3:1 C cannot be computed inside out.j, which is vectorised: its lanes run at once; legal "
        "for C: "
        "compute_root()");
}

TEST(Reorder, RoundTrip) { expect_round_trip("C.reorder(io, jo, ko, ki, ii, ji)"); }

} // namespace
} // namespace loopscope::test
