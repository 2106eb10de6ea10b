// Swizzled operands of the shipped product of f16 matrices: no access of shared memory meets a
// conflict of banks, in less memory than padded rows take, of which copies meet some; without
// either they meet many. Whatever the layout, the bits are the reference's.
#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/run/compare.h"
#include "compiler/run/pipeline_inputs.h"
#include "compiler/run/reference/reference.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"
#include "core/device/generic_gpu.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/script_tree.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

namespace loopscope::test {
namespace test_swizzled_schedules {

constexpr const char* kSwizzled = "left_block.swizzle()\nright_block.swizzle()\n";

PipelinePtr product(std::int64_t m, std::int64_t n, std::int64_t k) {
    LoadOptions options;
    options.params = {{"M", m}, {"N", n}, {"K", k}};
    return must(load_pipeline_file(source_path("resources/pipelines/matmul_f16.loop"), options))
        .pipeline;
}

struct Outcome {
    SimtLaunchRun launch;
    bool right = false;
};

// The shipped schedule with these lines in place of the swizzling ones.
Outcome outcome(const PipelinePtr& pipeline, const std::string& file, const std::string& lines) {
    auto text = read_file(source_path("resources/pipelines/" + file));
    const auto at = text.find(kSwizzled);
    EXPECT_NE(at, std::string::npos) << file;
    text.replace(at, std::string(kSwizzled).size(), lines);
    const auto schedule = must(
        parse_schedule(std::make_shared<SourceFile>("matmul_f16.sched", text), pipeline.get()));
    const auto& device = device::generic_gpu();
    const auto tree = must(schedule_tree(pipeline, schedule, ApplyContext{&device}));
    lower::LowerOptions options;
    options.verify_each = true;
    const auto program = must(
        lower::run_passes(must(lower::build_for_device(*tree)), lower::device_passes(), options));
    std::uint64_t seed = 5;
    const auto inputs = must(random_inputs(
        *pipeline, [&](const Stage&) { return RandomInput{seed++, RandomMode::SmallWhole}; }));
    const auto run = must(run_simt_program(program, inputs));
    EXPECT_TRUE(run.findings.empty()) << format(run.findings);
    const auto expected = must(evaluate(*pipeline, inputs));
    return {run.launches.at(0), compare(run.outputs.at("C"), expected.at("C")).equal};
}

class SwizzledOperands : public testing::TestWithParam<const char*> {};

TEST_P(SwizzledOperands, MeetNoConflictsInLessMemoryThanPaddedOnes) {
    const auto pipeline = product(130, 144, 96);
    const auto swizzled = outcome(pipeline, GetParam(), kSwizzled);
    const auto padded = outcome(pipeline, GetParam(),
                                "left_block.pad_storage(k, 8)\nright_block.pad_storage(j, 8)\n");
    const auto plain = outcome(pipeline, GetParam(), "");
    for (const auto* one : {&swizzled, &padded, &plain})
        EXPECT_TRUE(one->right);
    EXPECT_GT(swizzled.launch.total.shared_passes, 0u);
    EXPECT_EQ(swizzled.launch.total.shared_passes, swizzled.launch.total.shared_passes_least);
    // Rows of 80 bytes: what is copied into two of them, four chunks each, meets in banks.
    EXPECT_GT(padded.launch.total.shared_passes, padded.launch.total.shared_passes_least);
    EXPECT_EQ(padded.launch.total.shared_passes_least, swizzled.launch.total.shared_passes_least);
    EXPECT_EQ(swizzled.launch.total.shared_accesses, padded.launch.total.shared_accesses);
    EXPECT_GT(plain.launch.total.shared_passes, 3 * plain.launch.total.shared_passes_least / 2);
    EXPECT_LT(swizzled.launch.shared_bytes, padded.launch.shared_bytes);
    EXPECT_EQ(swizzled.launch.shared_bytes, plain.launch.shared_bytes);
}

// Rows of 32, 64 and 256 bytes; a last block that moves inwards; fewer terms than a pipeline has
// stages.
TEST_P(SwizzledOperands, GiveTheBitsAtOtherSizes) {
    for (const auto& [m, n, k] :
         {std::array<std::int64_t, 3>{128, 128, 16}, {168, 136, 64}, {137, 152, 160}})
        EXPECT_TRUE(outcome(product(m, n, k), GetParam(), kSwizzled).right)
            << m << " " << n << " " << k;
}

INSTANTIATE_TEST_SUITE_P(Shipped, SwizzledOperands,
                         testing::Values("matmul_f16.gpu.sched",
                                         "matmul_f16.gpu_unpipelined.sched"),
                         [](const auto& info) {
                             return std::string(info.index == 0 ? "pipelined" : "unpipelined");
                         });

} // namespace test_swizzled_schedules
} // namespace loopscope::test
