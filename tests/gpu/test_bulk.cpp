// Bulk tensor copies from the schedule to the driver: the shipped product of tensor cores, on a
// target that has a TMA. The TMA permutes rows of 64 bytes, as the left operand has;
// those of 256 bytes, of the right one, it leaves in order.
#include "tests/gpu/gpu_support.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_with_driver;
using testing::HasSubstr;
using testing::Not;

std::string schedule_for(const std::string& target) {
    const auto text =
        test::read_file(test::source_path("resources/pipelines/matmul_f16.gpu.sched"));
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto end = text.find('\n', at);
        const auto line = text.substr(at, end - at);
        if (line != "right_block.swizzle()")
            out += line + "\n";
        if (line.rfind("schedule for", 0) == 0)
            out += "target " + target + "\n";
        at = end + 1;
    }
    return test::write_file("bulk.sched", out);
}

std::vector<std::string> with(std::vector<std::string> verb, const std::string& schedule,
                              const std::vector<std::string>& more) {
    verb.insert(verb.end(), {pipeline("matmul_f16"), "-s", schedule, "--param", "M=168", "--param",
                             "N=136", "--param", "K=96"});
    verb.insert(verb.end(), more.begin(), more.end());
    return verb;
}

TEST(BulkCopies, TheTargetDecides) {
    const auto hopper = schedule_for("h200"), ampere = schedule_for("a100-sxm-40gb");
    const auto loops = run_with_driver(with({"emit"}, hopper, {}));
    ASSERT_EQ(loops.status, 0) << loops.err;
    EXPECT_THAT(loops.out, HasSubstr("bulk copy left_block.copies left_block["));
    EXPECT_THAT(loops.out, HasSubstr("of [128, 32] swizzle 64 by left_block.copies.arrivals"));
    EXPECT_THAT(loops.out, HasSubstr("of [32, 128] by left_block.copies.arrivals"));
    EXPECT_THAT(run_with_driver(with({"emit"}, ampere, {})).out, Not(HasSubstr("bulk")));
    const auto ptx = run_with_driver(with({"emit"}, hopper, {"--as", "ptx"}));
    EXPECT_THAT(ptx.out, HasSubstr("cp.async.bulk.tensor.2d"));
    EXPECT_THAT(ptx.out, Not(HasSubstr("cp.async.cg")));
}

TEST(BulkCopies, AreRightInTheInterpreter) {
    const auto outcome =
        run_with_driver(with({"check"}, schedule_for("h200"), {"--target", "simt", "--json"}));
    ASSERT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    const auto answer = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(answer.at("status"), "right");
    EXPECT_TRUE(answer.at("findings").empty()) << answer.at("findings").dump(1);
}

TEST(BulkCopies, TheDriverDescribesTheArraysToTheEngine) {
    const auto schedule = schedule_for("h200");
    const auto meaning =
        test::meaning_of(pipeline("matmul_f16"), schedule, {{"M", 168}, {"N", 136}, {"K", 96}});
    const auto log = test::scratch_folder() + "/log";
    const auto outcome = run_with_driver(with({"check"}, schedule, {"--target", "cuda"}),
                                         {{"FAKE_CUDA_PROGRAMS", meaning}, {"FAKE_CUDA_LOG", log}});
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    const auto calls = test::read_file(log);
    EXPECT_THAT(calls, HasSubstr("tensor map of 2 bytes: 96/32 168/128 swizzled by 64\n"));
    EXPECT_THAT(calls, HasSubstr("tensor map of 2 bytes: 136/128 96/32\n"));
    EXPECT_THAT(calls, HasSubstr("launch C "));
}

// Each of two blocks asks for half a box of B, 32 rows of 64; the shipped schedule.
TEST(BulkCopies, BlocksOfAClusterAskForPartsOfABox) {
    const auto schedule =
        test::source_path("resources/pipelines/matmul_f16.gpu_hopper_cluster.sched");
    const auto meaning =
        test::meaning_of(pipeline("matmul_f16"), schedule, {{"M", 256}, {"N", 256}, {"K", 128}});
    const auto log = test::scratch_folder() + "/log";
    const auto outcome =
        run_with_driver({"check", pipeline("matmul_f16"), "-s", schedule, "--param", "M=256",
                         "--param", "N=256", "--param", "K=128", "--target", "cuda"},
                        {{"FAKE_CUDA_PROGRAMS", meaning}, {"FAKE_CUDA_LOG", log}});
    EXPECT_EQ(outcome.status, 0) << outcome.err << outcome.out;
    const auto calls = test::read_file(log);
    EXPECT_THAT(calls, HasSubstr("tensor map of 2 bytes: 128/64 256/128 swizzled by 128\n"));
    EXPECT_THAT(calls, HasSubstr("tensor map of 2 bytes: 256/64 128/32 swizzled by 128\n"));
    EXPECT_THAT(calls, HasSubstr("launch C 1,2,1 128,1,3 196768 in clusters of 1,2,1\n"));
}

} // namespace
} // namespace loopscope
