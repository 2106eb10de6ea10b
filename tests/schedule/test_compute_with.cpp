#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_compute_with {

// low[y, x] (64 × 96) → high reads it at its own place, behind the row before and next the row
// after; `far` does not read it.
PipelinePtr pair() {
    return parsed("pipeline pair\ninput img[y, x]: f32[64, 96] boundary edge\n"
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
}

std::string rows(const Applied& applied) { return to_text(*tree_of(applied)); }

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
    EXPECT_EQ(refusal(pair(), "behind.compute_with(low, y)\n"), "applied");
    EXPECT_EQ(refusal(pair(), "behind.compute_with(low, x)\n"), "applied");
    EXPECT_EQ(refusal(pair(), "sums.compute_with(low, y)\n"), "applied");
    EXPECT_EQ(
        refusal(pair(), "ahead.compute_with(low, y)\n"),
        "1:1 ahead reads low, and it is not proven that this is computed before: an iteration "
        "of the merged loops reads up to 1 elements beyond what has been computed so far along "
        "y; share fewer loops, or leave the two apart");
    EXPECT_EQ(
        refusal(pair(), "low.parallel(y)\nbehind.parallel(y)\n"
                        "behind.compute_with(low, y)\n"),
        "3:1 behind reads low, and it is not proven that this is computed before: an iteration "
        "of the merged loops reads what another one computes along y, and they run at once; "
        "share fewer loops, or leave the two apart");
}

TEST(ComputeWith, RefusalsOfStructure) {
    EXPECT_EQ(
        refusal(pair(), "last.compute_with(low, y)\n"),
        "1:1 last depends on low by way of middle, which would have to run in the middle of the "
        "merged loops; inline middle, or leave the two apart");
    EXPECT_EQ(refusal(pair(), "middle.inline()\nlast.compute_with(low, y)\n"), "applied");
    EXPECT_EQ(
        refusal(pair(), "low.parallel(y)\nhigh.compute_with(low, y)\n"),
        "2:1 high.y and low.y run in different ways, and would be one loop; give both the same "
        "kind before they are merged");
    EXPECT_EQ(
        refusal(pair(), "high.split(y, yo, yi, 8)\nhigh.compute_with(low, y)\n"),
        "2:1 high.yo has 8 iterations, and low.y has 64; only loops of the same extent become "
        "one; split them so that they have it");
    EXPECT_EQ(refusal(pair(), "high.compute_with(high, y)\n"),
              "1:19 high cannot share loops with itself; name another definition");
    EXPECT_EQ(refusal(pair(), "high.compute_with(low, y)\nlow.compute_with(high, y)\n"),
              "2:18 high shares the loops of low already; one of the two lines is enough");
    EXPECT_EQ(refusal(pair(), "low.vectorize(x)\nhigh.vectorize(x)\n"
                              "high.compute_with(low, x)\n"),
              "3:1 high.x and low.x would be one loop, and both are vectorised: lanes of two "
              "definitions are not shared; share only loops outside of it");
    // Said at once, before one is given the kind of the other in vain.
    EXPECT_EQ(refusal(pair(), "high.compute_with(low, x)\nlow.vectorize(x)\n"),
              "2:15 high.x and low.x would be one loop, and low.x is vectorised: lanes of two "
              "definitions are not shared; share only loops outside of it");
    EXPECT_EQ(refusal(pair(), "high.vectorize(x)\nhigh.compute_with(low, x)\n"),
              "2:1 high.x and low.x would be one loop, and high.x is vectorised: lanes of two "
              "definitions are not shared; share only loops outside of it");
    EXPECT_EQ(refusal(pair(), "high.compute_with(low, y)\nlow.vectorize(x)\n"), "applied");
    EXPECT_EQ(
        refusal(pair(), "high.compute_with(low, y)\nlow.parallel(y)\n"),
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
    auto made = parsed("pipeline p\ninput a[i]: f32[64]\nstage s[i] = a[i]\n"
                       "update s[i] += a[63 - i]\nupdate s[i] += s[i] * a[r] over r in 0..4\n"
                       "output s: [64]\n");
    EXPECT_EQ(refusal(made, "s.update(0).compute_with(s, i)\n"), "applied");
    EXPECT_EQ(
        refusal(made, "s.update(1).compute_with(s, i)\n"),
        "1:1 s.update(1) would run before s.update(0), which comes before it; leave s.update(1) "
        "apart, or merge s.update(0) first, if that may run there");
    EXPECT_EQ(refusal(made, "s.update(0).compute_with(s, i)\n"
                            "s.update(1).compute_with(s, i)\n"),
              "applied");
}

TEST(ComputeWith, ProducersOfBothGoToTheHostsLoops) {
    auto made = parsed("pipeline p\ninput a[y, x]: f32[64, 96]\nstage t[y, x] = a[y, x] * 2.0\n"
                       "stage b[y, x] = t[y, x] + 1.0\nstage c[y, x] = t[y, x] - 1.0\n"
                       "output b: [64, 96]\noutput c: [64, 96]\n");
    EXPECT_EQ(refusal(made, "c.compute_with(b, y)\nt.compute_at(b, y)\n"), "applied");
    EXPECT_EQ(
        refusal(made, "c.compute_with(b, y)\nt.compute_at(c, y)\n"),
        "2:1 t is placed at c.y, which would be b's; place t after the two are merged, at b.y");
}

// One that comes after the host is not computed inside of it.
TEST(ComputeWith, ProducersBehindTheHostStayInsideTheirReader) {
    auto made = parsed("pipeline p\ninput a[y, x]: f32[64, 96]\nstage z[y, x] = a[y, x] - 2.0\n"
                       "stage b[y, x] = a[y, x] + 1.0\nstage t[y, x] = a[y, x] * 2.0\n"
                       "stage c[y, x] = t[y, x] - 1.0\n"
                       "output z: [64, 96]\noutput b: [64, 96]\noutput c: [64, 96]\n");
    const auto refused = std::string("t is placed at c.y, which would be b's; ");
    const auto elsewhere =
        std::string("place t elsewhere, as at a loop of c that it does not share");
    EXPECT_EQ(refusal(made, "t.compute_at(c, y)\nc.compute_with(b, y)\n"),
              "2:1 " + refused + "merge them the other way, b.compute_with(c, y), or " + elsewhere);
    EXPECT_EQ(refusal(made, "t.compute_at(c, y)\nb.compute_with(c, y)\n"), "applied");
    EXPECT_EQ(refusal(made, "t.compute_at(c, x)\nc.compute_with(b, y)\n"), "applied");
    // A host that has a host in turn has one already.
    const auto chained = std::string("b.compute_with(z, y)\n");
    EXPECT_EQ(refusal(made, chained + "t.compute_at(c, y)\nc.compute_with(b, y)\n"),
              "3:1 " + refused + elsewhere);
    EXPECT_EQ(refusal(made, chained + "t.compute_at(c, x)\nc.compute_with(b, y)\n"), "applied");
}

TEST(ComputeWith, NothingIsComputedInsideWhatSharesItsLoops) {
    EXPECT_EQ(
        refusal(pair(), "last.compute_with(middle, y)\nmiddle.compute_at(last, x)\n"),
        "2:1 last and middle are computed at different places; compute both at root, or both at "
        "one loop");
}

// What the other definition prefetches at a loop that it shares is prefetched at that loop.
TEST(ComputeWith, PrefetchesOfSharedLoops) {
    auto applied = scheduled(pair(), "far.prefetch(img, y, 2)\nfar.compute_with(low, y)\n");
    EXPECT_EQ(refusal(applied), "applied");
    auto tree = tree_of(applied);
    ASSERT_EQ(tree->find({"low", 0, "y"})->prefetches.size(), 1u);
    EXPECT_EQ(tree->find({"low", 0, "y"})->prefetches[0].source, "img");
}

// Which loops are shared was said of the nests as they were: a line that would make it others does
// not change it in silence.
TEST(ComputeWith, WhatIsSharedStays) {
    const auto merged = std::string("high.compute_with(low, y)\n");
    const auto refused = [](const std::string& changed) {
        return "high shares outer loops with low, and those of " + changed +
               " would be others than were merged; write this line before high.compute_with(low, "
               "…)";
    };
    EXPECT_EQ(refusal(pair(), merged + "low.reorder(x, y)\n"), "2:1 " + refused("low"));
    EXPECT_EQ(refusal(pair(), merged + "high.reorder(x, y)\n"), "2:1 " + refused("high"));
    EXPECT_EQ(refusal(pair(), merged + "low.split(y, yo, y, 1)\n"), "2:1 " + refused("low"));
    EXPECT_EQ(refusal(pair(), merged + "high.fuse(y, x, f)\n"), "2:1 " + refused("high"));
    // The loops inside of those are each definition's own.
    EXPECT_EQ(refusal(pair(), merged + "low.split(x, xo, xi, 8)\nlow.reorder(xi, xo)\n"
                                       "high.split(x, xo, xi, 4)\n"),
              "applied");
    // As the remedy says it.
    EXPECT_EQ(refusal(pair(), "low.reorder(x, y)\nhigh.reorder(x, y)\n"
                              "high.compute_with(low, x)\n"),
              "applied");
}

// What cache_write makes of the host has other loops, though they bear the same names.
TEST(ComputeWith, AHostIsNotCachedAfterwards) {
    const auto made = parsed("pipeline p\ninput a[y, x]: f32[8, 9]\nstage b[y, x] = a[y, x]\n"
                             "update b[y, x] += 7.0\nstage c[y, x] = b[y, x] * 2.0\n"
                             "stage d[y, x] = a[y, x]\noutput b: [8, 9]\noutput c: [8, 9]\n"
                             "output d: [8, 9]\n");
    EXPECT_EQ(refusal(made, "c.compute_with(b.update(0), y)\nw = b.cache_write(local)\n"),
              "2:5 b.update(0) shares loops with c, and its loops would be those of w; write this "
              "line before the compute_with that merges them");
    EXPECT_EQ(
        refusal(made, "d.compute_with(b, y)\nw = b.cache_write(local)\n"),
        "2:5 b shares loops with d, and its loops would be those of w; write this line before "
        "the compute_with that merges them");
    EXPECT_EQ(refusal(made, "w = b.cache_write(local)\nc.compute_with(b, y)\n"), "applied");
}

TEST(ComputeWith, RemediesCanBeFollowed) {
    // Both are outputs: neither can be computed inside the other. `mid` can.
    const auto made =
        parsed("pipeline p\ninput a[y, x]: f32[64, 96]\nstage mid[y, x] = a[y, x]\n"
               "stage out[y, x] = mid[min(y + 1, 63), x] + mid[y, x]\noutput out: [64, 96]\n");
    const auto text = refusal(made, "out.compute_with(mid, y)\n");
    EXPECT_TRUE(
        text.ends_with("share fewer loops, or leave the two apart and compute mid at a loop "
                       "of out"))
        << text;
    // Definitions of one stage are not computed inside each other.
    const auto own = parsed("pipeline p\ninput a[i]: f32[8]\nstage s[y, x] = a[x]\n"
                            "update s[y, r] += s[y, 7 - r] over r in 0..8\noutput s: [8, 8]\n");
    const auto one = refusal(own, "s.update(0).compute_with(s, x)\n");
    EXPECT_TRUE(one.ends_with("share fewer loops, or leave the two apart")) << one;
    // An output in the middle is not inlined.
    const auto middle = parsed("pipeline p\ninput a[i]: f32[64]\nstage s[i] = a[i]\n"
                               "stage t[i] = s[i]\nstage u[i] = t[i]\noutput t: [64]\n"
                               "output u: [64]\n");
    EXPECT_TRUE(
        refusal(middle, "u.compute_with(s, i)\n").ends_with("merged loops; leave the two apart"));
    // What shares loops stays where those are, and is nowhere inside its own.
    const auto shared = "high.compute_with(low, y)\n";
    EXPECT_EQ(
        refusal(pair(), std::string("last.compute_with(middle, y)\n") + "middle.store_root()\n"),
        "2:1 middle is computed at root: it is stored there as long as the program runs; "
        "choose another stage: other lines stand in the way at each loop that is around all "
        "that reads middle");
    EXPECT_EQ(refusal(pair(), shared), "applied");
}

// Neither can be computed anywhere but inside of the loop that they share: no place is named in its
// stead.
TEST(ComputeWith, WhatHasNoOtherPlaceIsLeftWhereItIs) {
    const auto made = parsed("pipeline p\ninput a[y, x]: f32[64, 96]\nstage c[y, x] = a[y, x]\n"
                             "stage d[y, x] = a[y, x] + 1.0\nstage o[y, x] = c[y, x] + d[y, x]\n"
                             "output o: [64, 96]\n");
    const auto merged =
        std::string("c.compute_at(o, y)\nd.compute_at(o, y)\nd.compute_with(c, x)\n");
    EXPECT_EQ(refusal(made, merged + "o.vectorize(y)\n"),
              "4:13 c cannot be computed at o.y, which is vectorised: its lanes run at once; leave "
              "out this line");
    EXPECT_EQ(refusal(made, merged), "applied");
}

// Definitions of one stage that each read another one, and all share its last one's loops: the
// earlier are no obstacle to the later.
TEST(ComputeWith, SeveralDefinitionsOfAGroupReadAnotherStage) {
    for (const int updates : {2, 3, 5}) {
        std::string text = "pipeline m\ninput a[y, x]: f32[16, 24]\nstage lo[y, x] = a[y, x]*2.0\n"
                           "update lo[y, x] += a[y, x]\nupdate lo[y, x] *= 3.0\n"
                           "stage hi[y, x] = a[y, x]\n";
        std::string lines = "hi.compute_with(lo, x)\n";
        for (int u = 0; u < updates; ++u) {
            text += "update hi[y, x] += lo[y, x]\n";
            lines += "hi.update(" + std::to_string(u) + ").compute_with(" +
                     (u == 0 ? "lo.update(1)" : "hi.update(" + std::to_string(u - 1) + ")") +
                     ", x)\n";
        }
        const auto pipeline = parsed(text + "output hi: [16, 24]\n");
        EXPECT_EQ(refusal(pipeline, lines), "applied");
        // One that stays apart would run after what it comes before.
        EXPECT_EQ(refusal(pipeline, "hi.update(1).compute_with(lo.update(1), x)\n"),
                  "1:1 hi.update(0), which comes before hi.update(1), reads lo; merge hi.update(0) "
                  "instead");
    }
}

TEST(ComputeWith, RemediesOfStructureCanBeFollowed) {
    const auto made =
        parsed("pipeline p\ninput a[i]: f32[64]\nstage q[i] = a[i]\nstage s[i] = a[i]\n"
               "update s[i] += 1.0\nstage t[i] = s[i] * 2.0\nupdate t[i] += 3.0\n"
               "stage o[i] = q[i] + t[i]\noutput s: [64]\noutput t: [64]\noutput o: [64]\n");
    EXPECT_EQ(refusal(made, "t.compute_with(s, i)\n"),
              "1:1 t reads s, which is complete only after s.update(0); merge it with "
              "s.update(0) instead");
    EXPECT_EQ(refusal(made, "t.compute_with(s.update(0), i)\n"), "applied");
    EXPECT_EQ(refusal(made, "t.update(0).compute_with(s.update(0), i)\n"),
              "1:1 t, which comes before t.update(0), reads s; merge t instead");
    EXPECT_EQ(refusal(made, "s.compute_with(q, i)\nt.compute_with(s.update(0), i)\n"),
              "2:1 s shares loops with two groups of stages; merge all of them into one nest, or "
              "leave one out");
    EXPECT_EQ(refusal(made, "s.compute_with(q, i)\ns.update(0).compute_with(s, i)\n"
                            "t.compute_with(s.update(0), i)\n"),
              "applied");
    const auto ahead = std::string("q.compute_at(o, i)\nr = q.cache_read(a, local)\n"
                                   "r.compute_at(o, i)\nr.pipeline(2)\n");
    EXPECT_EQ(refusal(made, ahead + "q.compute_with(r, i)\n"),
              "5:1 r is pipelined: it does not run in the iterations of its neighbours; leave out "
              "that line, or the compute_with of q");
    EXPECT_EQ(refusal(made, ahead + "r.pipeline(1)\nq.compute_with(r, i)\n"), "applied");
    // a1 → b1 and b2 → a2: each of the two nests would wait for the other.
    const auto crossed =
        parsed("pipeline p\ninput a[i]: f32[64]\nstage a1[i] = a[i]\nstage b2[i] = a[i]\n"
               "stage b1[i] = a1[i]\nstage a2[i] = b2[i]\noutput a1: [64]\noutput a2: [64]\n"
               "output b1: [64]\noutput b2: [64]\n");
    EXPECT_EQ(refusal(crossed, "a2.compute_with(a1, i)\nb1.compute_with(b2, i)\n"),
              "2:1 the shared loops of a1 and those of b2 would each have to run before the other: "
              "a2 reads b2; leave out one of the two merges");
    EXPECT_EQ(refusal(crossed, "a2.compute_with(a1, i)\n"), "applied");
    EXPECT_EQ(refusal(crossed, "b1.compute_with(b2, i)\n"), "applied");
}

// Stages that do not read each other, with updates.
PipelinePtr two_with_updates() {
    std::string text = "pipeline p\ninput a[y, x]: f32[16, 24]\n";
    for (const std::string s : {"low", "high"}) {
        text += "stage " + s + "[y, x] = a[y, x]*2.0\n";
        for (int u = 0; u < 3; ++u)
            text += "update " + s + "[y, x] += " + std::to_string(u + 1) + ".0\n";
        text += "output " + s + ": [16, 24]\n";
    }
    return parsed(text);
}

// Each pair is a nest, and the nests run one after the other.
TEST(ComputeWith, SeveralNestsOfTheSameStages) {
    const auto p = two_with_updates();
    auto shared = [](int d, int e, const std::string& loop) {
        auto name = [](const char* stage, int definition) {
            return definition_name(stage, definition);
        };
        return name("high", d) + ".compute_with(" + name("low", e) + ", " + loop + ")\n";
    };
    auto text = rows(scheduled(p, shared(0, 0, "x") + shared(1, 1, "y")));
    EXPECT_NE(text.find("high → f32 [16, 24]\n"
                        "  low → f32 [16, 24]\n"
                        "    y 16\n"
                        "      x 24\n"
                        "        low pure\n"
                        "        high pure\n"
                        "    y 16\n"
                        "      x 24\n"
                        "        low.update(0) update\n"
                        "      x 24\n"
                        "        high.update(0) update\n"),
              std::string::npos)
        << text;
    // The order of the lines, and who hosts, are no matter.
    for (const auto& lines :
         {shared(1, 1, "x") + shared(0, 0, "x"), shared(0, 0, "x") + shared(1, 1, "x"),
          shared(0, 0, "y") + shared(1, 1, "x") + shared(2, 2, "y") + shared(3, 3, "x"),
          std::string("low.compute_with(high, x)\nhigh.update(0).compute_with(low.update(0), x)\n"),
          shared(1, 0, "x") + shared(2, 2, "x"), // low.update(0) between the two
          std::string(
              "high.update(0).compute_with(high, x)\nlow.update(0).compute_with(low, x)\n") +
              shared(3, 3, "x")})
        EXPECT_EQ(refusal(p, lines), "applied") << lines;
}

TEST(ComputeWith, NestsOfTheSameStagesKeepTheOrderOfEach) {
    const auto p = two_with_updates();
    EXPECT_EQ(refusal(p, "high.update(0).compute_with(low, x)\n"
                         "high.compute_with(low.update(0), x)\n"),
              "2:1 high.update(0) would run before high, which comes before it; merge the "
              "definitions of low and of high in one order");
    EXPECT_EQ(refusal(p, "high.compute_with(low, x)\n"
                         "high.update(1).compute_with(low.update(0), x)\n"),
              "2:1 high.update(0) would have to run between the loops that high and high.update(1) "
              "share with definitions of low; merge high.update(0) with one of those too, or leave "
              "high.update(1) apart");
    // A reader is complete with its own last definition alone.
    const auto reading = parsed("pipeline p\ninput a[i]: f32[64]\nstage s[i] = a[i]\n"
                                "update s[i] += 1.0\nstage t[i] = a[i]\nupdate t[i] += s[i]\n"
                                "output s: [64]\noutput t: [64]\n");
    EXPECT_EQ(refusal(reading, "t.compute_with(s, i)\n"
                               "t.update(0).compute_with(s.update(0), i)\n"),
              "applied");
    EXPECT_EQ(refusal(reading, "t.update(0).compute_with(s, i)\n"),
              "1:1 t.update(0) reads s, which is complete only after s.update(0); merge it with "
              "s.update(0) instead");
    // Three stages, of which the third is of one of the nests.
    const auto three = parsed("pipeline p\ninput a[i]: f32[64]\nstage s[i] = a[i]\n"
                              "update s[i] += 1.0\nstage t[i] = a[i]\nupdate t[i] += 2.0\n"
                              "stage u[i] = a[i]\noutput s: [64]\noutput t: [64]\n"
                              "output u: [64]\n");
    EXPECT_EQ(refusal(three, "t.compute_with(s, i)\nu.compute_with(t, i)\n"
                             "t.update(0).compute_with(s.update(0), i)\n"),
              "3:1 s shares loops with two groups of stages; merge all of them into one nest, or "
              "leave one out");
}

// Another host takes the place of the one before, and a ring of hosts has no head.
TEST(ComputeWith, HostsMakeNoRing) {
    auto text = refusal(pair(), "high.compute_with(low, y)\nfar.compute_with(high, x)\n"
                                "high.compute_with(far, x)\n");
    EXPECT_NE(text.find("far shares the loops of high already"), std::string::npos) << text;
}

// An iteration of the shared loops writes each fourth row, and none of those between.
TEST(ComputeWith, StridesInsideOfSharedLoops) {
    auto made = [](const std::string& read, const std::vector<std::string>& lines,
                   const std::string& loop) {
        std::string all;
        for (const std::string stage : {"a.", "e."})
            for (const auto& line : lines)
                all += stage + line + "\n";
        auto pipeline = parsed("pipeline p\ninput img[y, x]: f32[16, 12]\n"
                               "stage a[y, x] = img[y, x] + 1.0\nstage e[y, x] = a[" +
                               read + "]\noutput a: [16, 12]\noutput e: [16, 12]\n");
        return refusal(pipeline, all + "e.compute_with(a, " + loop + ")\n");
    };
    const std::vector<std::string> strided{"split(y, yo, yi, 4)", "reorder(yi, yo)"};
    const auto refused = testing::HasSubstr("computes points of a that do not lie side by side");
    EXPECT_EQ(made("y, x", strided, "yi"), "applied");
    EXPECT_EQ(made("y, x/2", strided, "yi"), "applied");
    EXPECT_THAT(made("y/2, x", strided, "yi"), refused);
    EXPECT_THAT(made("clamp(y - 1, 0, 15), x", strided, "yi"), refused);
    EXPECT_THAT(made("15 - y, x", strided, "yi"), refused);
    EXPECT_EQ(made("y/2, x", {"split(y, yo, yi, 4)"}, "yo"), "applied");
    EXPECT_EQ(made("y/2, x", {"split(y, yo, yi, 5)", "split(yi, ym, yj, 2)"}, "yo"), "applied");
    EXPECT_EQ(made("y, x/2", {"split(y, yo, yi, 5, shift)"}, "yo"), "applied");
    // A part of a row, be it fused with the others.
    const std::vector<std::string> rows{"fuse(y, x, f)", "split(f, fo, fi, 4)"};
    EXPECT_THAT(made("y, 11 - x", rows, "fo"), refused);
}

// Points that a shifted tail computes in two blocks are stored by one while the other reads them.
TEST(ComputeWith, ShiftedTailsOfBlocks) {
    const auto made = parsed("pipeline p\ninput a[x]: f32[16] boundary edge\n"
                             "stage d[x]: f32 = a[x] + 1.0\nstage e[x]: f32 = d[x]*2.0\n"
                             "output d: [7]\noutput e: [7]\n");
    auto lines = [](const std::string& tail) {
        return "d.split(x, xo, xi, 4" + tail + ")\ne.split(x, xo, xi, 4" + tail + ")\n";
    };
    const std::string bound = "d.bind(xo, block.x)\ne.bind(xo, block.x)\n";
    const std::string merged = "e.compute_with(d, xi)\n";
    EXPECT_EQ(refusal(made, lines("") + bound + merged), "applied");
    EXPECT_EQ(refusal(made, lines(", shift") + merged), "applied");
    EXPECT_NE(refusal(made, lines(", shift") + bound + merged)
                  .find("d computes some points in two blocks, of which one would read what the "
                        "other stores; give its tails no shift"),
              std::string::npos);
}

TEST(ComputeWith, RoundTrip) { expect_round_trip("A.update(0).compute_with(B, yo)"); }

} // namespace test_compute_with
} // namespace loopscope::test
