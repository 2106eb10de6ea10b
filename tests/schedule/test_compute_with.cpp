#include "core/language/loop_parser.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

PipelinePtr load_text(const std::string& text) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>("p.loop", text));
    EXPECT_TRUE(loaded.ok()) << format(loaded.errors());
    return loaded ? loaded->pipeline : nullptr;
}

// low[y, x] (64 × 96) → high reads it at its own place, behind the row before and next the row after; `far` does not read it.
PipelinePtr pair() {
    auto loaded = load_text("pipeline pair\ninput img[y, x]: f32[64, 96] boundary edge\n"
                            "stage low[y, x] = img[y, x - 1] + img[y, x]\n"
                            "stage high[y, x] = img[y, x] - low[y, x]\n"
                            "stage behind[y, x] = low[max(y - 1, 0), x]\n"
                            "stage ahead[y, x] = low[min(y + 1, 63), x]\n"
                            "stage middle[y, x] = low[y, x] * 2.0\n"
                            "stage last[y, x] = middle[y, x]\n"
                            "stage far[y, x] = img[y, x]\n"
                            "stage sums[y] = sum[k in 0..96](low[y, k])\n"
                            "output low: [64, 96]\noutput high: [64, 96]\noutput behind: [64, 96]\n"
                            "output ahead: [64, 96]\noutput last: [64, 96]\noutput far: [64, 96]\n"
                            "output sums: [64]\n");
    return loaded;
}

std::string rows(const Applied& applied) {
    EXPECT_EQ(refusal(applied), "applied");
    auto tree = build_tree(applied.state);
    return tree ? to_text(**tree) : tree.errors().front().message;
}

TEST(ComputeWith, OneNestRunsBoth) {
    auto text = rows(scheduled(pair(), "high.compute_with(low, y)\n"));
    EXPECT_NE(text.find("high → f32 [64, 96]\n"
                        "  low → f32 [64, 96]\n"
                        "    y 64\n"
                        "      x 96\n"
                        "        low pure\n"
                        "      x 96\n"
                        "        high pure\n"),
              std::string::npos)
        << text;
    // What stood between them and reads the first now comes behind.
    auto far = rows(scheduled(pair(), "far.compute_with(low, x)\n"));
    EXPECT_LT(far.find("far pure"), far.find("high pure")) << far;
}

TEST(ComputeWith, WhatIsReadIsComputedBefore) {
    EXPECT_EQ(refusal(scheduled(pair(), "behind.compute_with(low, y)\n")), "applied");
    EXPECT_EQ(refusal(scheduled(pair(), "behind.compute_with(low, x)\n")), "applied");
    EXPECT_EQ(refusal(scheduled(pair(), "sums.compute_with(low, y)\n")), "applied");
    EXPECT_EQ(
        refusal(scheduled(pair(), "ahead.compute_with(low, y)\n")),
        "1:1 ahead reads low, and it is not proven that this is computed before: an iteration "
        "of the merged loops reads up to 1 elements beyond what has been computed so far along "
        "y; share fewer loops, or compute low at a loop of ahead");
    EXPECT_EQ(
        refusal(scheduled(pair(), "low.parallel(y)\nbehind.parallel(y)\n"
                                  "behind.compute_with(low, y)\n")),
        "3:1 behind reads low, and it is not proven that this is computed before: an iteration "
        "of the merged loops reads what another one computes along y, and they run at once; "
        "share fewer loops, or compute low at a loop of behind");
}

TEST(ComputeWith, RefusalsOfStructure) {
    EXPECT_EQ(
        refusal(scheduled(pair(), "last.compute_with(low, y)\n")),
        "1:1 last depends on low by way of middle, which would have to run in the middle of the "
        "merged loops; inline middle, or leave the two apart");
    EXPECT_EQ(refusal(scheduled(pair(), "middle.inline()\nlast.compute_with(low, y)\n")),
              "applied");
    EXPECT_EQ(
        refusal(scheduled(pair(), "low.parallel(y)\nhigh.compute_with(low, y)\n")),
        "2:1 high.y and low.y run in different ways, and would be one loop; give both the same "
        "kind before they are merged");
    EXPECT_EQ(
        refusal(scheduled(pair(), "high.split(y, yo, yi, 8)\nhigh.compute_with(low, y)\n")),
        "2:1 high.yo has 8 iterations, and low.y has 64; only loops of the same extent become "
        "one; split them so that they have it");
    EXPECT_EQ(refusal(scheduled(pair(), "high.compute_with(high, y)\n")),
              "1:19 high cannot share loops with itself; name another definition");
    EXPECT_EQ(refusal(scheduled(pair(), "high.compute_with(low, y)\nlow.compute_with(high, y)\n")),
              "2:18 high shares the loops of low already; one of the two lines is enough");
    EXPECT_EQ(
        refusal(scheduled(pair(), "low.vectorize(x)\nhigh.vectorize(x)\n"
                                  "high.compute_with(low, x)\n")),
        "3:1 high.x and low.x are vectorised: lanes of two definitions are not shared; name a "
        "loop outside of them");
    EXPECT_EQ(
        refusal(scheduled(pair(), "high.compute_with(low, y)\nlow.parallel(y)\n")),
        "2:14 high.y and low.y run in different ways, and would be one loop; give both the same "
        "kind before they are merged");
}

// A host's loop may itself be another one's.
TEST(ComputeWith, Chains) {
    auto text = rows(scheduled(pair(), "high.compute_with(low, y)\nfar.compute_with(high, y)\n"));
    EXPECT_NE(
        text.find(
            "      y 64\n        x 96\n          low pure\n        x 96\n          high pure\n"
            "        x 96\n          far pure\n"),
        std::string::npos)
        << text;
    rows(scheduled(pair(), "high.compute_with(low, x)\nfar.compute_with(high, y)\n"));
    rows(scheduled(pair(), "high.compute_with(low, y)\nfar.compute_with(high, x)\n"));
}

// An update joins the definition before it; one that reads elsewhere does not.
TEST(ComputeWith, DefinitionsOfOneStage) {
    auto made = load_text("pipeline p\ninput a[i]: f32[64]\nstage s[i] = a[i]\n"
                          "update s[i] += a[63 - i]\nupdate s[i] += s[i] * a[r] over r in 0..4\n"
                          "output s: [64]\n");
    EXPECT_EQ(refusal(scheduled(made, "s.update(0).compute_with(s, i)\n")), "applied");
    EXPECT_EQ(
        refusal(scheduled(made, "s.update(1).compute_with(s, i)\n")),
        "1:1 s.update(1) would run before s.update(0), which comes before it; merge definitions "
        "of one stage that follow one another");
    EXPECT_EQ(refusal(scheduled(made, "s.update(0).compute_with(s, i)\n"
                                      "s.update(1).compute_with(s, i)\n")),
              "applied");
}

TEST(ComputeWith, ProducersOfBothGoToTheHostsLoops) {
    auto made = load_text("pipeline p\ninput a[y, x]: f32[64, 96]\nstage t[y, x] = a[y, x] * 2.0\n"
                          "stage b[y, x] = t[y, x] + 1.0\nstage c[y, x] = t[y, x] - 1.0\n"
                          "output b: [64, 96]\noutput c: [64, 96]\n");
    EXPECT_EQ(refusal(scheduled(made, "c.compute_with(b, y)\nt.compute_at(b, y)\n")), "applied");
    EXPECT_EQ(
        refusal(scheduled(made, "c.compute_with(b, y)\nt.compute_at(c, y)\n")),
        "2:1 t is placed at c.y, which would be b's; place t after the two are merged, at b.y");
}

TEST(ComputeWith, NothingIsComputedInsideWhatSharesItsLoops) {
    EXPECT_EQ(
        refusal(scheduled(pair(), "last.compute_with(middle, y)\nmiddle.compute_at(last, x)\n")),
        "2:1 last and middle are computed at different places; compute both at root, or both at "
        "one loop");
}

// What the other definition prefetches at a loop that it shares is prefetched at that loop.
TEST(ComputeWith, PrefetchesOfSharedLoops) {
    auto applied = scheduled(pair(), "far.prefetch(img, y, 2)\nfar.compute_with(low, y)\n");
    EXPECT_EQ(refusal(applied), "applied");
    auto tree = *build_tree(applied.state);
    ASSERT_EQ(tree->find({"low", 0, "y"})->prefetches.size(), 1u);
    EXPECT_EQ(tree->find({"low", 0, "y"})->prefetches[0].source, "img");
}

// Another host takes the place of the one before, and a ring of hosts has no head.
TEST(ComputeWith, HostsMakeNoRing) {
    auto text = refusal(scheduled(pair(), "high.compute_with(low, y)\nfar.compute_with(high, x)\n"
                                          "high.compute_with(far, x)\n"));
    EXPECT_NE(text.find("far shares the loops of high already"), std::string::npos) << text;
}

TEST(ComputeWith, RoundTrip) { expect_round_trip("A.update(0).compute_with(B, yo)"); }

} // namespace
} // namespace loopscope::test
