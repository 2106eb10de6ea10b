// The triangular and symmetric products, and doitgen, under their default and shipped schedules:
// compiled, against the reference interpreter and independent code, bit for bit.

#include "tests/programs/independent_linear_algebra.h"
#include "tests/programs/runs.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

using namespace loopscope;
using namespace loopscope::test;

namespace test_linear_algebra {

independent::Accumulation accumulation(const Runs& run) {
    return run.contracted ? independent::Accumulation::fused : independent::Accumulation::separate;
}

float scalar(const Runs& run, const char* input) {
    return values<float>(run.inputs.at(input)).at(0);
}

// Sizes below one tile and one block, of whole tiles, and with tails in every direction.
constexpr std::array<std::pair<int, int>, 5> kSizes{{{1, 1}, {7, 3}, {64, 64}, {45, 83}, {97, 50}}};

TEST(LinearAlgebra, Trmm) {
    for (auto [m, n] : kSizes)
        for (const auto& run : runs_of("trmm", {{"M", m}, {"N", n}}))
            same(run.actual.at("out"),
                 independent::trmm(m, n, scalar(run, "alpha"), values<float>(run.inputs.at("A")),
                                   values<float>(run.inputs.at("B")), accumulation(run)));
}

TEST(LinearAlgebra, Syrk) {
    for (auto [n, k] : kSizes)
        for (const auto& run : runs_of("syrk", {{"N", n}, {"K", k}}))
            same(run.actual.at("out"),
                 independent::syrk(n, k, scalar(run, "alpha"), scalar(run, "beta"),
                                   values<float>(run.inputs.at("A")),
                                   values<float>(run.inputs.at("C")), accumulation(run)));
}

TEST(LinearAlgebra, Syr2k) {
    for (auto [n, k] : kSizes)
        for (const auto& run : runs_of("syr2k", {{"N", n}, {"K", k}}))
            same(run.actual.at("out"),
                 independent::syr2k(n, k, scalar(run, "alpha"), scalar(run, "beta"),
                                    values<float>(run.inputs.at("A")),
                                    values<float>(run.inputs.at("B")),
                                    values<float>(run.inputs.at("C")), accumulation(run)));
}

TEST(LinearAlgebra, Doitgen) {
    for (auto [r, q, p] : {std::array{1, 1, 1}, {3, 5, 7}, {2, 16, 64}, {3, 19, 45}, {2, 9, 83}})
        for (const auto& run : runs_of("doitgen", {{"R", r}, {"Q", q}, {"P", p}}))
            same(run.actual.at("out"),
                 independent::doitgen(r, q, p, values<float>(run.inputs.at("A")),
                                      values<float>(run.inputs.at("C4")), accumulation(run)));
}

// What stands on and above the diagonal of trmm's matrix does not count, be it no number.
TEST(LinearAlgebra, TrmmReadsNothingOfTheOtherTriangle) {
    const int m = 45, n = 20;
    auto program = load_bundled("trmm", {{"M", m}, {"N", n}}, false);
    auto inputs = random_inputs(*program.pipeline, 3);
    for (int k = 0; k < m; ++k)
        for (int i = k; i < m; ++i)
            inputs.at("A").as<float>()[k * m + i] = std::numeric_limits<float>::quiet_NaN();
    for (const auto& run : runs_of("trmm", {{"M", m}, {"N", n}}, inputs)) {
        auto out = values<float>(run.actual.at("out"));
        for (float value : out)
            ASSERT_TRUE(std::isfinite(value));
        EXPECT_EQ(out, independent::trmm(m, n, scalar(run, "alpha"), values<float>(inputs.at("A")),
                                         values<float>(inputs.at("B")), accumulation(run)));
    }
}

} // namespace test_linear_algebra
