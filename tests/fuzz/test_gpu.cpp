// Random schedules for GPUs, lowered and run in the interpreter of SIMT programs, and through
// OpenCL where that is here, against the reference interpreter. Reads the variables of
// test_fuzz.cpp: LOOPSCOPE_FUZZ_GPU_PAIRS, LOOPSCOPE_FUZZ_OPENCL_PAIRS, LOOPSCOPE_FUZZ_SEED.
#include "tests/fuzz/gpu_lines.h"
#include "tests/fuzz/gpu_summary.h"
#include "tests/fuzz/running_pair.h"
#include "tests/opencl/opencl_support.h"
#include "tests/support/chance.h"
#include "tests/support/random_run.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

using namespace loopscope;
using namespace loopscope::fuzz;
using loopscope::test::setting;

namespace test_gpu {

constexpr std::uint64_t kLeast = 250;               // pairs, of which shares say something
constexpr double kSeconds = 10, kOpenclSeconds = 5; // of ./test.sh

void write_figures(const GpuSummary& summary) {
    if (const auto file = text_setting("LOOPSCOPE_FUZZ_FIGURES"); !file.empty())
        std::ofstream(file) << summary.figures();
}

TEST(FuzzGpu, PairsAgree) {
    const auto most_bad = setting("LOOPSCOPE_FUZZ_MOST_BAD", 5);
    // A long run says how many in its own variable (scripts/fuzz.sh).
    const char* const variable =
        std::getenv("LOOPSCOPE_FUZZ_PAIRS") ? "LOOPSCOPE_FUZZ_PAIRS" : "LOOPSCOPE_FUZZ_GPU_PAIRS";
    test::RandomRun run("pairs for GPUs", variable, {.seconds = kSeconds, .least = kLeast});
    JudgeOptions options;
    options.on_device = true;
    const auto by_options = [&](const Pair& pair) { return judge(pair, options); };
    GpuSummary summary;
    RunningPair running;
    for (; run.more() && static_cast<std::uint64_t>(summary.bad) < most_bad; run.advance()) {
        const auto seed = run.seed();
        running.begin({"", "", seed, true});
        const auto pair = random_gpu_pair(seed);
        options.own_names = seed % 8 == 0;
        running.begin(pair);
        const auto verdict = judge(pair, options);
        summary.add(pair, verdict);
        if (verdict.bad())
            tell(pair, by_options, "FuzzGpu.PairsAgree");
        running.end();
        // of a process that ends early, most of it
        if (seed % 50 == 0)
            write_figures(summary);
    }
    write_figures(summary);
    std::cout << summary.text();
    if (run.count() < kLeast)
        return;
    // A little less than the shares of 8,821 pairs from five seeds.
    EXPECT_GE(summary.agree, test::fewest(summary.pairs, 0.59));
    EXPECT_GE(summary.tensor, test::fewest(summary.pairs, 0.25));
    EXPECT_GE(summary.tensor_agree, test::fewest(summary.tensor, 0.53));
    EXPECT_GE(summary.persistent_agree, test::fewest(summary.pairs, 0.13));
}

// So many pairs that are runnable, and that OpenCL C has words for.
TEST(FuzzGpu, PairsAgreeThroughOpencl) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    if (auto device = test::opencl_client().devices().value().front(); !device.exact())
        GTEST_SKIP() << device.name << " " << device.inexact_text();
    // A minute on two cores: PoCL compiles each kernel.
    test::RandomRun run("pairs through OpenCL", "LOOPSCOPE_FUZZ_OPENCL_PAIRS",
                        {.seconds = kOpenclSeconds, .least = 20});
    JudgeOptions options;
    options.on_device = true;
    options.opencl = &test::opencl_client();
    int ran = 0, inexpressible = 0, bad = 0;
    for (; run.more() && bad < 5; run.advance()) {
        const auto seed = run.seed();
        const auto pair = random_gpu_pair(seed);
        const auto verdict = judge(pair, options);
        inexpressible += verdict.outcome == Outcome::NotExpressible;
        ran += verdict.outcome == Outcome::Agree && (verdict.in_bits || verdict.within_bound);
        if (!verdict.bad())
            continue;
        ++bad;
        const auto small =
            shrink(pair, [&](const Pair& smaller) { return judge(smaller, options); });
        ADD_FAILURE() << "seed " << seed << ": " << report(small, judge(small, options));
    }
    std::cout << "agree: " << ran << "\nnot in OpenCL C: " << inexpressible << "\n";
    EXPECT_GT(ran, 0);
}

// Pairs that once failed through OpenCL, shrunk.
TEST(FuzzGpu, OpenclRegressions) {
    if (auto reason = test::no_opencl_device(); !reason.empty())
        GTEST_SKIP() << reason;
    // A barrier under a condition, in a loop: PoCL 3.1 made a kernel that never ends.
    const Pair guarded_barrier{
        R"(pipeline p
input in0: u8[1, 9, 8] boundary wrap
stage s0[y, x]: i8 = i8(in0[4 - y, x, x + 3])
stage s1[y, x]: u32 = prod[k in 0..6, l in 0..5](select(bool(s0[y - 1, x]), u32(y), 2u32) * (8u32 * u32(s0[l + x, 5 - x])))
stage s2[y, x]: u32 = s1[5 - y, x + 3] + s1[y/2, 2*x]
output s2: [18, 18]
)",
        R"(schedule for p
s1.split(x, g4, g5, 4)
s1.split(g5, g6, g7, 4)
s1.split(y, g8, g9, 3)
s1.split(g9, g10, g11, 2)
s1.reorder(g8, g4, g10, g6, g11, g7)
s1.bind(g8, block.y)
s1.bind(g4, block.x)
s1.bind(g10, thread.y)
s1.bind(g6, thread.x)
s1.vectorize(g11)
s1.unroll(g7)
)",
        237};
    // An array of each thread's own, read under a condition: PoCL's usual method mixes up its
    // elements (opencl/api.cpp).
    const Pair own_array{
        R"(pipeline p
input a: f32[2, 2] boundary reflect
stage g[y, x]: f32 = a[y, i32(a[x, y])]
stage o[y, x]: f32 = min(g[y, x - 1], g[y, x])
output o: [1, 1]
)",
        R"(schedule for p
o.split(x, g0, g1, 2)
o.split(y, g2, g3, 4)
o.bind(g3, thread.y)
o.bind(g1, thread.x)
g.compute_at(o, g1)
)",
        1227};
    // The same condition in a loop with a barrier and behind it: what stood behind never ran.
    const Pair condition_behind_a_loop{
        R"(pipeline p
input in1: i32[1, 1] boundary wrap
stage s0[y]: i32 = min[k in 0..4](in1[0, k])
output s0: [1]
)",
        R"(schedule for p
s0_acc = s0.cache_write(local)
s0.split(y, g22, g23, 1)
s0.split(g23, g24, g25, 1)
s0.bind(g24, thread.x)
s0_acc.compute_at(s0, g24)
s0_acc.split(k, g26, g27, 2)
in1_g28 = s0_acc.cache_read(in1, shared)
in1_g28.compute_at(s0_acc, g26)
in1_g28.bind(d1, thread.x)
in1_g28.pipeline(3)
)",
        218456560};
    // A barrier in a loop that is unrolled: one work-item wrote nothing in the second round.
    const Pair barrier_in_rounds{
        R"(pipeline p
input a: i32[1, 1, 1]
input w: i32[1, 1, 2, 1]
stage c[o, y, x]: i32 = sum[ci in 0..3, ky in 0..2, kx in 0..1](a[0, 0, 0] * w[o, 0, ky, 0])
output c: [1, 4, 9]
)",
        R"(schedule for p
c_acc = c.cache_write(local)
c.split(x, g12, g13, 2)
c.split(g13, g14, g15, 2)
c.split(y, g16, g17, 3)
c.split(g17, g18, g19, 2)
c.reorder(g12, g18)
c.bind(g16, block.y)
c.bind(g12, block.x)
c.bind(g18, thread.y)
c.unroll(g19)
c.vectorize(g15)
c_acc.compute_at(c, g14)
c_acc.split(ci, g20, g21, 3)
c_acc.reorder(g20, y)
a_g22 = c_acc.cache_read(a, shared)
a_g22.compute_at(c_acc, g20)
)",
        154995112};
    // Conditions one behind the other, between barriers: in the last block nothing was stored.
    const Pair conditions_in_a_row{
        R"(pipeline p
input in0: i32[1, 1, 5]
stage s0[y, x, c]: i32 = in0[0, 0, i32(clamp(i64(y)*2147483648, 0, 8589934592) / 2147483648)]
update s0[y, x, c] = 0 over c in 0..5
stage s1[y]: (i32, i32) = argmin[k in 0..4](select(bool(s0[y + k, 0, y/2]), 0, 1))
output s1: [3]
)",
        R"(schedule for p
s1.bind(y, block.x)
s1.split(k, g0, g1, 2)
s1.bind(g1, thread.x)
s0.compute_at(s1, g1)
)",
        192164014};
    JudgeOptions options;
    options.on_device = true;
    options.opencl = &test::opencl_client();
    for (const auto& pair : {guarded_barrier, own_array, condition_behind_a_loop, barrier_in_rounds,
                             conditions_in_a_row}) {
        const auto verdict = judge(pair, options);
        EXPECT_EQ(verdict.outcome, Outcome::Agree) << pair.pipeline << verdict.message;
    }
}

} // namespace test_gpu
