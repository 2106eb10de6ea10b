#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(ComputeRoot, TakesAStageBack) {
    EXPECT_EQ(placed(scheduled(matmul(), "C.compute_at(out, i)\n"), "C"), "out.i");
    EXPECT_EQ(placed(scheduled(matmul(), "C.compute_at(out, i)\nC.compute_root()\n"), "C"), "root");
    EXPECT_EQ(refusal(matmul(), "out.compute_root()\n"), "applied");
}

TEST(ComputeRoot, MayNotLeaveAnotherStageBehind) {
    // A copy of C for out, at out's i, then C at the copy's loop: the copy may not go while C's
    // reader must be inside.
    auto lines =
        std::string("c = out.cache_read(C, local)\nc.compute_at(out, i)\nC.compute_at(out, i)\n");
    EXPECT_EQ(refusal(matmul(), lines), "applied");
    EXPECT_EQ(refusal(matmul(), lines + "c.compute_root()\n"),
              "4:1 C cannot be computed at out.i: c, which reads it, is outside that loop; legal "
              "for C: compute_root(), "
              "compute_at(c, i), compute_at(c, j)");
}

TEST(ComputeRoot, Refusals) {
    EXPECT_EQ(refusal(matmul(), "D.compute_root()\n"),
              "1:1 there is no stage D; `show` lists the stages");
    EXPECT_EQ(refusal(histogram(), "H.update(0).compute_root()\n"),
              "1:1 compute_root is per stage, not per definition; write H.compute_root(…)");
}

TEST(ComputeRoot, RoundTrip) { expect_round_trip("a.compute_root()"); }

} // namespace
} // namespace loopscope::test
