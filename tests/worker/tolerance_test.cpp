// How far outputs may be from the reference: which of them, and by how much.
#include "compiler/worker/tolerance.h"

#include "compiler/run/reference/reference.h"
#include "compiler/worker/approximation.h"
#include "compiler/worker/float_values.h"
#include "core/ir/functions.h"
#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loopscope::worker {
namespace {

using Rule = Tolerance::Rule;
using testing::HasSubstr;

Buffer floats(const std::vector<float>& values) {
    auto b = make_buffer(ScalarType::F32, {std::int64_t(values.size())}).value();
    std::copy(values.begin(), values.end(), b.as<float>());
    return b;
}

Tolerance tolerance(const std::string& text, const DefinitionSet& reassociated,
                    const DefinitionSet& approximated = {}) {
    auto loaded = test::load(text);
    return {*loaded.pipeline, Marks{{}, reassociated, approximated}, std::nullopt};
}

const char* const kSums =
    "pipeline p\ninput a[i, k]: f32[4, 64]\nstage s[i] = sum[k in 0..64](a[i, k])\n"
    "stage other[i] = a[i, 0] * 2.0\nstage half[i] = s[i] * 0.5\n"
    "stage step[i] = i32(s[i])\nstage sign[i] = s[i] < 0.0\n"
    "output s: [4]\noutput other: [4]\noutput half: [4]\noutput step: [4]\noutput sign: [4]\n";

TEST(Tolerance, OnlyWhatDependsOnASumMayDiffer) {
    auto t = tolerance(kSums, {{"s", 0}});
    EXPECT_EQ(t.rule("s"), Rule::Bound);
    EXPECT_EQ(t.rule("half"), Rule::Bound);
    EXPECT_EQ(t.rule("other"), Rule::Bits);
    EXPECT_EQ(t.rule("step"), Rule::Bound);
    EXPECT_EQ(t.rule("sign"), Rule::NotCompared);
    EXPECT_EQ(t.allowed("other", floats({3})), 0);
}

TEST(Tolerance, IsFourNUTimesTheGreatest) {
    auto t = tolerance(kSums, {{"s", 0}});
    EXPECT_EQ(t.allowed("s", floats({1, -8, INFINITY, NAN})), 4 * 64 * 0x1p-24 * 8);
    EXPECT_EQ(t.text(), "4 n u max|ref| (n = 64, u = 2^-24 of f32) + 1 for whole numbers");
    auto whole = make_buffer(ScalarType::I32, {1}).value();
    whole.as<std::int32_t>()[0] = 100;
    EXPECT_EQ(t.allowed("step", whole), 1 + 4 * 64 * 0x1p-24 * 100);
}

TEST(Tolerance, KnowsWhatFollowsASumFromTheSumItself) {
    const std::string sum = "pipeline p\ninput a[i, k]: f32[4, 64]\n"
                            "stage s[i] = sum[k in 0..64](a[i, k])\n";
    EXPECT_FALSE(tolerance(sum + "output s: [4]\n", {{"s", 0}}).follows());
    EXPECT_FALSE(tolerance(sum + "output s: [4]\n", {}).follows());
    EXPECT_TRUE(tolerance(sum + "stage z[i] = sin(s[i])\noutput z: [4]\n", {{"s", 0}}).follows());
    EXPECT_TRUE(tolerance(sum + "update s[i] *= 3.0\noutput s: [4]\n", {{"s", 0}}).follows());
    EXPECT_FALSE(
        tolerance(sum + "stage z[i] = s[i] < 0.0\noutput s: [4]\noutput z: [4]\n", {{"s", 0}})
            .follows())
        << "what is not compared needs no bound";
}

// The root of a sum that may as well be below 0 has no bound.
TEST(Tolerance, ANumberThatMayBecomeNaNMayBeAnything) {
    auto t = tolerance(kSums, {{"s", 0}});
    t.add_change("half", floats({1, 2}), floats({1, NAN}));
    const double allowed = t.allowed("half", floats({1, 2}));
    EXPECT_TRUE(std::isinf(allowed));
    EXPECT_TRUE(excludes_nothing(allowed, floats({1, 2})));
    EXPECT_EQ(beyond(floats({1, NAN}), floats({1, 2}), allowed).elements, 0);
}

TEST(Tolerance, UpdatesCountTheirStart) {
    auto t = tolerance("pipeline p\ninput a[r]: f32[6]\nstage s[x]: f32 = 0.0\n"
                       "update s[x] += a[r] over r in 0..6\noutput s: [3]\n",
                       {{"s", 1}});
    EXPECT_EQ(t.allowed("s", floats({2})), 4 * 7 * 0x1p-24 * 2);
}

// An f32 sum stored in f16: the sum's own bound, and a rounding of f16 on either side.
TEST(Tolerance, NarrowerTypesAfterTheSumRoundToo) {
    auto pipeline = std::make_shared<Pipeline>(
        *test::load("pipeline p\ninput a[k]: f32[64]\nstage s[x] = sum[k in 0..64](a[k])\n"
                    "stage t[x] = s[x]\noutput t: [1]\n")
             .pipeline);
    auto& t = pipeline->stages.back();
    t.types = {ScalarType::F16};
    t.definitions[0].values = {cast(ScalarType::F16, t.definitions[0].values[0])};
    pipeline->seal();
    Tolerance bound(*pipeline, Marks{{}, {{"s", 0}}, {}}, std::nullopt);
    auto one = make_buffer(ScalarType::F16, {1}).value();
    one.as<std::uint16_t>()[0] = 0x3c00;
    EXPECT_EQ(bound.allowed("t", one), 4 * 64 * 0x1p-24 + 4 * 0x1p-11);
    EXPECT_EQ(bound.text(), "4 n u max|ref| (n = 64, u = 2^-24 of f32) + 4 v max|ref| (v = 2^-11)");
}

// An approximation decides where its own definition compares it, chooses by it, or goes by it.
TEST(Tolerance, WhatADefinitionApproximatesDecidesInItToo) {
    auto rule = [](const std::string& stage, int definition = 0) {
        return tolerance("pipeline p\ninput a[k]: f32[64]\n" + stage + "\noutput s: [4]\n", {},
                         {{"s", definition}});
    };
    auto chosen = rule("stage s[x] = argmax[k in 0..64](tanh(a[k] * f32(x)))");
    EXPECT_EQ(chosen.rule("s.0"), Rule::Bound) << "the value is what the bound is for";
    EXPECT_EQ(chosen.rule("s.1"), Rule::NotCompared);
    EXPECT_EQ(rule("stage s[x] = tanh(a[x]) < 0.5").rule("s"), Rule::NotCompared);
    EXPECT_EQ(rule("stage s[x] = let t = tanh(a[x]) in select(t < 0.5, 1, 2)").rule("s"),
              Rule::NotCompared);
    EXPECT_EQ(rule("stage s[x] = select(tanh(a[x]) < 0.5, 1.0, 2.0)").rule("s"), Rule::Bound);
    EXPECT_EQ(rule("stage s[x] = i32(tanh(a[x]) * 100.0)").rule("s"), Rule::Bound);
    EXPECT_EQ(rule("stage s[x] = select(a[x] < 0.5, tanh(a[x]), 1.0)").rule("s"), Rule::Bound)
        << "the comparison is not of what is approximated";
    EXPECT_EQ(rule("stage s[x] = sum[k in 0..64 where tanh(a[k]) > 0.5](a[k])").rule("s"),
              Rule::NotCompared)
        << "a term counts or does not";
    EXPECT_EQ(rule("stage s[x]: f32 = 0.0\nupdate s[clamp(i32(exp(a[r])), 0, 3)] += 1.0 over r in "
                   "0..64",
                   1)
                  .rule("s"),
              Rule::NotCompared)
        << "a term goes to one element or to another";
    EXPECT_EQ(
        rule("stage s[x] = tanh(a[x])\nupdate s[x] = select(s[x] < 0.5, 1.0, s[x])").rule("s"),
        Rule::Bound);
    EXPECT_EQ(rule("stage s[x] = i32(tanh(a[x]) * 9.0)\nupdate s[x] = select(s[x] < 5, 100, s[x])")
                  .rule("s"),
              Rule::NotCompared)
        << "an update compares what was approximated before it";
}

TEST(Tolerance, ABoundBeyondTheGreatestExcludesNothing) {
    EXPECT_TRUE(excludes_nothing(8, floats({1, -8})));
    EXPECT_FALSE(excludes_nothing(7.9, floats({1, -8})));
    EXPECT_FALSE(excludes_nothing(0, floats({0, 0}))) << "zeros are what it has";
}

TEST(Tolerance, TheCallersOwnStandsInItsPlace) {
    auto loaded = test::load(kSums);
    Tolerance t(*loaded.pipeline, Marks{{}, {{"s", 0}}, {}}, 0.25);
    EXPECT_EQ(t.allowed("s", floats({1e6f})), 0.25);
    EXPECT_EQ(t.text(), "the tolerance 0.25");
    EXPECT_EQ(t.rule("other"), Rule::Bits) << "what depends on no sum stays exact";
}

TEST(Tolerance, ElementsBeyondAreCounted) {
    auto reference = floats({1, 2, 3, NAN, INFINITY});
    EXPECT_EQ(beyond(floats({1, 2, 3, NAN, INFINITY}), reference, 0).elements, 0);
    auto excess = beyond(floats({1, 2.5f, 3.1f, NAN, INFINITY}), reference, 0.2);
    EXPECT_EQ(excess.elements, 1);
    EXPECT_EQ(excess.first, 1);
    EXPECT_EQ(beyond(floats({1, 2, 3, 4, INFINITY}), reference, 1e30).first, 3)
        << "NaN only as NaN";
    EXPECT_EQ(beyond(floats({1, 2, NAN, NAN, INFINITY}), reference, 1e30).first, 2);
    EXPECT_EQ(beyond(floats({1, 2, 3, NAN, -INFINITY}), reference, 1e30).first, 4);
}

TEST(Tolerance, InfinityIsWhatJustOverflows) {
    const float greatest = std::numeric_limits<float>::max();
    EXPECT_EQ(beyond(floats({greatest}), floats({INFINITY}), 0x1p105).elements, 0);
    EXPECT_EQ(beyond(floats({greatest / 2}), floats({INFINITY}), 0x1p105).elements, 1);
    EXPECT_EQ(beyond(floats({-greatest}), floats({INFINITY}), 0x1p105).elements, 1);
}

// A chain whose amplification is known: log(exp(x)) - x is nothing but error.
TEST(Approximation, WhatFollowsMayAmplifyADeclaredError) {
    auto pipeline = std::make_shared<Pipeline>(
        *test::load(
             "pipeline p\ninput a[x]: f32[64]\nstage e[x] = a[x]\nstage s[x] = e[x] * 1000.0\n"
             "output e: [64]\noutput s: [64]\n")
             .pipeline);
    auto& e = pipeline->stages[1];
    e.definitions[0].values = {call("exp", {e.definitions[0].values[0]})};
    pipeline->seal();
    std::map<std::string, Buffer> inputs;
    std::vector<float> values(64, 0.0f); // exp is 1 everywhere
    inputs.emplace("a", floats(values));
    auto reference = evaluate(*pipeline, inputs).value();
    const double declared = prelude_error_ulp("fast_exp", ScalarType::F32) * 0x1p-24;
    Tolerance t(*pipeline, Marks{{}, {}, {{"e", 0}}}, std::nullopt);
    for (auto signs : {ErrorSigns::AllUp, ErrorSigns::AllDown, ErrorSigns::Alternating}) {
        auto moved = evaluate(*with_call_errors(*pipeline, {{"e", 0}}, signs), inputs).value();
        const auto* m = moved.at("e").as<float>();
        EXPECT_NEAR(m[0], signs == ErrorSigns::AllDown ? 1 - declared : 1 + declared, 0x1p-23);
        EXPECT_NEAR(m[1], signs == ErrorSigns::AllUp ? 1 + declared : 1 - declared, 0x1p-23);
        for (const auto& [name, array] : moved)
            t.add_change(name, reference.at(name), array);
    }
    EXPECT_NEAR(t.allowed("e", reference.at("e")), 4 * declared + 4 * 0x1p-24, 8 * 0x1p-24);
    EXPECT_NEAR(t.allowed("s", reference.at("s")), 4000 * declared + 4000 * 0x1p-24,
                0.01 * declared * 4000);
    EXPECT_THAT(t.text(), HasSubstr("4 v max|ref| (v = 2^-24) + 4 a ("));
    EXPECT_THAT(t.text(), HasSubstr("declared errors"));
}

} // namespace
} // namespace loopscope::worker
