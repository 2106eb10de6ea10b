// Schedules for tensor cores, with pipelines and without, in the SIMT interpreter: they take whole
// tiles, and so sizes of their own. On small whole numbers, of which all sums are exact, they give
// the reference's bits; the reference is held to independent code at other sizes
// (test_operators.cpp, test_attention.cpp). Sizes that are no multiples of a block's tiles are
// among them: there the last block moves inwards.
#include "compiler/run/compare.h"
#include "tests/programs/compared.h"
#include "tests/programs/program_fixture.h"
#include "tests/programs/runs.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loopscope::test {
namespace test_tensor_schedules {

struct Case {
    const char* program;
    std::vector<Params> sizes;
    double bound = 0; // of the greatest magnitude; 0: the bits are equal
    std::vector<const char*> variants{"gpu", "gpu_unpipelined"}; // ALCOP's comparison is of the two
};

std::string text(const Case& c) { return c.program + std::string("_") + c.variants.front(); }
void PrintTo(const Case& c, std::ostream* out) { *out << text(c); }

const std::vector<Params> kMatrices{{{"M", 128}, {"N", 128}, {"K", 64}},
                                    {{"M", 168}, {"N", 136}, {"K", 96}},
                                    {{"M", 130}, {"N", 144}, {"K", 16}}};
const std::vector<Params> kOddMatrices{{{"M", 64}, {"N", 128}, {"K", 64}},
                                       {{"M", 75}, {"N", 139}, {"K", 96}}};
const std::vector<Params> kWideMatrices{{{"M", 128}, {"N", 256}, {"K", 64}},
                                        {{"M", 136}, {"N", 264}, {"K", 320}},
                                        {{"M", 130}, {"N", 272}, {"K", 80}}};
const std::vector<Params> kBatches{{{"B", 2}, {"M", 128}, {"N", 128}, {"K", 64}},
                                   {{"B", 1}, {"M", 137}, {"N", 136}, {"K", 48}}};
const std::vector<Params> kDeepBatches{{{"B", 2}, {"M", 128}, {"N", 128}, {"K", 64}},
                                       {{"B", 1}, {"M", 137}, {"N", 136}, {"K", 192}}};
// With borders on all sides, and with a window that strides over them.
const std::vector<Params> kImages{
    {{"N", 16}, {"H", 3}, {"W", 7}, {"C", 32}, {"K", 64}},
    {{"N", 18}, {"H", 5}, {"W", 16}, {"C", 48}, {"K", 72}, {"STRIDE", 2}}};
const std::vector<Params> kVolumes{{{"D", 16}, {"H", 2}, {"W", 7}, {"C", 32}, {"K", 64}},
                                   {{"D", 19}, {"H", 3}, {"W", 9}, {"C", 16}, {"K", 80}}};

const std::vector<Case> kCases{
    {"matmul_f16", kMatrices},
    {"matmul_f16_nt", kMatrices},
    {"matmul_bf16", kMatrices},
    {"matmul_s8", {{{"M", 128}, {"N", 128}, {"K", 128}}, {{"M", 168}, {"N", 144}, {"K", 96}}}},
    {"matmul_bias_relu_f16", kMatrices},
    {"matmul_residual_f16", kMatrices},
    {"batch_matmul_qk_f16", kBatches},
    {"batch_matmul_sv_f16", kBatches},
    {"conv2d_f16", kImages},
    {"conv3d_f16", kVolumes},
    // Exponentials are no whole numbers. A weight is rounded to f16, and the mean once more.
    {"attention_f16",
     {{{"HEADS", 1}, {"LENGTH", 128}, {"DEPTH", 64}},
      {{"HEADS", 2}, {"LENGTH", 144}, {"DEPTH", 80}}},
     std::ldexp(1, -9)},
    // Tiles for operators that the schedules above have too large ones for.
    {"matmul_f16",
     {{{"M", 64}, {"N", 128}, {"K", 32}}, {{"M", 75}, {"N", 136}, {"K", 80}}},
     0,
     {"gpu_64_rows", "gpu_64_rows_unpipelined"}},
    {"matmul_f16",
     {{{"M", 16}, {"N", 64}, {"K", 64}}, {{"M", 19}, {"N", 72}, {"K", 144}}},
     0,
     {"gpu_16_rows"}},
    {"conv2d_f16", kImages, 0, {"gpu_small_planes", "gpu_small_planes_unpipelined"}},
    // Instructions of warpgroups, of blocks of up to 256 columns.
    {"matmul_f16",
     kWideMatrices,
     0,
     {"gpu_hopper", "gpu_hopper_one_role", "gpu_hopper_persistent"}},
    {"matmul_f16",
     {{{"M", 256}, {"N", 256}, {"K", 64}}, {{"M", 392}, {"N", 264}, {"K", 320}}},
     0,
     {"gpu_hopper_cluster"}},
    {"matmul_f16_nt", kWideMatrices, 0, {"gpu_hopper"}},
    {"matmul_bf16", kWideMatrices, 0, {"gpu_hopper"}},
    {"matmul_bias_relu_f16", kMatrices, 0, {"gpu_hopper"}},
    {"matmul_residual_f16", kMatrices, 0, {"gpu_hopper"}},
    {"batch_matmul_qk_f16", kDeepBatches, 0, {"gpu_hopper"}},
    {"batch_matmul_sv_f16", kDeepBatches, 0, {"gpu_hopper"}},
    {"attention_f16",
     {{{"HEADS", 1}, {"LENGTH", 128}, {"DEPTH", 64}},
      {{"HEADS", 2}, {"LENGTH", 192}, {"DEPTH", 64}}},
     std::ldexp(1, -9),
     {"gpu_hopper"}},
    {"conv2d_f16",
     {{{"N", 16}, {"H", 2}, {"W", 7}, {"C", 64}, {"K", 128}},
      {{"N", 17}, {"H", 1}, {"W", 9}, {"C", 64}, {"K", 136}}},
     0,
     {"gpu_hopper"}},
    {"conv2d_f16",
     {{{"N", 16}, {"H", 2}, {"W", 7}, {"C", 128}, {"K", 64}, {"S", 2}},
      {{"N", 18}, {"H", 1}, {"W", 16}, {"C", 64}, {"K", 72}}},
     0,
     {"gpu_hopper_64_channels"}},
    {"conv3d_f16",
     {{{"D", 16}, {"H", 1}, {"W", 7}, {"C", 64}, {"K", 128}},
      {{"D", 17}, {"H", 1}, {"W", 8}, {"C", 64}, {"K", 136}, {"T", 2}, {"S", 1}}},
     0,
     {"gpu_hopper"}},
    {"conv3d_f16",
     {{{"D", 16}, {"H", 1}, {"W", 7}, {"C", 64}, {"K", 64}},
      {{"D", 17}, {"H", 1}, {"W", 8}, {"C", 64}, {"K", 72}, {"T", 2}}},
     0,
     {"gpu_hopper_64_channels"}},
    // Whole matrices, on devices that have no other instructions: 16 columns of an instruction, and
    // rows that begin at multiples of 32 bytes where they are stored to the result itself.
    {"matmul_f16", kMatrices, 0, {"gpu_wmma"}},
    {"matmul_f16_nt", kMatrices, 0, {"gpu_wmma"}},
    {"matmul_bias_relu_f16", kOddMatrices, 0, {"gpu_wmma"}},
    {"matmul_residual_f16", kOddMatrices, 0, {"gpu_wmma"}},
    {"batch_matmul_qk_f16", kBatches, 0, {"gpu_wmma"}},
    {"batch_matmul_sv_f16", kBatches, 0, {"gpu_wmma"}},
    {"conv2d_f16",
     {{{"N", 16}, {"H", 3}, {"W", 7}, {"C", 32}, {"K", 128}},
      {{"N", 18}, {"H", 14}, {"W", 5}, {"C", 64}, {"K", 136}, {"STRIDE", 2}}},
     0,
     {"gpu_wmma"}},
    {"attention_f16",
     {{{"HEADS", 1}, {"LENGTH", 128}, {"DEPTH", 64}},
      {{"HEADS", 2}, {"LENGTH", 192}, {"DEPTH", 96}}},
     std::ldexp(1, -9),
     {"gpu_wmma"}},
};

std::string file_of(const Case& c, const char* variant) {
    return std::string(c.program) + "." + variant + ".sched";
}

// Those that have no turn are compared at other commits.
std::vector<Case> cases_in_turn() {
    for (const auto& c : kCases)
        for (const auto* variant : c.variants)
            note_compared(file_of(c, variant));
    return part_in_turn(kCases, 2);
}

class TensorSchedules : public testing::TestWithParam<Case> {};

TEST_P(TensorSchedules, GiveWhatTheReferenceGives) {
    const auto& c = GetParam();
    for (const auto& params : c.sizes) {
        References references; // inputs depend on the pipeline alone
        for (const auto* variant : c.variants) {
            const auto file = file_of(c, variant);
            SCOPED_TRACE(file + " M/N/H " + std::to_string(params.begin()->second));
            const auto program = load_for_gpu(c.program, file, params);
            const auto inputs = small_whole_inputs(*program.pipeline, 11);
            const auto actual = run_compiled(program, inputs, 1);
            for (const auto& [output, buffer] : references.of(program, inputs))
                if (c.bound == 0)
                    EXPECT_TRUE(compare(actual.at(output), buffer).equal) << output;
                else
                    halves_near(actual.at(output), buffer, c.bound);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, TensorSchedules, testing::ValuesIn(cases_in_turn()),
                         [](const auto& info) { return text(info.param); });

} // namespace test_tensor_schedules
} // namespace loopscope::test
