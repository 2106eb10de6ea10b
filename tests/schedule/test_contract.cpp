#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Contract, MarksTheDefinition) {
    auto applied = scheduled(matmul(), "C.contract()\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_TRUE(applied.state.find("C")->definitions[0].contract);
    EXPECT_FALSE(applied.state.find("C")->definitions[0].reassociates)
        << "the reference contracts by the same rule";
    EXPECT_FALSE(applied.state.find("out")->definitions[0].contract);
}

TEST(Contract, IsNoLoopDirective) {
    EXPECT_EQ(refusal(scheduled(chain(), "a.contract()\na.inline()\n")), "applied");
    EXPECT_EQ(refusal(scheduled(chain(), "a.inline()\na.contract()\n")), "applied");
}

TEST(Contract, OfOneDefinition) {
    auto sum = update({{v("y"), v("r")}, UpdateOp::Add, input_at({v("r"), v("c")}), nullptr});
    auto applied = scheduled(sum, "S.update(0).contract()\n");
    EXPECT_FALSE(applied.state.find("S")->definitions[0].contract);
    EXPECT_TRUE(applied.state.find("S")->definitions[1].contract);
}

TEST(Contract, Refusals) {
    EXPECT_EQ(refusal(scheduled(histogram(), "H.contract()\n")),
              "1:1 H computes i32: there is nothing to fuse; contract is for definitions that "
              "compute floats");
    EXPECT_EQ(refusal(scheduled(matmul(), "D = C.cache_read(A, local)\nD.contract()\n")),
              "2:1 D is a copy: there is nothing to fuse; contract the stage that computes");
    EXPECT_EQ(refusal(scheduled(matmul(), "X.contract()\n")),
              "1:1 there is no stage X; did you mean C?");
}

TEST(Contract, RoundTrip) { expect_round_trip("C.update(0).contract()"); }

} // namespace
} // namespace loopscope::test
