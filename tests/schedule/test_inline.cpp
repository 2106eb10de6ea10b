#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Inline, SubstitutesAStage) {
    auto applied = scheduled(chain(), "a.inline()\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(placed(applied, "a"), "inline");
    EXPECT_EQ(placed(scheduled(chain(), "a.inline()\na.compute_root()\n"), "a"), "root");
}

TEST(Inline, ReadersThroughItCount) {
    // b inlined: out and side read a through it, so that a fits into neither.
    EXPECT_EQ(refusal(scheduled(chain(), "b.inline()\na.compute_at(out, y)\n")),
              "2:19 a cannot be computed at out.y: side, which reads it, is outside that loop; "
              "legal for a: "
              "compute_root()");
}

TEST(Inline, IntoItsCopy) {
    auto applied = scheduled(matmul(), "B2 = out.cache_read(C, local)\n");
    EXPECT_EQ(refusal(applied), "applied");
    auto copied = scheduled(chain(), "bc = out.cache_read(b, local, side)\nb.inline()\n");
    EXPECT_EQ(refusal(copied), "applied");
    EXPECT_EQ(placed(copied, "b"), "inline");
}

TEST(Inline, Refusals) {
    EXPECT_EQ(refusal(scheduled(chain(), "out.inline()\n")),
              "1:1 out is an output: it is stored, hence not inlined; leave it at root");
    EXPECT_EQ(refusal(scheduled(matmul(), "C.inline()\n")),
              "1:1 C cannot be inlined: it has a reduction; inline needs one definition without "
              "reduction or updates; "
              "C.compute_at(…) brings it near its readers");
    EXPECT_EQ(refusal(scheduled(histogram(), "H.inline()\n")),
              "1:1 H cannot be inlined: it has updates; inline needs one definition without "
              "reduction or updates; "
              "H.compute_at(…) brings it near its readers");
    EXPECT_EQ(
        refusal(scheduled(chain(), "a.unroll(x)\na.inline()\n")),
        "2:1 a cannot be inlined: loop directives were given to it; remove its loop directives");
    EXPECT_EQ(
        refusal(scheduled(chain(), "c = b.cache_read(a, local)\nc.compute_at(b, y)\nb.inline()\n")),
        "3:1 b cannot be inlined: c is computed at its loop y; place c elsewhere first");
    EXPECT_EQ(refusal(scheduled(histogram(), "H.update(0).inline()\n")),
              "1:1 inline is per stage, not per definition; write H.inline(…)");
    EXPECT_EQ(refusal(scheduled(chain(), "a.inline(x)\n")),
              "1:10 too many arguments; write S.inline()");
}

TEST(Inline, RoundTrip) { expect_round_trip("a.inline()"); }

} // namespace
} // namespace loopscope::test
