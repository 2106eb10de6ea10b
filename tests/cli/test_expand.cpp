// expand: a script with its recipes written out.
#include "tests/cli/run_cli.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_cli;
using test::write_file;
using testing::HasSubstr;
using testing::Not;

const std::string kWord =
    "schedule for matmul_f16\ntarget h200\n\n# In one word.\n"
    "C.tensor_core()  # whole\nC_left_block.pipeline(2)\nC_right_block.pipeline(2)  # after it\n";

TEST(Expand, PrintsTheLinesInPlaceOfTheWord) {
    const auto outcome = run_cli({"expand", pipeline("matmul_f16"), write_file("w.sched", kWord)});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, testing::StartsWith(
                                 "schedule for matmul_f16\ntarget h200\n\n# In one word.\n"
                                 "# C.tensor_core(): whole\nC_sums = C.cache_write(fragment)\n"));
    EXPECT_THAT(outcome.out, HasSubstr("\nC_sums.tensorize(i, mma_m16n8k16_f16)\n"));
    EXPECT_THAT(
        outcome.out,
        testing::EndsWith("\nC_left_block.pipeline(2)\nC_right_block.pipeline(2)  # after it\n"));
    // The lines make the tree that the word makes.
    const auto lines = write_file("lines.sched", outcome.out);
    const auto of_word =
                   run_cli({"tree", pipeline("matmul_f16"), "-s", write_file("w.sched", kWord)}),
               of_lines = run_cli({"tree", pipeline("matmul_f16"), "-s", lines});
    EXPECT_EQ(of_word.status, 0) << of_word.err;
    EXPECT_EQ(of_word.out, of_lines.out);
    // Without recipes there is nothing to do.
    EXPECT_EQ(run_cli({"expand", pipeline("matmul_f16"), "-s", lines}).out, outcome.out);
}

TEST(Expand, IsForADeviceAndForSizes) {
    const auto word = write_file("w.sched", "schedule for matmul_f16\nC.tensor_core()\n");
    const auto nowhere = run_cli({"expand", pipeline("matmul_f16"), word});
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("w.sched:2:1: error: this machine has no tensor cores"));
    EXPECT_THAT(nowhere.err, HasSubstr("target h200"));
    const auto large =
                   run_cli({"expand", pipeline("matmul_f16"), word, "--device", "a100-sxm-40gb"}),
               small = run_cli({"expand", pipeline("matmul_f16"), word, "--device", "a100-sxm-40gb",
                                "--param", "M=64", "--param", "N=64"});
    EXPECT_EQ(large.status, 0) << large.err;
    EXPECT_EQ(small.status, 0) << small.err;
    EXPECT_THAT(large.out, HasSubstr("C.split(i, i_block, i, 128, shift)"));
    EXPECT_THAT(small.out, Not(HasSubstr("C.split(i, i_block, i, 128, shift)")));
    EXPECT_EQ(run_cli({"expand", pipeline("matmul_f16")}).status, 2) << "a schedule must be given";
}

// The worker writes recipes out for the script's target: exporters see lines.
TEST(Expand, TheWordRunsWhereItsLinesDo) {
    const auto word = write_file("w.sched", kWord);
    const auto checked = run_cli({"check", pipeline("matmul_f16"), "-s", word, "--target", "simt",
                                  "--param", "M=64", "--param", "N=72", "--param", "K=64"});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    for (const auto* language : {"halide", "tvm"}) {
        const auto exported =
            run_cli({"emit", pipeline("matmul_f16"), "-s", word, "--as", language});
        EXPECT_EQ(exported.status, 0) << exported.err;
        EXPECT_THAT(exported.out, HasSubstr("C_sums"));
        EXPECT_THAT(exported.err, HasSubstr("w.sched:5:1: warning: "));
        EXPECT_THAT(exported.err, HasSubstr("C_sums.tensorize(i, mma_m16n8k16_f16): left out"));
    }
    const auto ptx = run_cli({"emit", pipeline("matmul_f16"), "-s", word, "--as", "ptx"});
    EXPECT_EQ(ptx.status, 0) << ptx.err;
    EXPECT_THAT(ptx.out, HasSubstr("mma.sync.aligned.m16n8k16"));
}

} // namespace
} // namespace loopscope
