// Are sums exact in any order? The witnesses say yes only where that is true.
#include "compiler/worker/exactness.h"

#include "compiler/run/reference/reference.h"
#include "tests/worker/programs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loopscope::worker {
namespace {

// The answer for `text`, whose one input `a` of f32 holds `values`, and whose stage `s` is reassociated.
bool is_exact(const std::string& text, const std::vector<float>& values) {
    auto loaded = test::load(text);
    auto witnessed = with_witnesses(loaded.pipeline, {{"s", 0}}).value();
    EXPECT_TRUE(witnessed);
    auto a = make_buffer(ScalarType::F32, {std::int64_t(values.size())}).value();
    std::copy(values.begin(), values.end(), a.as<float>());
    std::map<std::string, Buffer> inputs;
    inputs.emplace("a", std::move(a));
    auto outputs = evaluate(*witnessed, inputs);
    EXPECT_TRUE(outputs) << format(outputs.errors());
    return witnesses_say_exact(*outputs);
}

std::string reduction(const std::string& op, const std::string& term = "a[k]") {
    return "pipeline p\ninput a[k]: f32[4]\nstage s[x] = " + op + "[k in 0..4](" + term +
           ")\noutput s: [1]\n";
}

TEST(Exactness, SmallWholeNumbersAre) {
    EXPECT_TRUE(is_exact(reduction("sum"), {1, -2, 3, 8}));
    EXPECT_TRUE(is_exact(reduction("prod"), {2, -3, 1, 8}));
    EXPECT_TRUE(is_exact(reduction("sum"), {0, 0, 0, 0}));
}

TEST(Exactness, FractionsAreNot) {
    EXPECT_FALSE(is_exact(reduction("sum"), {0.5f, 0.5f, 1, 1}))
        << "the sum is whole, its terms are not";
    EXPECT_FALSE(is_exact(reduction("sum", "a[k] * 0.1"), {1, 2, 3, 4}));
    EXPECT_FALSE(is_exact(reduction("prod"), {0.5f, 2, 1, 1}));
}

TEST(Exactness, PartialSumsMustFitInEveryOrder) {
    EXPECT_TRUE(is_exact(reduction("sum"), {8388608, 8388607, 0, 0}));
    EXPECT_FALSE(is_exact(reduction("sum"), {8388608, 8388608, 1, 0}))
        << "the witness itself rounds to 2^24 here";
    EXPECT_FALSE(is_exact(reduction("sum"), {16777216, -16777216, 1, 1}))
        << "small in this order, not in every one";
    EXPECT_FALSE(is_exact(reduction("prod"), {4096, 4096, 2, 0})) << "0 comes last in some order";
}

TEST(Exactness, WhatIsNotFiniteIsNot) {
    EXPECT_FALSE(is_exact(reduction("sum"), {1, 2, NAN, 4}));
    EXPECT_FALSE(is_exact(reduction("sum"), {1, 2, INFINITY, 4}));
}

TEST(Exactness, BoxesThatDoNotBeginAtZeroAreMoved) {
    // s is needed on [-1, 3): the witness must look at s[-1], whose terms are fractions when a[0] is odd.
    auto text = "pipeline p\ninput a[k]: f32[8]\nstage s[x] = sum[k in 0..4](select(x < 0, a[k] / "
                "2.0, a[k + x + 1]))\n"
                "stage t[x] = s[x - 1] + s[x]\noutput t: [3]\n";
    EXPECT_TRUE(is_exact(text, {2, 2, 4, 6, 1, 1, 1, 1}));
    EXPECT_FALSE(is_exact(text, {1, 2, 4, 6, 1, 1, 1, 1}));
}

TEST(Exactness, UpdatesAreNotJudged) {
    auto loaded = test::load("pipeline p\ninput a[r]: f32[6]\nstage s[x]: f32 = 0.0\nupdate s[x] "
                             "+= a[r] over r in 0..6\noutput s: [3]\n");
    EXPECT_EQ(with_witnesses(loaded.pipeline, {{"s", 1}}).value(), nullptr);
}

} // namespace
} // namespace loopscope::worker
