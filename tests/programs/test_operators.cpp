// Products of matrices and convolutions in the types of neural networks, under their default and
// shipped schedules: compiled, against the reference interpreter and independent code, bit for bit.

#include "tests/programs/independent_operators.h"
#include "tests/programs/runs.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

using namespace loopscope;
using namespace loopscope::test;

namespace test_operators {

independent::Accumulation accumulation(const Runs& run) {
    return run.contracted ? independent::Accumulation::fused : independent::Accumulation::separate;
}

std::vector<float> halves(const Runs& run, const char* input) {
    return independent::half_values(values<std::uint16_t>(run.inputs.at(input)));
}

// m, n, k: below one tile, of whole tiles, with tails in every direction, and more than one task.
constexpr std::array<std::array<int, 3>, 4> kSizes{
    {{1, 1, 1}, {12, 64, 32}, {17, 70, 23}, {65, 131, 40}}};

Params matrices(const std::array<int, 3>& size) {
    return {{"M", size[0]}, {"N", size[1]}, {"K", size[2]}};
}

// The products of f16 are exact in f32: fused or not, the sums have the same bits.
TEST(Halves, ProductsAreExact) {
    for (std::uint16_t a : {0x0001, 0x03ff, 0x0400, 0x3c01, 0x7bff})
        for (std::uint16_t b : {0x0001, 0x83ff, 0x0400, 0xbfff, 0x7bff}) {
            const float x = independent::half_value(a), y = independent::half_value(b);
            EXPECT_EQ(double(x * y), double(x) * double(y));
        }
}

TEST(Halves, EveryNumberIsTheNearestToItself) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        // not finite
        if ((bits & 0x7c00) == 0x7c00)
            continue;
        const float value = independent::half_value(static_cast<std::uint16_t>(bits));
        ASSERT_EQ(independent::half_bits(value), bits);
    }
    EXPECT_EQ(independent::half_bits(1 + std::ldexp(1.0f, -11)), 0x3c00) << "half to even";
    EXPECT_EQ(independent::half_bits(1 + 3 * std::ldexp(1.0f, -11)), 0x3c02);
    EXPECT_EQ(independent::half_bits(2047.5f), 0x6800) << "a carry";
    EXPECT_EQ(independent::half_bits(65519.0f), 0x7bff);
    EXPECT_EQ(independent::half_bits(65520.0f), 0x7c00);
}

TEST(Operators, MatmulF16) {
    for (auto size : kSizes)
        for (const auto& run : runs_of("matmul_f16", matrices(size)))
            same(run.actual.at("C"),
                 independent::matmul(size[0], size[1], size[2], halves(run, "A"), halves(run, "B"),
                                     accumulation(run)));
}

TEST(Operators, MatmulF16OfATransposedMatrix) {
    for (auto size : kSizes)
        for (const auto& run : runs_of("matmul_f16_nt", matrices(size)))
            same(run.actual.at("C"),
                 independent::matmul(size[0], size[1], size[2], halves(run, "A"),
                                     independent::transposed(1, size[1], size[2], halves(run, "B")),
                                     accumulation(run)));
}

TEST(Operators, MatmulBf16) {
    for (auto size : kSizes)
        for (const auto& run : runs_of("matmul_bf16", matrices(size)))
            same(run.actual.at("C"),
                 independent::matmul(
                     size[0], size[1], size[2],
                     independent::brain_values(values<std::uint16_t>(run.inputs.at("A"))),
                     independent::brain_values(values<std::uint16_t>(run.inputs.at("B"))),
                     accumulation(run)));
}

TEST(Operators, MatmulS8) {
    for (auto size : kSizes)
        for (const auto& run : runs_of("matmul_s8", matrices(size)))
            same(run.actual.at("C"),
                 independent::matmul_s8(size[0], size[1], size[2],
                                        values<std::int8_t>(run.inputs.at("A")),
                                        values<std::int8_t>(run.inputs.at("B"))));
}

TEST(Operators, MatmulBiasRelu) {
    for (auto size : kSizes)
        for (const auto& run : runs_of("matmul_bias_relu_f16", matrices(size))) {
            auto sums = independent::matmul(size[0], size[1], size[2], halves(run, "A"),
                                            halves(run, "B"), accumulation(run));
            const auto bias = halves(run, "bias");
            for (std::size_t e = 0; e < sums.size(); ++e) {
                const float sum = sums[e] + bias[e % bias.size()];
                sums[e] = sum > 0 ? sum : 0;
            }
            same(run.actual.at("out"), independent::half_bits(sums));
        }
}

TEST(Operators, MatmulResidual) {
    for (auto size : kSizes)
        for (const auto& run : runs_of("matmul_residual_f16", matrices(size))) {
            auto sums = independent::matmul(size[0], size[1], size[2], halves(run, "A"),
                                            halves(run, "B"), accumulation(run));
            const auto bias = halves(run, "bias"), residual = halves(run, "residual");
            for (std::size_t e = 0; e < sums.size(); ++e) {
                sums[e] += bias[e % bias.size()];
                sums[e] += residual[e];
            }
            same(run.actual.at("out"), independent::half_bits(sums));
        }
}

TEST(Operators, BatchMatmul) {
    for (auto [batch, m, n, k] :
         {std::array{1, 1, 1, 1}, {3, 17, 70, 23}, {2, 50, 64, 16}, {2, 5, 131, 9}}) {
        const Params params{{"B", batch}, {"M", m}, {"N", n}, {"K", k}};
        for (const auto& run : runs_of("batch_matmul_qk_f16", params))
            same(run.actual.at("score"),
                 independent::batch_matmul(batch, m, n, k, halves(run, "query"),
                                           independent::transposed(batch, n, k, halves(run, "key")),
                                           accumulation(run)));
        for (const auto& run : runs_of("batch_matmul_sv_f16", params))
            same(run.actual.at("mean"),
                 independent::batch_matmul(batch, m, n, k, halves(run, "weight"),
                                           halves(run, "value"), accumulation(run)));
    }
}

// Windows of one pixel and of many, even and odd, that leave pixels out and that see nothing but
// padding; pictures below and above one tile.
const std::array<independent::WindowSizes, 6> kWindows{{{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0},
                                                        {2, 1, 9, 11, 5, 37, 1, 3, 3, 1, 1},
                                                        {1, 1, 15, 13, 3, 20, 1, 7, 7, 2, 3},
                                                        {1, 1, 8, 10, 6, 33, 1, 1, 1, 2, 0},
                                                        {1, 1, 7, 7, 8, 64, 1, 3, 3, 1, 1},
                                                        {1, 1, 5, 6, 2, 3, 1, 2, 3, 1, 2}}};

Params params(const independent::WindowSizes& s) {
    return {{"N", s.n}, {"H", s.h}, {"W", s.w},           {"C", s.c},
            {"R", s.r}, {"S", s.s}, {"STRIDE", s.stride}, {"PADDING", s.padding}};
}

Params with(Params params, const Params& more) {
    params.insert(more.begin(), more.end());
    return params;
}

TEST(Operators, Conv2d) {
    for (const auto& s : kWindows)
        for (const auto& run : runs_of("conv2d", with(params(s), {{"K", s.k}})))
            same(run.actual.at("out"),
                 independent::convolution_channels_first(s, values<float>(run.inputs.at("src")),
                                                         values<float>(run.inputs.at("filter")),
                                                         accumulation(run)));
}

TEST(Operators, Conv2dF16) {
    for (const auto& s : kWindows)
        for (const auto& run : runs_of("conv2d_f16", with(params(s), {{"K", s.k}})))
            same(run.actual.at("out"),
                 independent::convolution_channels_last(s, halves(run, "src"),
                                                        halves(run, "filter"), accumulation(run)));
}

TEST(Operators, Conv3dF16) {
    for (const auto& s : {independent::WindowSizes{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0},
                          {2, 3, 6, 9, 4, 35, 3, 3, 3, 1, 1},
                          {1, 5, 7, 6, 3, 8, 3, 2, 3, 2, 1}})
        for (const auto& run :
             runs_of("conv3d_f16", with(params(s), {{"D", s.d}, {"K", s.k}, {"T", s.t}})))
            same(run.actual.at("out"),
                 independent::convolution_channels_last(s, halves(run, "src"),
                                                        halves(run, "filter"), accumulation(run)));
}

TEST(Operators, DepthwiseConv2d) {
    for (const auto& s : kWindows)
        for (const auto& run : runs_of("depthwise_conv2d", params(s)))
            same(run.actual.at("out"),
                 independent::depthwise_convolution(s, values<float>(run.inputs.at("src")),
                                                    values<float>(run.inputs.at("filter")),
                                                    accumulation(run)));
}

} // namespace test_operators
