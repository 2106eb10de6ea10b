#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(ComputeAt, AtALoopAroundItsReader) {
    EXPECT_EQ(placed(scheduled(matmul(), "C.compute_at(out, j)\n"), "C"), "out.j");
    auto split = scheduled(
        matmul(), "out.split(i, io, ii, 8)\nC.compute_at(out, io)\nC.compute_at(out, ii)\n");
    EXPECT_EQ(placed(split, "C"), "out.ii");
}

TEST(ComputeAt, ThroughAnotherStage) {
    // out alone reads a and c; c is computed at out.y and reads a: both readers are inside out.y.
    auto lines = std::string("c = out.cache_read(C, local)\nc.compute_at(out, i)\n");
    EXPECT_EQ(placed(scheduled(matmul(), lines + "C.compute_at(out, i)\n"), "C"), "out.i");
    EXPECT_EQ(placed(scheduled(matmul(), lines + "C.compute_at(c, j)\n"), "C"), "c.j");
    // c inside C's reader c, which moves on with what it hosts.
    EXPECT_EQ(
        refusal(matmul(), lines + "C.compute_at(c, j)\nc.compute_at(out, j)\nc.compute_root()\n"),
        "applied");
}

TEST(ComputeAt, OfUpdatesAndAtUpdates) {
    EXPECT_EQ(refusal(histogram(), "H.compute_at(out, i)\n"), "applied");
    auto copy = std::string("m = H.update(0).cache_read(img, local)\n");
    EXPECT_EQ(placed(scheduled(histogram(), copy + "m.compute_at(H.update(0), r)\n"), "m"),
              "H.update(0).r");
    EXPECT_EQ(refusal(histogram(), copy + "m.compute_at(H, i)\n"),
              "2:17 m cannot be computed at H.i: H.update(0), which reads it, is outside that "
              "loop; legal for m: "
              "compute_root(), compute_at(H.update(0), r), compute_at(H.update(0), c)");
}

TEST(ComputeAt, Refusals) {
    EXPECT_EQ(refusal(chain(), "b.compute_at(out, y)\n"),
              "1:19 b cannot be computed at out.y: side, which reads it, is outside that loop; "
              "legal for b: compute_root()");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(out, k)\n"),
              "1:19 out has no loop k; its loops are i, j");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(oot, j)\n"),
              "1:14 there is no stage oot; did you mean out?");
    EXPECT_EQ(refusal(matmul(), "C.compute_at(C, j)\n"),
              "1:14 C cannot be computed inside itself; name a stage that reads it");
    EXPECT_EQ(refusal(matmul(), "out.compute_at(C, j)\n"),
              "1:19 out is an output: it is stored whole, hence computed at root; legal for out: "
              "compute_root()");
    EXPECT_EQ(
        refusal(chain(), "c = b.cache_read(a, local)\nb.inline()\nc.compute_at(b, y)\n"),
        "3:14 b is inlined: it has no loop at which c could be computed; name a loop of a stage "
        "that "
        "b is inlined into");
    EXPECT_EQ(refusal(matmul(), "out.vectorize(j)\nC.compute_at(out, j)\n"),
              "2:19 C cannot be computed at out.j, which is vectorised: its lanes run at once; "
              "legal for C: "
              "compute_root(), compute_at(out, i)");
    EXPECT_EQ(refusal(matmul(), "out.vectorize(i)\nC.compute_at(out, j)\n"),
              "2:19 C cannot be computed inside out.i, which is vectorised: its lanes run at once; "
              "legal for C: "
              "compute_root()");
    EXPECT_EQ(refusal(histogram(), "H.update(0).compute_at(out, i)\n"),
              "1:1 compute_at is per stage, not per definition; write H.compute_at(…)");
    EXPECT_EQ(refusal(chain(), "a.compute_at(b.updte(0), y)\n"),
              "1:14 'b.updte(0)' names no definition; write S, or S.update(0)");
}

TEST(ComputeAt, RoundTrip) {
    expect_round_trip("C.compute_at(out, j)");
    expect_round_trip("p.compute_at(H.update(0), r)");
}

} // namespace
} // namespace loopscope::test
