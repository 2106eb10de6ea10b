#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Unroll, OfAnyLoop) {
    EXPECT_EQ(nest(scheduled(matmul(), "C.unroll(l)\nC.unroll(j)\n"), "C"),
              "i j=unrolled k! l!=unrolled");
    EXPECT_EQ(refusal(histogram(), "H.update(0).unroll(c)\n"), "applied");
}

TEST(Unroll, WithAFactorSplitsFirst) {
    EXPECT_EQ(nest(scheduled(matmul(), "C.unroll(k, 4)\n"), "C"), "i j k! k_u!=unrolled l!");
    EXPECT_EQ(nest(scheduled(chain(), "out.parallel(y)\nout.unroll(y, 4)\n"), "out"),
              "y=parallel y_u=unrolled x");
}

TEST(Unroll, Refusals) {
    EXPECT_EQ(refusal(matmul(), "C.unroll(z)\n"), "1:10 C has no loop z; its loops are i, j, k, l");
    EXPECT_EQ(refusal(matmul(), "C.unroll(k, 4)\nC.unroll(k, 4)\n"),
              "2:10 C already has a loop named k_u; split with names of your own: C.split(k, …)");
    EXPECT_EQ(refusal(matmul(), "C.unroll(k, 4096)\n"),
              "1:13 a factor of 4096 is too large here; at most 1024; split for more");
    EXPECT_EQ(refusal(matmul(), "C.unroll(k, 4, pad)\n"),
              "1:16 C.k runs over a reduction axis: the tail pad would add terms that are not "
              "there; write guard, which computes each point once");
    EXPECT_EQ(
        refusal(matmul(), "C.unroll(k, 1.5)\n"),
        "1:13 '1.5' is no factor; a factor is a whole number from 1, native, or such as 4*native");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, j)\nout.unroll(j, 4)\n"),
              "2:12 out.j cannot be split: C is computed at it; write this line before "
              "C.compute_at(out, j)");
}

TEST(Unroll, RoundTrip) {
    expect_round_trip("C.unroll(k)");
    expect_round_trip("C.unroll(k, 4)");
    expect_round_trip("C.unroll(k, 4, pad)");
}

} // namespace
} // namespace loopscope::test
