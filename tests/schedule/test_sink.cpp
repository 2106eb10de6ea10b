#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Sink, TheOthersKeepTheirOrder) {
    EXPECT_EQ(nest(scheduled(matmul(), "C.sink(i)\n"), "C"), "j k! l! i");
    EXPECT_EQ(nest(scheduled(matmul(), "C.sink(k)\n"), "C"), "i j l! k!");
    EXPECT_EQ(nest(scheduled(matmul(), "C.sink(l)\n"), "C"), "i j k! l!") << "it is there already";
}

TEST(Sink, IsTheOrderThatReorderSays) {
    EXPECT_EQ(tree_of(scheduled(matmul(), "C.sink(j)\n"))->root->hash,
              tree_of(scheduled(matmul(), "C.reorder(k, l, j)\n"))->root->hash);
}

TEST(Sink, MarksAFloatSumWhoseOrderChanges) {
    EXPECT_TRUE(scheduled(matmul(), "C.sink(k)\n").state.find("C")->definitions[0].reassociates);
    EXPECT_FALSE(scheduled(matmul(), "C.sink(j)\n").state.find("C")->definitions[0].reassociates);
}

TEST(Sink, Refusals) {
    // S[y, r] = S[y, r - 1] + in[c, r] over r, c: each r needs all c of the step before.
    auto scan =
        update({{v("y"), v("r")},
                UpdateOp::Assign,
                binary(Op::Add, self({v("y"), plus(v("r"), -1)}), input_at({v("c"), v("r")})),
                nullptr});
    EXPECT_EQ(nest(scheduled(scan, "S.update(0).sink(y)\n"), "S", 1), "r! c! y");
    EXPECT_THAT(refusal(scan, "S.update(0).sink(r)\n"),
                testing::HasSubstr("would exchange iterations that depend on each other"));
    EXPECT_EQ(refusal(chain(), "out.sink(z)\n"), "1:10 out has no loop z; its loops are y, x");
    EXPECT_EQ(refusal(chain(), "a.inline()\na.sink(y)\n"),
              refusal(chain(), "a.inline()\na.serial(y)\n"));
}

TEST(Sink, RoundTrip) { expect_round_trip("out.sink(x)"); }

} // namespace
} // namespace loopscope::test
