// Are sums exact in any order? The witnesses say yes only where that is true.
#include "compiler/worker/exactness.h"

#include "compiler/run/compare.h"
#include "compiler/run/reference/reference.h"
#include "tests/worker/programs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace loopscope::worker {
namespace {

// The answer for `pipeline`, whose one input `a` of f32 holds `values`, and whose stage `s` has a
// reassociated definition.
bool is_exact(const PipelinePtr& pipeline, const std::vector<float>& values, int definition = 0) {
    auto witnesses = with_witnesses(pipeline, {{"s", definition}}).value();
    EXPECT_GT(witnesses.pipeline->outputs.size(), pipeline->outputs.size());
    auto a = make_buffer(ScalarType::F32, {std::int64_t(values.size())}).value();
    std::copy(values.begin(), values.end(), a.as<float>());
    std::map<std::string, Buffer> inputs;
    inputs.emplace("a", std::move(a));
    auto outputs = evaluate(*witnesses.pipeline, inputs);
    EXPECT_TRUE(outputs) << (outputs ? "" : format(outputs.errors()));
    auto alone = evaluate(*pipeline, inputs);
    for (const auto& [name, array] : *alone)
        EXPECT_TRUE(compare(outputs->at(name), array).equal) << "witnesses only watch";
    return exactness_of(*outputs) == Exactness::Exact;
}
bool is_exact(const std::string& text, const std::vector<float>& values, int definition = 0) {
    return is_exact(test::load(text).pipeline, values, definition);
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
    EXPECT_FALSE(is_exact(reduction("sum", "a[k] * 0.1"), {1, 2, 3, 4}));
    EXPECT_FALSE(is_exact(reduction("sum"), {0x1p-17f, 0x1p-17f, 1, 1})) << "finer than any grain";
    EXPECT_FALSE(is_exact(reduction("prod"), {0.5f, 2, 1, 1}));
}

TEST(Exactness, SumsOfHalvesAndSixteenthsAreOfFinerGrain) {
    EXPECT_TRUE(is_exact(reduction("sum"), {0.5f, 0.25f, 1, -1}));
    EXPECT_TRUE(is_exact(reduction("sum", "a[k] * 0.0625"), {1048575, 1, 0, 0}));
    EXPECT_FALSE(is_exact(reduction("sum"), {1048575, 0.0625f, 1, 0})) << "2^20 in sixteenths";
    EXPECT_TRUE(is_exact(reduction("sum"), {255, 0x1p-16f, 0, 0}));
    EXPECT_FALSE(is_exact(reduction("sum"), {255, 0x1p-16f, 1, 0}));
}

TEST(Exactness, PartialSumsMustFitInEveryOrder) {
    EXPECT_TRUE(is_exact(reduction("sum"), {8388608, 8388607, 0, 0}));
    EXPECT_FALSE(is_exact(reduction("sum"), {8388608, 8388608, 1, 0}))
        << "the witness itself rounds to 2^24 here";
    EXPECT_FALSE(is_exact(reduction("sum"), {16777216, -16777216, 1, 1}))
        << "small in this order, not in every one";
    EXPECT_FALSE(is_exact(reduction("prod"), {4096, 4096, 2, 0})) << "0 comes last in some order";
}

TEST(Exactness, TellsTooLargeFromNoGrain) {
    auto answer = [](const std::vector<float>& values) {
        auto witnesses = with_witnesses(test::load(reduction("sum")).pipeline, {{"s", 0}}).value();
        auto a = make_buffer(ScalarType::F32, {4}).value();
        std::copy(values.begin(), values.end(), a.as<float>());
        std::map<std::string, Buffer> inputs;
        inputs.emplace("a", std::move(a));
        return exactness_of(evaluate(*witnesses.pipeline, inputs).value());
    };
    EXPECT_EQ(answer({1, 2, 3, 4}), Exactness::Exact);
    EXPECT_EQ(answer({16777216, 2, 3, 4}), Exactness::TooLarge);
    EXPECT_EQ(answer({16777216, 0.1f, 3, 4}), Exactness::NoGrain);
}

TEST(Exactness, WhatIsNotFiniteIsNot) {
    EXPECT_FALSE(is_exact(reduction("sum"), {1, 2, NAN, 4}));
    EXPECT_FALSE(is_exact(reduction("sum"), {1, 2, INFINITY, 4}));
}

TEST(Exactness, BoxesThatDoNotBeginAtZeroAreMoved) {
    // s is needed on [-1, 3): the witness must look at s[-1], whose terms are fractions when a[0]
    // is no multiple of 3.
    auto text = "pipeline p\ninput a[k]: f32[8]\nstage s[x] = sum[k in 0..4](select(x < 0, a[k] / "
                "3.0, a[k + x + 1]))\n"
                "stage t[x] = s[x - 1] + s[x]\noutput t: [3]\n";
    EXPECT_TRUE(is_exact(text, {3, 3, 6, 9, 1, 1, 1, 1}));
    EXPECT_FALSE(is_exact(text, {1, 3, 6, 9, 1, 1, 1, 1}));
}

// s begins as `start`, then takes terms by the update.
std::string update(const std::string& start, const std::string& line) {
    return "pipeline p\ninput a[k]: f32[4]\nstage s[x]: f32 = " + start + "\nupdate " + line +
           "\noutput s: [3]\n";
}

TEST(Exactness, UpdatesAreJudgedWithTheirStart) {
    auto sum = [](const std::string& start) {
        return update(start, "s[x] += a[r] over r in 0..4");
    };
    EXPECT_TRUE(is_exact(sum("2.0"), {1, -2, 3, 8}, 1));
    EXPECT_FALSE(is_exact(sum("0.1"), {1, -2, 3, 8}, 1)) << "the start has no grain";
    EXPECT_FALSE(is_exact(sum("0.0"), {1, 2, 3, 0.1f}, 1));
    EXPECT_FALSE(is_exact(sum("16777215.0"), {1, 1, -1, -1}, 1));
    EXPECT_TRUE(is_exact(sum("16777200.0"), {1, 1, -1, -1}, 1));
    EXPECT_FALSE(is_exact(sum("0.0"), {1, NAN, 3, 4}, 1));
}

TEST(Exactness, ProductsOfUpdates) {
    auto product = update("3.0", "s[x] *= a[r] over r in 0..4");
    EXPECT_TRUE(is_exact(product, {2, -2, 0, 5}, 1));
    EXPECT_FALSE(is_exact(product, {4096, 4096, 0, 1}, 1)) << "0 comes last in some order";
    EXPECT_FALSE(is_exact(product, {0.5f, 2, 1, 1}, 1));
}

TEST(Exactness, HistogramsCountByElement) {
    // Every term goes to the element that it names: no element alone is beyond 2^24.
    auto histogram = [](const std::string& left) {
        return update("0.0", "s[" + left + "] += 6000000.0 over r in 0..4");
    };
    EXPECT_TRUE(is_exact(histogram("clamp(i32(a[r]), 0, 2)"), {0, 1, 2, 2}, 1));
    EXPECT_FALSE(is_exact(histogram("clamp(i32(a[r]), 0, 2)"), {1, 1, 1, 2}, 1));
}

TEST(Exactness, ConditionsLeaveTermsOut) {
    auto text = update("0.0", "s[x] += a[r] over r in 0..4 where r != x");
    EXPECT_FALSE(is_exact(text, {0.1f, 1, 2, 3}, 1)) << "s[1] takes it";
    auto never = update("0.0", "s[x] += a[r] over r in 0..4 where r != 0");
    EXPECT_TRUE(is_exact(never, {0.1f, 1, 2, 3}, 1));
}

TEST(Exactness, LaterUpdatesStartFromEarlierOnes) {
    auto text = "pipeline p\ninput a[k]: f32[4]\nstage s[x] = sum[k in 0..4](a[k])\n"
                "update s[x] = s[x] / 3.0\nupdate s[x] += a[r] over r in 0..4\noutput s: [2]\n";
    EXPECT_TRUE(is_exact(text, {1, 2, 3, 6}, 2)) << "12 / 3";
    EXPECT_FALSE(is_exact(text, {1, 2, 3, 5}, 2)) << "11 / 3";
    EXPECT_TRUE(is_exact(text, {1, 2, 3, 5}, 0));
}

TEST(Exactness, UpdatesOfBoxesThatDoNotBeginAtZero) {
    auto text = "pipeline p\ninput a[k]: f32[4]\nstage s[x]: f32 = select(x < 0, a[0] / 3.0, 0.0)\n"
                "update s[x] += a[r] over r in 1..4\nstage t[x] = s[x - 1] + s[x]\n"
                "output t: [3]\noutput s: [2]\n";
    EXPECT_TRUE(is_exact(text, {3, 1, 1, 1}, 1));
    EXPECT_FALSE(is_exact(text, {1, 1, 1, 1}, 1)) << "s[-1] begins with a third";
}

// 3 * 0.3 rounded to f32, times 10, is 3 once rounded; a contracted sum adds what it was before
// that.
TEST(Exactness, ContractedSumsAddProductsThatAreNotRounded) {
    auto answer = [](const std::string& text, int definition, bool contracted,
                     const std::vector<float>& values) {
        DefinitionSet sums{{"s", definition}};
        auto loaded = test::load(text);
        auto witnesses =
            with_witnesses(loaded.pipeline, sums, contracted ? sums : DefinitionSet{}).value();
        auto a = make_buffer(ScalarType::F32, {4}).value();
        std::copy(values.begin(), values.end(), a.as<float>());
        std::map<std::string, Buffer> inputs;
        inputs.emplace("a", std::move(a));
        ReferenceOptions options;
        options.contracted = witnesses.contracted;
        if (contracted)
            options.contracted.insert(sums.begin(), sums.end());
        return exactness_of(evaluate(*witnesses.pipeline, inputs, options).value());
    };
    for (auto [text, definition] :
         {std::pair(reduction("sum", "(a[k] * 0.3) * 10.0"), 0),
          std::pair(update("0.0", "s[x] += (a[r] * 0.3) * 10.0 over r in 0..4"), 1)}) {
        EXPECT_EQ(answer(text, definition, false, {1, -1, 0, 1}), Exactness::Exact);
        EXPECT_EQ(answer(text, definition, true, {1, -1, 0, 1}), Exactness::NoGrain);
        EXPECT_EQ(answer(text, definition, true, {0, 0, 0, 0}), Exactness::Exact);
    }
    auto wide = "pipeline p\ninput a[k]: f32[4]\nstage s[x] = "
                "sum[k in 0..4]((f64(a[k]) * 0.3) * 10.0)\noutput s: [1]\n";
    EXPECT_EQ(answer(wide, 0, true, {1, -1, 0, 1}), Exactness::NoGrain);
    EXPECT_EQ(answer(reduction("sum", "a[k] * 2.0"), 0, true, {1, -2, 3, 8}), Exactness::Exact);
    // The product is 0 once rounded, and not before: it decides the sign of a sum that is 0.
    EXPECT_EQ(answer(reduction("sum", "a[k] * 1e-30"), 0, true, {0x1p-100f, 0, 0, 0}),
              Exactness::NoGrain);
    auto tiny = "pipeline p\ninput a[k]: f32[4]\nstage s[x] = "
                "sum[k in 0..4](f64(a[k]) * 1e-300)\noutput s: [1]\n";
    EXPECT_EQ(answer(tiny, 0, true, {0x1p-100f, 0, 0, 0}), Exactness::NoGrain);
}

TEST(Exactness, WholeNumbersChooseAndWrapInAnyOrder) {
    for (auto text :
         {update("0.0", "s[x] max= a[r] over r in 0..4"), reduction("max"), reduction("min")}) {
        auto loaded = test::load(text);
        auto last = static_cast<int>(loaded.pipeline->find("s")->definitions.size()) - 1;
        auto witnesses = with_witnesses(loaded.pipeline, {{"s", last}}).value();
        EXPECT_EQ(witnesses.pipeline->outputs.size(), 1u) << "nothing to watch";
    }
    auto whole = test::load("pipeline p\ninput a[k]: i32[4]\nstage s[x] = sum[k in 0..4](a[k])\n"
                            "output s: [1]\n");
    EXPECT_EQ(with_witnesses(whole.pipeline, {{"s", 0}})->pipeline->outputs.size(), 1u);
}

TEST(Exactness, NarrowTypesEndSooner) {
    // 16-bit terms of an f32 input, by casts: 2048 is beyond f16, 256 beyond bf16.
    auto pipeline = [](ScalarType type) {
        auto changed = std::make_shared<Pipeline>(*test::load(reduction("sum")).pipeline);
        auto& s = changed->stages.back();
        s.types = {type};
        s.definitions[0].values = {cast(type, s.definitions[0].values[0])};
        changed->seal();
        return changed;
    };
    EXPECT_TRUE(is_exact(pipeline(ScalarType::F16), {1000, 1000, 40, 7}));
    EXPECT_FALSE(is_exact(pipeline(ScalarType::F16), {1000, 1000, 40, 8}));
    EXPECT_TRUE(is_exact(pipeline(ScalarType::BF16), {100, 100, 50, 5}));
    EXPECT_FALSE(is_exact(pipeline(ScalarType::BF16), {100, 100, 50, 6}));
}

// Parts of a tuple: each float has witnesses of its own.
TEST(Exactness, TuplesAreJudgedPartByPart) {
    auto pipeline = [](float second) {
        auto changed = std::make_shared<Pipeline>(
            *test::load(update("0.0", "s[x] += a[r] over r in 0..4")).pipeline);
        auto& s = changed->stages.back();
        s.types = {ScalarType::I32, ScalarType::F32};
        s.definitions[0].values = {constant_int(ScalarType::I32, 1),
                                   constant_float(ScalarType::F32, 0)};
        s.definitions[1].values = {constant_int(ScalarType::I32, 1),
                                   binary(Op::Multiply, s.definitions[1].values[0],
                                          constant_float(ScalarType::F32, second))};
        changed->seal();
        return changed;
    };
    auto answer = [&](float second) {
        auto witnesses = with_witnesses(pipeline(second), {{"s", 1}}).value();
        auto a = make_buffer(ScalarType::F32, {4}).value();
        std::fill_n(a.as<float>(), 4, 3.0f);
        std::map<std::string, Buffer> inputs;
        inputs.emplace("a", std::move(a));
        return exactness_of(evaluate(*witnesses.pipeline, inputs).value()) == Exactness::Exact;
    };
    EXPECT_TRUE(answer(2));
    EXPECT_FALSE(answer(0.1f));
}

} // namespace
} // namespace loopscope::worker
