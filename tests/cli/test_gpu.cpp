// GPU schedules on the command line: lowered, checked in the interpreter of SIMT programs, emitted
// as PTX.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_cli;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> on_blur(std::vector<std::string> before, const std::string& lines,
                                 std::vector<std::string> more) {
    before.push_back(pipeline("blur"));
    before.push_back("-s");
    before.push_back(test::write_file("blur.sched", "schedule for blur\n" + lines));
    for (const auto* param : {"H=40", "W=70"}) {
        before.push_back("--param");
        before.push_back(param);
    }
    before.insert(before.end(), more.begin(), more.end());
    return before;
}

const char* const kTile = "out.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\nblur_x.compute_at(out, xo)\n";

TEST(GpuCommands, ChecksInTheInterpreter) {
    auto outcome = run_cli(on_blur({"check"}, kTile, {"--target", "simt", "--json"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    auto answer = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_TRUE(answer.at("findings").empty());
    ASSERT_EQ(answer.at("launches").size(), 1u);
    const auto& launch = answer["launches"][0];
    EXPECT_EQ(launch.at("blocks"), 15);
    EXPECT_EQ(launch.at("threads"), 256);
    EXPECT_EQ(launch.at("counts").at("barriers"), 15); // one a block
}

TEST(GpuCommands, WhatIsNotRunnableSaysWhy) {
    auto outcome = run_cli(on_blur({"check"}, "out.bind(x, block.x)\n", {"--target", "simt"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("out/x is bound to block.x inside of out/y"));
    outcome = run_cli(
        on_blur({"check"}, "out.bind(y, thread.y)\nout.bind(x, thread.x)\n", {"--target", "simt"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("a block has 2800 threads"));
}

TEST(GpuCommands, AnInterpreterHasNoTime) {
    auto outcome = run_cli(on_blur({"measure"}, kTile, {"--target", "simt"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("an interpreter has no time to measure"));
}

TEST(GpuCommands, EmitsPtx) {
    auto outcome = run_cli(on_blur({"emit"}, kTile, {"--as", "ptx", "--arch", "sm_90"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(".target sm_90"));
    EXPECT_THAT(outcome.out, HasSubstr(".entry out"));
    EXPECT_THAT(outcome.out, HasSubstr("bar.sync"));
    outcome = run_cli(on_blur({"emit"}, kTile, {"--as", "asm", "--target", "simt"}));
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("is a form of this processor's code"));
}

TEST(GpuCommands, EmitsTheProgramAfterEachPass) {
    auto outcome =
        run_cli(on_blur({"emit"}, kTile, {"--as", "after:bind_levels", "--target", "simt"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("bound thread.x for thread_x in 0..32 {"));
}

TEST(GpuCommands, EmitsLoopsForWhatTheScheduleIsFor) {
    const auto of_gpu = run_cli(on_blur({"emit"}, kTile, {}));
    ASSERT_EQ(of_gpu.status, 0) << of_gpu.err;
    EXPECT_THAT(of_gpu.out, HasSubstr("bound thread.x for thread_x in 0..32 {"));
    const auto of_cpu = run_cli(on_blur({"emit"}, kTile, {"--target", "cpu"}));
    ASSERT_EQ(of_cpu.status, 0) << of_cpu.err;
    EXPECT_THAT(of_cpu.out, Not(HasSubstr("bound thread.x")));
    const auto after = run_cli(on_blur({"emit"}, kTile, {"--as", "after:divide_work"}));
    EXPECT_EQ(after.status, 0) << after.err;
}

} // namespace
} // namespace loopscope
