// Steps that all threads of a level must reach; warps that run different code; what ends a run.
#include "tests/simt/simt_support.h"

namespace loopscope {
namespace {

using namespace test;

std::string block_of(int threads, const std::string& body) {
    auto n = std::to_string(threads);
    return "program p\noutput out: i32[" + n + "]\nlaunch p on device (out) {\n" +
           "bound thread.x for t in 0.." + n + " {\n" + body + "\nout[t] = t\n}\n}\n";
}

TEST(SimtCollectives, ABarrierThatAPartOfAWarpReaches) {
    auto result = run(block_of(64, "if t < 40 {\nbarrier block  @ C/k\n}"), {}, false);
    expect_only(result, Kind::Divergence, "C/k", "a barrier of the block is reached ");
    EXPECT_EQ(values<std::int32_t>(result, "out")[63], 63);
    expect_only(
        run(block_of(32, "if t % 8 == 2 {\nbarrier warp  @ C/k\n}"), {}, false), Kind::Divergence,
        "C/k",
        "a barrier of the warp is reached by threads 2, 10, 18 and 26 of warp 0 alone (block 0)");
}

TEST(SimtCollectives, ABarrierThatSomeWarpsReach) {
    auto result = run(block_of(96, "if t < 32 {\nbarrier block  @ C/k\n}"), {}, false);
    expect_only(result, Kind::Divergence, "C/k",
                "a barrier of the block is reached not by warp 1, 2, which had ended");
    EXPECT_EQ(values<std::int32_t>(result, "out")[63], 63);
}

TEST(SimtCollectives, StepsOfThePipeline) {
    expect_only(run(block_of(64, "if t < 32 {\ncommit tok  @ C/k\n}"), {}, false), Kind::Divergence,
                "C/k", "a step commit is reached 1 times by warp 0 and 0 times by warp 1");
    expect_only(run(block_of(32, "if t < 31 {\nwait tok 0  @ C/k\n}"), {}, false), Kind::Divergence,
                "C/k", "a step wait is reached by threads 0 to 30");
}

TEST(SimtCollectives, TwoBarriersThatWaitForEachOther) {
    auto result =
        run(block_of(128, "if t < 64 {\nbarrier block  @ P/k\n} else {\nbarrier block  @ C/k\n}"),
            {}, false);
    expect_only(
        result, Kind::Deadlock, "P/k C/k",
        "block 0 cannot go on: warps 0, 1 wait at a barrier of the block (P/k); warps 2, 3 wait "
        "at a barrier of the block (C/k)");
    EXPECT_EQ(result.launches.size(), 1u);
}

TEST(SimtCollectives, WarpsThatProduceAndWarpsThatConsume) {
    auto input = random(T::I32, {256});
    auto result = run(
        on_device("input A: i32[256]\noutput out: i32[256]", R"(    bound thread.x for t in 0..64 {
        allocate s: i32[2, 32] in shared
        for k in 0..9 {
            if t < 32 {
                if k < 8 {
                    s[k % 2, t] = A[32*k + t]
                }
            } else {
                if k > 0 {
                    out[32*(k - 1) + t - 32] = s[(k - 1) % 2, 63 - t]
                }
            }
            barrier block
        }
    }
)"),
        {{"A", input}});
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    for (std::size_t i = 0; i < 256; ++i)
        EXPECT_EQ(values<std::int32_t>(result, "out")[i],
                  input.as<std::int32_t>()[i / 32 * 32 + 31 - i % 32]);
}

std::string code_of(const Result<SimtRun>& result) {
    return result ? "none" : result.errors().front().code;
}
std::string message_of(const Result<SimtRun>& result) {
    return result ? "none" : result.errors().front().message;
}

TEST(SimtLimits, StepsMemoryAndCancelling) {
    auto endless = parsed(block_of(32, "for i in 0..2000000000 {\nevaluate i\n}"));
    SimtOptions options;
    options.step_limit = 100000;
    EXPECT_EQ(code_of(run_simt_program(endless, {}, options)), "step-limit");
    options = {};
    std::atomic<bool> cancel = true;
    options.cancel = &cancel;
    EXPECT_EQ(code_of(run_simt_program(endless, {}, options)), "cancelled");
    options = {};
    options.memory_limit = 100000;
    auto large = parsed(block_of(1024, "allocate r: f32[1000] in register\nr[0] = 1.0"));
    EXPECT_EQ(code_of(run_simt_program(large, {}, options)), "memory-limit");
    auto vast =
        parsed(block_of(1024, "allocate r: f32[2000000000, 2000000000] in local\nr[0, 0] = 1.0"));
    EXPECT_EQ(code_of(run_simt_program(vast, {})), "memory-limit");
}

TEST(SimtLimits, WhatItCannotRun) {
    auto text = block_of(32, "");
    EXPECT_NE(message_of(run_simt_program(parsed(replaced(text, "on device", "on host")), {}))
                  .find("is on the host"),
              std::string::npos);
    EXPECT_NE(
        message_of(run_simt_program(parsed(replaced(text, "bound thread.x", "bound warp")), {}))
            .find("has no dimensions"),
        std::string::npos);
    EXPECT_NE(message_of(run_simt_program(parsed(block_of(2048, "")), {}))
                  .find("has blocks of more than 1024 threads"),
              std::string::npos);
    EXPECT_NE(message_of(run_simt_program(
                             parsed(block_of(
                                 32, "allocate r: f32[1] in register\nintrinsic frobnicate r[0]")),
                             {}))
                  .find("does not know the intrinsic frobnicate"),
              std::string::npos);
    auto input =
        parsed("program p\ninput A: f32[4]\noutput out: f32[4]\nlaunch p on device (A, out) {\n"
               "bound thread.x for t in 0..4 {\nout[t] = A[t]\n}\n}\n");
    EXPECT_EQ(message_of(run_simt_program(input, {})), "the input A is missing");
    EXPECT_EQ(message_of(run_simt_program(input, {{"A", random(T::F32, {5})}})),
              "the input A is f32[5], not f32[4]");
}

} // namespace
} // namespace loopscope
