// The streaming programs, the stencil chain, the max filter, and operators of neural networks,
// under their default and shipped schedules: compiled, against the reference interpreter and
// independent code.

#include "compiler/codegen/host/host_info.h"
#include "compiler/worker/program.h"
#include "tests/programs/independent.h"
#include "tests/programs/runs.h"

#include <gtest/gtest.h>

#include <array>

using namespace loopscope;
using namespace loopscope::test;

namespace test_streams_and_networks {

independent::Accumulation accumulation(const Runs& run) {
    return run.contracted ? independent::Accumulation::fused : independent::Accumulation::separate;
}

const std::array<std::pair<int, int>, 4> kPictures{{{37, 53}, {1, 1}, {70, 130}, {64, 96}}};
// Sizes of whole tiles of the transposes' schedules, and of tiles that end in the middle of one.
const std::array<std::pair<int, int>, 6> kTiled{
    {{37, 53}, {1, 1}, {70, 130}, {256, 128}, {144, 272}, {263, 301}}};

TEST(Streams, Mask) {
    for (auto [h, w] : kPictures)
        for (const auto& run : runs_of("mask", {{"H", h}, {"W", w}}))
            same(run.actual.at("out"),
                 independent::mask(h, w, values<std::int32_t>(run.inputs.at("img")),
                                   values<std::int32_t>(run.inputs.at("allowed"))));
}

TEST(Streams, Transpose) {
    for (auto [h, w] : kTiled)
        for (const auto& run : runs_of("transpose", {{"H", h}, {"W", w}}))
            same(run.actual.at("out"),
                 independent::transpose(h, w, values<float>(run.inputs.at("img"))));
}

TEST(Streams, TransposeMask) {
    for (auto [h, w] : kTiled)
        for (const auto& run : runs_of("transpose_mask", {{"H", h}, {"W", w}}))
            same(run.actual.at("out"),
                 independent::transpose_mask(h, w, values<std::int32_t>(run.inputs.at("img")),
                                             values<std::int32_t>(run.inputs.at("allowed"))));
}

// What the shipped schedules are for: whole vectors that stream, and of tiles rows that are loaded
// whole, where each vector alone would be gathered.
TEST(Streams, MachineCodeMovesWholeLines) {
#if !defined(__x86_64__)
    GTEST_SKIP() << "names instructions of x86";
#endif
    for (const char* name : {"copy", "mask", "transpose", "transpose_mask"}) {
        auto program = load_bundled(name, {{"H", 512}, {"W", 512}}, true);
        codegen::HostOptions options;
        options.keep_text = true;
        auto compiled = worker::compile_program(
            {program.pipeline, {}, program.tree, codegen::host_info().vector_bits, false, {}},
            options);
        ASSERT_TRUE(compiled.ok()) << format(compiled.errors());
        const auto text = compiled->code->assembly().text;
        EXPECT_NE(text.find("movnt"), std::string::npos) << name << text;
        for (const char* slow : {"gather", "pinsr", "insertps", "movnti"})
            EXPECT_EQ(text.find(slow), std::string::npos) << name << ": " << slow << text;
    }
}

TEST(Pictures, StencilChain) {
    for (auto [h, w] : {std::pair{5, 7}, {70, 33}, {1, 1}})
        for (const auto& run : runs_of("stencil_chain", {{"H", h}, {"W", w}}))
            same(run.actual.at("out"),
                 independent::stencil_chain(h, w, values<std::uint16_t>(run.inputs.at("img"))));
}

TEST(Pictures, MaxFilter) {
    for (auto [h, w] : {std::pair{5, 7}, {40, 61}, {1, 1}})
        for (const auto& run : runs_of("max_filter", {{"H", h}, {"W", w}}))
            same(run.actual.at("out"),
                 independent::max_filter(h, w, values<float>(run.inputs.at("img"))));
}

TEST(LinearAlgebra, Gemm) {
    for (auto [m, n, k] : {std::array{17, 70, 23}, {1, 1, 1}, {64, 64, 32}})
        for (const auto& run : runs_of("gemm", {{"M", m}, {"N", n}, {"K", k}}))
            same(run.actual.at("D"),
                 independent::gemm(m, n, k, values<float>(run.inputs.at("alpha"))[0],
                                   values<float>(run.inputs.at("beta"))[0],
                                   values<float>(run.inputs.at("A")),
                                   values<float>(run.inputs.at("B")),
                                   values<float>(run.inputs.at("C")), accumulation(run)));
}

TEST(LinearAlgebra, ThreeMatmul) {
    for (int n : {1, 37, 64})
        for (const auto& run : runs_of("three_matmul", {{"N", n}}))
            same(run.actual.at("G"),
                 independent::three_matmul(n, values<float>(run.inputs.at("A")),
                                           values<float>(run.inputs.at("B")),
                                           values<float>(run.inputs.at("C")),
                                           values<float>(run.inputs.at("D")), accumulation(run)));
}

TEST(Networks, Softmax) {
    for (auto [n, d] : {std::pair{3, 5}, {1, 1}, {17, 130}})
        for (const auto& run : runs_of("softmax", {{"N", n}, {"D", d}}))
            close(run.actual.at("out"),
                  independent::softmax(n, d, values<float>(run.inputs.at("x"))), 1e-5);
}

TEST(Networks, LayerNorm) {
    for (auto [n, d] : {std::pair{3, 5}, {1, 2}, {37, 130}})
        for (const auto& run : runs_of("layer_norm", {{"N", n}, {"D", d}}))
            close(run.actual.at("out"),
                  independent::layer_norm(n, d, values<float>(run.inputs.at("x")),
                                          values<float>(run.inputs.at("gain")),
                                          values<float>(run.inputs.at("bias"))),
                  1e-4);
}

TEST(Networks, Argmax) {
    for (auto [n, d] : {std::pair{3, 5}, {1, 1}, {17, 130}})
        for (const auto& run : runs_of("argmax_rows", {{"N", n}, {"D", d}})) {
            auto expected = independent::argmax(n, d, values<float>(run.inputs.at("x")));
            same(run.actual.at("best.0"), expected.value);
            same(run.actual.at("best.1"), expected.place);
        }
}

TEST(Networks, CumulativeSum) {
    // The shipped schedule takes 16 rows at once, and turns tiles of 16 by 16.
    for (auto [n, d] : {std::pair{3, 5}, {1, 1}, {17, 130}, {48, 64}})
        for (const auto& run : runs_of("cumulative_sum", {{"N", n}, {"D", d}}))
            same(run.actual.at("out"),
                 independent::cumulative_sum(n, d, values<float>(run.inputs.at("x"))));
}

TEST(Networks, DepthwiseSeparable) {
    for (auto s : {independent::ConvSizes{1, 5, 7, 3, 4}, {2, 9, 18, 8, 33}, {1, 1, 1, 1, 1}})
        for (const auto& run :
             runs_of("depthwise_separable",
                     {{"N", s.n}, {"H", s.h}, {"W", s.w}, {"CI", s.ci}, {"CO", s.co}}))
            same(run.actual.at("out"),
                 independent::depthwise_separable(
                     s, values<float>(run.inputs.at("src")), values<float>(run.inputs.at("filter")),
                     values<float>(run.inputs.at("mix")), values<float>(run.inputs.at("bias")),
                     accumulation(run)));
}

} // namespace test_streams_and_networks
