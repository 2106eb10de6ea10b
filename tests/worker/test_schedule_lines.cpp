// What only the whole program shows names the lines of the script that make it so.
#include "compiler/worker/schedule_lines.h"

#include "compiler/protocol/worker_client.h"
#include "tests/support/must.h"
#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope::worker {
namespace test_schedule_lines {

const char* const kMatmul = "pipeline p\n"
                            "input A[i, k]: f32[13, 37]\n"
                            "input B[k, j]: f32[37, 23]\n"
                            "stage C[i, j] = sum[k in 0..37](A[i, k] * B[k, j])\n"
                            "stage out[i, j] = max(C[i, j], 0.0)\n"
                            "output out: [13, 23]\n";

TEST(ScheduleLines, UnrollingBeyondTheLimit) {
    auto loaded = test::load(kMatmul, "schedule for p\nC.unroll(i)\nC.reorder(k, j)\n"
                                      "C.unroll(j)\nC.serial(j)\nC.unroll(k)\nC.unroll(j)\n");
    auto lowered = lower_program(loaded);
    ASSERT_FALSE(lowered.ok());
    auto text = format(lowered.errors());
    EXPECT_THAT(text, testing::StartsWith("p.sched:2:1: error: unrolling would make "));
    EXPECT_THAT(text, testing::HasSubstr("\np.sched:6:1: note: this line takes part: C.unroll(k)"));
    EXPECT_THAT(text, testing::HasSubstr("\np.sched:7:1: note: "));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("p.sched:3:")));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("p.sched:5:")));
}

MemoryLimit may_use(std::int64_t bytes) { return {bytes, "the worker may use", ""}; }

TEST(ScheduleLines, PaddingBeyondTheMemory) {
    auto loaded = test::load(kMatmul, "schedule for p\nC.parallel(i)\nC.pad_storage(i, 1048576)\n"
                                      "C.pad_storage(j, 1048576)\n");
    auto lowered = lower_program(loaded);
    ASSERT_TRUE(lowered.ok());
    EXPECT_TRUE(check_memory(loaded, *lowered, may_use(5'000'000'000'000)).ok());
    auto refused = check_memory(loaded, *lowered, may_use(4'000'000'000'000));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.errors()[0].code, measure::kCodeMemoryLimit);
    auto text = format(refused.errors());
    EXPECT_THAT(text, testing::StartsWith("p.sched:3:1: error: the storage of this schedule takes "
                                          "4 TiB at one time, and the worker may use 3.64 TiB: "
                                          "C 4 TiB; pad it by less (pad_storage)\n"));
    EXPECT_THAT(text, testing::HasSubstr("\np.sched:4:1: note: "));
}

TEST(ScheduleLines, MemoryWithoutPadding) {
    auto loaded = test::load(kMatmul);
    auto lowered = lower_program(loaded);
    ASSERT_TRUE(lowered.ok());
    EXPECT_TRUE(check_memory(loaded, *lowered, may_use(13 * 23 * 4 + 64)).ok());
    auto limit = may_use(1000);
    limit.reason = "a control group allows 1 MiB";
    auto refused = check_memory(loaded, *lowered, limit);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(format(refused.errors()),
              "error: the storage of this schedule takes 1.17 KiB at one time, and the worker may "
              "use 1000 bytes, for a control group allows 1 MiB: C 1.17 KiB; compute a stage at a "
              "loop, where less of it is needed "
              "at once, or make the problem smaller (--param)\n");
}

// Too many threads are a matter of the whole kernel, and of the line that binds them.
TEST(ScheduleLines, WhatNoGpuRunsNamesItsLines) {
    const nlohmann::json arguments{
        {"pipeline",
         {{"name", "p.loop"},
          {"text", "pipeline p\ninput a[y, x]: f32[64, 4096]\nstage out[y, x] = a[y, x] * 2.0\n"
                   "output out: [64, 4096]\n"}}},
        {"schedule",
         {{"name", "p.sched"},
          {"text", "schedule for p\n# a row to a block\nout.bind(y, block.x)\n"
                   "out.split(x, xo, xi, 2)\nout.bind(xo, thread.x)\nout.unroll(xi)\n"}}},
        {"target", "simt"}};
    auto loaded = test::must(load_program(arguments));
    auto lowered = lower_program(loaded);
    ASSERT_FALSE(lowered.ok());
    EXPECT_EQ(lowered.errors()[0].code, "not-runnable");
    const auto text = format(lowered.errors());
    // `xo` is made by one line and bound by another; nothing else takes part.
    EXPECT_THAT(text, testing::StartsWith("p.sched:4:1: error: "));
    EXPECT_THAT(text, testing::HasSubstr("2048 threads"));
    EXPECT_THAT(text, testing::HasSubstr("\np.sched:5:1: note: this line takes part"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("p.sched:3:")));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("p.sched:6:")));
}

} // namespace test_schedule_lines
} // namespace loopscope::worker
