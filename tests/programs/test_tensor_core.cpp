// S.tensor_core(), one word for each product of the programs for tensor cores. In the SIMT
// interpreter its lines give the reference's bits, at sizes that tiles divide and at such that they
// do not; at the sizes that the programs state NVIDIA's assembler, where there is one, takes the
// code without spills. What the lines are: tests/schedule/test_tensor_core.cpp.
#include "compiler/measure/host_device.h"
#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "compiler/worker/emit_ptx.h"
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/recipe.h"
#include "tests/programs/program_fixture.h"
#include "tests/programs/runs.h"
#include "tests/support/must.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace loopscope::test {
namespace test_tensor_core {

constexpr int kMaxRegisters = 255;

struct Case {
    const char* program;
    const char* lines;
    std::vector<Params> sizes;
    double bound = 0;           // of the greatest magnitude; 0: the bits are equal
    const char* text = nullptr; // of a program that is not shipped
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.program; }

const std::vector<Params> kMatrices{{{"M", 128}, {"N", 128}, {"K", 64}},
                                    {{"M", 168}, {"N", 136}, {"K", 96}},
                                    {{"M", 130}, {"N", 150}, {"K", 48}},
                                    {{"M", 16}, {"N", 8}, {"K", 16}},
                                    {{"M", 20}, {"N", 500}, {"K", 80}}};
const std::vector<Params> kBatches{{{"B", 2}, {"M", 128}, {"N", 128}, {"K", 64}},
                                   {{"B", 3}, {"M", 137}, {"N", 136}, {"K", 48}}};
// With borders on all sides, with a window that strides over them, of many pictures and of one,
// whose rows are then pixels.
const std::vector<Params> kImages{
    {{"N", 16}, {"H", 3}, {"W", 7}, {"C", 32}, {"K", 64}},
    {{"N", 18}, {"H", 5}, {"W", 16}, {"C", 48}, {"K", 72}, {"STRIDE", 2}},
    {{"N", 1}, {"H", 4}, {"W", 20}, {"C", 32}, {"K", 40}},
    {{"N", 2}, {"H", 6}, {"W", 16}, {"C", 64}, {"K", 16}, {"R", 1}, {"S", 1}, {"PADDING", 0}}};
const std::vector<Params> kVolumes{{{"D", 16}, {"H", 2}, {"W", 7}, {"C", 32}, {"K", 64}},
                                   {{"D", 19}, {"H", 3}, {"W", 9}, {"C", 16}, {"K", 80}}};

const std::vector<Case> kCases{
    {"matmul_f16", "C.tensor_core()\n", kMatrices},
    {"matmul_f16_nt", "C.tensor_core()\n", kMatrices},
    {"matmul_bf16", "C.tensor_core()\n", kMatrices},
    {"matmul_s8",
     "C.tensor_core()\n",
     {{{"M", 128}, {"N", 128}, {"K", 128}}, {{"M", 168}, {"N", 144}, {"K", 96}}}},
    {"matmul_bias_relu_f16", "product.tensor_core()\n", kMatrices},
    {"matmul_residual_f16", "product.tensor_core()\n", kMatrices},
    {"batch_matmul_qk_f16", "score.tensor_core()\n", kBatches},
    {"batch_matmul_sv_f16", "mean.tensor_core()\n", kBatches},
    {"conv2d_f16", "out.tensor_core()\n", kImages},
    {"conv3d_f16", "out.tensor_core()\n", kVolumes},
    // Both operands turned, of f32 that the definition rounds as the instruction does.
    {"turned_tf32",
     "C.tensor_core()\n",
     {{{"M", 64}, {"N", 64}, {"K", 32}}, {{"M", 50}, {"N", 36}, {"K", 24}}},
     0,
     "pipeline turned_tf32\nparam M = 1024\nparam N = 1024\nparam K = 1024\n"
     "input A[k, i]: f32[K, M]\ninput B[j, k]: f32[N, K]\n"
     "def tf32(x) = from_bits(f32, (bits(x) + 4096) & 0xffffe000)\n"
     "stage C[i, j] = sum[k in 0..K](tf32(A[k, i])*tf32(B[j, k]))\noutput C: [M, N]\n"},
    // An update, which starts from what was there; and an epilogue of several stages, turned on the
    // way to memory.
    {"update_f16",
     "C.update(0).tensor_core()\n",
     {{{"M", 64}, {"N", 64}, {"K", 32}}, {{"M", 50}, {"N", 36}, {"K", 48}}},
     0,
     "pipeline update_f16\nparam M = 1024\nparam N = 1024\nparam K = 1024\n"
     "input A[i, k]: f16[M, K]\ninput B[k, j]: f16[K, N]\ninput D[i, j]: f32[M, N]\n"
     "stage C[i, j] = 2.0*D[i, j]\nupdate C[i, j] += f32(A[i, k])*f32(B[k, j]) over k in 0..K\n"
     "stage shifted[i, j] = C[i, j] + f32(i)\n"
     "stage out[j, i] = max(shifted[i, j], 0.0) + C[i, j]\noutput out: [N, M]\n"},
    // Too few rows for an instruction: they are its columns.
    {"few_rows_f16",
     "C.tensor_core()\n",
     {{{"M", 8}, {"N", 64}, {"K", 32}}, {{"M", 13}, {"N", 36}, {"K", 48}}},
     0,
     "pipeline few_rows_f16\nparam M = 8\nparam N = 1024\nparam K = 1024\n"
     "input A[i, k]: f16[M, K]\ninput B[k, j]: f16[K, N]\n"
     "stage C[i, j]: f32 = sum[k in 0..K](f32(A[i, k])*f32(B[k, j]))\noutput C: [M, N]\n"},
    // Exponentials are no whole numbers. A weight is rounded to f16, and the mean once more.
    {"attention_f16",
     "score.inline()\nmatch.tensor_core()\n"
     "e.inline()\nweight.bind(h, block.y)\nweight.bind(i, block.x)\n"
     "total.compute_at(weight, i)\ngreatest.compute_at(weight, i)\n"
     "mean.tensor_core()\n",
     {{{"HEADS", 1}, {"LENGTH", 128}, {"DEPTH", 64}},
      {{"HEADS", 2}, {"LENGTH", 144}, {"DEPTH", 80}}},
     std::ldexp(1, -9)},
};

class TensorCorePrograms : public testing::TestWithParam<Case> {};

PipelinePtr pipeline_of(const Case& c, const Params& params) {
    LoadOptions options;
    options.params = params;
    if (c.text)
        return must(load_pipeline(std::make_shared<SourceFile>(c.program, c.text), options))
            .pipeline;
    return must(
               load_pipeline_file(
                   source_path("resources/pipelines/" + std::string(c.program) + ".loop"), options))
        .pipeline;
}

Schedule schedule_of(const Case& c, const Pipeline& pipeline) {
    return must(parse_schedule(std::make_shared<SourceFile>(
        "test.sched", "schedule for " + pipeline.name + "\n" + c.lines)));
}

void expect_reference(const Case& c, const device::Device& device) {
    for (const auto& params : c.sizes) {
        std::string sizes;
        for (const auto& [name, value] : params)
            sizes += " " + name + " " + std::to_string(value);
        SCOPED_TRACE(c.program + sizes);
        const auto pipeline = pipeline_of(c, params);
        const BundledProgram program{
            pipeline,
            must(schedule_tree(pipeline, schedule_of(c, *pipeline),
                               ApplyContext{&device, &declared_intrinsics()})),
            device.vector_bits, true};
        const auto reasons = not_runnable(*program.tree, *device.gpu);
        ASSERT_TRUE(reasons.empty()) << reasons.front().message;
        const auto inputs = small_whole_inputs(*pipeline, 11);
        const auto expected = run_reference(program, inputs);
        const auto actual = run_compiled(program, inputs, 1);
        for (const auto& [output, buffer] : expected) {
            if (c.bound == 0)
                EXPECT_TRUE(compare(actual.at(output), buffer).equal) << output;
            else
                halves_near(actual.at(output), buffer, c.bound);
        }
    }
}

TEST_P(TensorCorePrograms, GiveWhatTheReferenceGives) {
    expect_reference(GetParam(), device::generic_gpu());
}

// "" is what a target is that names none.
void expect_assembled(const Case& c, const std::string& name, const std::string& architecture) {
    worker::LoadedProgram program;
    program.pipeline = pipeline_of(c, {});
    program.device = name.empty() ? device::generic_gpu() : must(measure::find_device(name));
    program.vector_bits = program.device.vector_bits;
    program.on_device = true;
    const ApplyContext context{&program.device, &declared_intrinsics()};
    program.schedule =
        must(written_out(program.pipeline, schedule_of(c, *program.pipeline), context));
    program.tree = must(schedule_tree(program.pipeline, program.schedule, context));
    const auto code = must(worker::emit_ptx(program, {{"arch", architecture}}));
    ASSERT_FALSE(code.at("kernels").empty());
    if (code.contains("ptxas"))
        GTEST_SKIP() << "not assembled: " << code.at("ptxas").get<std::string>();
    for (const auto& kernel : code.at("kernels")) {
        SCOPED_TRACE(name + " " + architecture + kernel.dump());
        EXPECT_LE(kernel.at("registers").get<double>(), kMaxRegisters);
        EXPECT_EQ(kernel.at("spill_bytes"), 0);
    }
}

// Tiles are other ones on each of these.
TEST_P(TensorCorePrograms, AreAssembledWithoutSpills) {
    const std::vector<std::pair<const char*, const char*>> targets{
        {"", "sm_80"}, {"", "sm_90"}, {"h200", "sm_90a"}, {"rtx3090", "sm_86"}};
    for (const auto& [name, architecture] : in_turn(targets, 0, "device"))
        expect_assembled(GetParam(), name, architecture);
}

// Thirds, so that each case meets each of the four targets in time: of halves only two.
INSTANTIATE_TEST_SUITE_P(All, TensorCorePrograms, testing::ValuesIn(part_in_turn(kCases, 3)),
                         [](const auto& info) { return std::string(info.param.program); });

// Devices with wmma alone. Results that are more than written, or do not lie as whole matrices can,
// go through shared memory.
const std::vector<Case> kWhole{
    {"matmul_f16",
     "C.tensor_core()\n",
     {{{"M", 128}, {"N", 128}, {"K", 64}},
      {{"M", 168}, {"N", 136}, {"K", 96}},
      {{"M", 130}, {"N", 150}, {"K", 48}},
      {{"M", 16}, {"N", 16}, {"K", 16}},
      {{"M", 20}, {"N", 500}, {"K", 80}}}},
    {"matmul_f16_nt", "C.tensor_core()\n", {kMatrices[0], kMatrices[1], kMatrices[2]}},
    {"matmul_bias_relu_f16",
     "product.tensor_core()\n",
     {kMatrices[0], kMatrices[1], kMatrices[2], kMatrices[4]}},
    {"matmul_residual_f16", "product.tensor_core()\n", {kMatrices[0], kMatrices[2]}},
    {"batch_matmul_qk_f16", "score.tensor_core()\n", kBatches},
    {"batch_matmul_sv_f16", "mean.tensor_core()\n", kBatches},
    {"conv2d_f16", "out.tensor_core()\n", kImages},
    {"conv3d_f16", "out.tensor_core()\n", kVolumes},
    // Both operands lie by columns.
    {"turned_f16",
     "C.tensor_core()\n",
     {{{"M", 64}, {"N", 64}, {"K", 32}}, {{"M", 50}, {"N", 36}, {"K", 48}}},
     0,
     "pipeline turned_f16\nparam M = 1024\nparam N = 1024\nparam K = 1024\n"
     "input A[k, i]: f16[K, M]\ninput B[j, k]: f16[N, K]\n"
     "stage C[i, j] = sum[k in 0..K](f32(A[k, i])*f32(B[j, k]))\noutput C: [M, N]\n"},
    {"attention_f16",
     "score.inline()\nmatch.tensor_core()\n"
     "e.inline()\nweight.bind(h, block.y)\nweight.bind(i, block.x)\n"
     "total.compute_at(weight, i)\ngreatest.compute_at(weight, i)\n"
     "mean.tensor_core()\n",
     {{{"HEADS", 1}, {"LENGTH", 128}, {"DEPTH", 64}}},
     std::ldexp(1, -9)},
};

class WholeMatrixPrograms : public testing::TestWithParam<Case> {};

TEST_P(WholeMatrixPrograms, GiveWhatTheReferenceGives) {
    for (const char* device : {"v100", "rtx2080ti"}) {
        SCOPED_TRACE(device);
        expect_reference(GetParam(), must(measure::find_device(device)));
    }
}

// The toolkit's assembler knows none older than sm_75, which takes what is written for them.
TEST_P(WholeMatrixPrograms, AreAssembledWithoutSpills) {
    for (const auto* device :
         in_turn<const char*>({"v100", "rtx2080ti", "agx-xavier"}, 0, "device"))
        expect_assembled(GetParam(), device, "sm_75");
}

INSTANTIATE_TEST_SUITE_P(All, WholeMatrixPrograms, testing::ValuesIn(part_in_turn(kWhole, 2)),
                         [](const auto& info) { return std::string(info.param.program); });

} // namespace test_tensor_core
} // namespace loopscope::test
