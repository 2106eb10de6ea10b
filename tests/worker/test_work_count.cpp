#include "compiler/worker/work_count.h"

#include "tests/worker/programs.h"

#include <gtest/gtest.h>

namespace loopscope::worker {
namespace {

WorkCount count(const std::string& text) { return count_work(*test::load(text).pipeline).value(); }

TEST(WorkCount, MatmulIsTwoOperationsAPoint) {
    auto work = count("pipeline m\ninput A[i, k]: f32[3, 5]\ninput B[k, j]: f32[5, 4]\n"
                      "stage C[i, j] = sum[k in 0..5](A[i, k]*B[k, j])\noutput C: [3, 4]\n");
    EXPECT_EQ(work.flops, 2 * 3 * 4 * 5);
    EXPECT_TRUE(work.flops_exact);
    EXPECT_EQ(work.bytes, 4 * (15 + 20 + 12));
}

TEST(WorkCount, StagesCountOnceOverTheirBoxes) {
    // t is needed on [-1, 9): ten points of one operation; s does two on eight.
    auto work = count("pipeline p\ninput a[x]: f32[8] boundary edge\nstage t[x] = a[x] * 2.0\n"
                      "stage s[x] = t[x-1] + t[x] + t[x+1]\noutput s: [8]\n");
    EXPECT_EQ(work.flops, 10 * 1 + 8 * 2);
    EXPECT_EQ(work.bytes, 4 * (8 + 8)) << "a boundary reads nothing beyond the array";
}

TEST(WorkCount, OnlyTheRegionThatIsReadIsTraffic) {
    auto work = count("pipeline p\ninput a[x, y]: u16[100, 100]\nstage s[x, y] = a[x + 1, "
                      "y]\noutput s: [4, 10]\n");
    EXPECT_EQ(work.bytes, 2 * (4 * 10 + 4 * 10));
    EXPECT_EQ(work.flops, 0) << "whole numbers are no FLOPs";
}

TEST(WorkCount, UpdatesCountTheirStep) {
    auto work = count("pipeline p\ninput a[r]: f32[6]\nstage s[x]: f32 = 0.0\nupdate s[x] += a[r] "
                      "* 2.0 over r in 0..6\noutput s: [3]\n");
    EXPECT_EQ(work.flops, 3 * 6 * 2);
}

TEST(WorkCount, PairsCountTheirParts) {
    auto work =
        count("pipeline p\ninput a[i, k]: f32[4, 6]\nstage m[i] = argmax[k in 0..6](a[i, k])\n"
              "output m: [4]\n");
    EXPECT_EQ(work.flops, 0) << "comparisons are no FLOPs";
    EXPECT_EQ(work.bytes, 4 * (4 * 6 + 4 + 4));
    work = count(
        "pipeline p\nstage s[i]: (f32, f32) = (1.0, 2.0)\nupdate s[i] += (3.0 * s[i].0, s[i].0)\n"
        "output s: [5]\n");
    EXPECT_EQ(work.flops, 5 * 3);
}

TEST(WorkCount, TermsThatAConditionLeavesOutDoNotCount) {
    auto work = count("pipeline p\ninput a[k]: f32[6]\nstage s[x] = sum[k in 0..6 where k <= "
                      "x](a[k])\noutput s: [6]\n");
    EXPECT_EQ(work.flops, 6 * 7 / 2);
    EXPECT_TRUE(work.flops_exact);
    auto blocks = count("pipeline p\ninput a[k]: f32[4096]\nstage s[x] = sum[k in 0..4096 where "
                        "k/32 <= x/32](a[k])\noutput s: [4096]\n");
    EXPECT_EQ(blocks.flops, 32.0 * 32 * 128 * 129 / 2);
    EXPECT_TRUE(blocks.flops_exact);
}

TEST(WorkCount, AConditionOnDataMakesItABound) {
    auto work = count("pipeline p\ninput a[k]: f32[6]\nstage s[x] = sum[k in 0..6 where a[k] > "
                      "0.0](a[k])\noutput s: [6]\n");
    EXPECT_EQ(work.flops, 36);
    EXPECT_FALSE(work.flops_exact);
}

} // namespace
} // namespace loopscope::worker
