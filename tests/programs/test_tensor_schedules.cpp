// Schedules for tensor cores, with pipelines and without, in the SIMT interpreter: they take whole tiles, and so sizes of their
// own. On small whole numbers, of which all sums are exact, they give the reference's bits; the reference is held to independent
// code at other sizes (test_operators.cpp, test_attention.cpp). Sizes that are no multiples of a block's tiles are among them:
// there the last block moves inwards.
#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "compiler/run/reference/reference.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "core/schedule/script_tree.h"
#include "tests/programs/compared.h"
#include "tests/programs/independent_operators.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

namespace loopscope::test {
namespace {

struct Case {
    const char* program;
    std::vector<Params> sizes;
    double bound = 0;                   // of the greatest magnitude; 0: the bits are equal
    std::vector<Params> of_groups = {}; // for blocks of 256 columns; none: as the others

    const std::vector<Params>& sizes_of(const std::string& variant) const {
        return variant == "gpu_hopper" && !of_groups.empty() ? of_groups : sizes;
    }
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.program; }

const std::vector<Params> kMatrices{{{"M", 128}, {"N", 128}, {"K", 64}},
                                    {{"M", 168}, {"N", 136}, {"K", 96}},
                                    {{"M", 130}, {"N", 144}, {"K", 16}}};
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

const Case kCases[] = {
    {"matmul_f16", kMatrices, 0, kWideMatrices},
    {"matmul_f16_nt", kMatrices, 0, kWideMatrices},
    {"matmul_bf16", kMatrices, 0, kWideMatrices},
    {"matmul_s8", {{{"M", 128}, {"N", 128}, {"K", 128}}, {{"M", 168}, {"N", 144}, {"K", 96}}}},
    {"matmul_bias_relu_f16", kMatrices},
    {"matmul_residual_f16", kMatrices},
    {"batch_matmul_qk_f16", kBatches, 0, kDeepBatches},
    {"batch_matmul_sv_f16", kBatches, 0, kDeepBatches},
    {"conv2d_f16", kImages},
    {"conv3d_f16", kVolumes},
    // Exponentials are no whole numbers. A weight is rounded to f16, and the mean once more.
    {"attention_f16",
     {{{"HEADS", 1}, {"LENGTH", 128}, {"DEPTH", 64}},
      {{"HEADS", 2}, {"LENGTH", 144}, {"DEPTH", 80}}},
     std::ldexp(1, -9)},
};

// ALCOP's comparison is of the first two; the third is of warpgroups' instructions, where there is one.
constexpr const char* kVariants[] = {"gpu", "gpu_unpipelined", "gpu_hopper"};

class TensorSchedules : public testing::TestWithParam<Case> {};

BundledProgram loaded(const std::string& program, const std::string& file, const Params& params) {
    LoadOptions options;
    options.params = params;
    auto pipeline =
        must(load_pipeline_file(source_path("resources/pipelines/" + program + ".loop"), options))
            .pipeline;
    auto schedule =
        must(parse_schedule_file(source_path("resources/pipelines/" + file), pipeline.get()));
    const auto device = gpu_of(schedule);
    return {pipeline, must(schedule_tree(pipeline, schedule, ApplyContext{&device})),
            device.vector_bits, true, device};
}

double magnitude(const std::vector<float>& x) {
    double out = 0;
    for (auto v : x)
        out = std::max(out, std::fabs(double(v)));
    return out;
}

TEST_P(TensorSchedules, GiveWhatTheReferenceGives) {
    const auto& c = GetParam();
    for (const auto* variant : kVariants) {
        const auto file = std::string(c.program) + "." + variant + ".sched";
        if (!std::filesystem::exists(source_path("resources/pipelines/" + file)))
            continue;
        note_compared(file);
        for (const auto& params : c.sizes_of(variant)) {
            SCOPED_TRACE(file + " M/N/H " + std::to_string(params.begin()->second));
            const auto program = loaded(c.program, file, params);
            Buffers inputs;
            std::uint64_t seed = 11;
            for (const auto& stage : program.pipeline->stages) {
                if (!stage.is_input)
                    continue;
                std::vector<std::int64_t> extents;
                for (const auto& e : stage.extents)
                    extents.push_back(e.hint());
                inputs[stage.name] =
                    must(random_buffer(stage.types[0], extents, seed++, RandomMode::SmallWhole));
            }
            const auto expected = run_reference(program, inputs);
            const auto actual = run_compiled(program, inputs, 1);
            for (const auto& [output, buffer] : expected) {
                if (c.bound == 0) {
                    EXPECT_TRUE(compare(actual.at(output), buffer).equal) << output;
                    continue;
                }
                const auto a = independent::half_values(values<std::uint16_t>(actual.at(output)));
                const auto e = independent::half_values(values<std::uint16_t>(buffer));
                ASSERT_EQ(a.size(), e.size());
                for (std::size_t n = 0; n < a.size(); ++n)
                    ASSERT_NEAR(a[n], e[n], c.bound * magnitude(e)) << output << " " << n;
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, TensorSchedules, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.program); });

} // namespace
} // namespace loopscope::test
