// The reference on pipelines as people write them: pairs, 16-bit floats, functions, boundaries.
#include "compiler/run/reference/reference.h"
#include "core/base/foreign_words.h"
#include "core/ir/half.h"
#include "core/language/loop_parser.h"
#include "tests/run/build.h"

#include <cmath>

namespace loopscope::test {
namespace test_reference_language {

PipelinePtr loaded(const std::string& text) {
    return load_pipeline(std::make_shared<SourceFile>("p.loop", "pipeline p\n" + text))
        .value()
        .pipeline;
}

std::map<std::string, Buffer> outputs(const std::string& text,
                                      const std::map<std::string, Buffer>& inputs = {}) {
    return evaluate(*loaded(text), inputs).value();
}

template <typename V> std::vector<V> list(const Buffer& b) {
    return {b.template as<V>(), b.template as<V>() + b.count()};
}

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;

TEST(ReferenceLanguage, RanksAreLexicographicAmongSeveralAxes) {
    // Each axis counts from its begin: [k, l] in 1..3, 2..5 has the rank (k-1)*3 + (l-2).
    auto out =
        outputs("input a[y, x]: i32[3, 5]\n"
                "stage m[i] = argmax[k in 1..3, l in 2..5](a[k, l])\noutput m: [1]\n",
                {{"a", buffer<std::int32_t>(T::I32, {3, 5},
                                            {99, 0, 0, 0, 0, 9, 0, 1, 2, 3, 9, 0, 3, 7, 7})}});
    EXPECT_EQ(list<std::int32_t>(out.at("m.0")), (Ints{7}));
    EXPECT_EQ(list<std::int32_t>(out.at("m.1")), (Ints{1 * 3 + 1}));
}

TEST(ReferenceLanguage, WhereLeavesTermsOfArgminOut) {
    auto out =
        outputs("input a[x]: f32[6]\nstage m[i] = argmin[k in 0..6 where k % 3 != i](a[k])\n"
                "stage v[i] = a[clamp(m[i].1, 0, 5)] + m[i].0\noutput m: [2]\noutput v: [2]\n",
                {{"a", buffer<float>(T::F32, {6}, {-5, 4, 3, -7, 2, 6})}});
    EXPECT_EQ(list<std::int32_t>(out.at("m.1")), (Ints{4, 3}));
    EXPECT_EQ(list<float>(out.at("m.0")), (Floats{2, -7}));
    EXPECT_EQ(list<float>(out.at("v")), (Floats{4, -14}));
}

TEST(ReferenceLanguage, PairsAreUpdatedTogether) {
    // Welford's mean and sum of squares reads the old mean on the right side.
    auto out =
        outputs("input a[r]: f32[4]\nstage s[i]: (f32, f32) = (0.0, 0.0)\n"
                "update s[i] = (s[i].0 + (a[r] - s[i].0) / f32(r + 1), "
                "s[i].1 + (a[r] - s[i].0) * (a[r] - s[i].0)) over r in 0..4\noutput s: [1]\n",
                {{"a", buffer<float>(T::F32, {4}, {2, 4, 6, 8})}});
    EXPECT_EQ(list<float>(out.at("s.0")), (Floats{5}));
    EXPECT_EQ(list<float>(out.at("s.1")), (Floats{4 + 4 + 9 + 16}));
    out = outputs("stage s[i]: (i32, f32) = (1, 0.5)\nupdate s[i] += (2, 1.5)\n"
                  "update s[i] *= (i, 2.0)\noutput s: [3]\n");
    EXPECT_EQ(list<std::int32_t>(out.at("s.0")), (Ints{0, 3, 6}));
    EXPECT_EQ(list<float>(out.at("s.1")), (Floats{4, 4, 4}));
}

TEST(ReferenceLanguage, HalvesHaveLiteralsCastsAndBoundaries) {
    auto a = make_buffer(T::F16, {3}).value();
    for (int i = 0; i < 3; ++i)
        a.as<std::uint16_t>()[i] = f16_bits(std::int64_t{i + 1});
    auto out = outputs("input a[x]: f16[3] boundary constant(0.5f16)\n"
                       "stage s[x] = (a[x - 1] + a[x + 1]) * 0.1\nstage t[x] = bf16(s[x])\n"
                       "stage b[x] = bits(t[x])\noutput s: [3]\noutput b: [3]\n",
                       {{"a", a}});
    for (int i = 0; i < 3; ++i) {
        double left = i == 0 ? 0.5 : i, right = i == 2 ? 0.5 : i + 2;
        auto s = f16_bits((left + right) * f16_value(f16_bits(0.1)));
        EXPECT_EQ(out.at("s").as<std::uint16_t>()[i], s);
        EXPECT_EQ(out.at("b").as<std::uint16_t>()[i], bf16_bits(f16_value(s)));
    }
}

TEST(ReferenceLanguage, SoftmaxSumsToOne) {
    auto out = outputs(
        "input a[i, k]: f32[2, 8]\nstage m[i] = max[k in 0..8](a[i, k])\n"
        "stage e[i, k] = exp(a[i, k] - m[i])\nstage t[i] = sum[k in 0..8](e[i, k])\n"
        "stage s[i, k] = e[i, k] / t[i]\noutput s: [2, 8]\n",
        {{"a", buffer<float>(T::F32, {2, 8}, {0, 1, 2, 3, 4, 5, 6, 7, 1, 1, 1, 1, 1, 1, 1, 1})}});
    const auto* s = out.at("s").as<float>();
    double total = 0;
    for (int k = 0; k < 8; ++k)
        total += std::exp(k - 7.0);
    for (int k = 0; k < 8; ++k) {
        EXPECT_NEAR(s[k], std::exp(k - 7.0) / total, 1e-7);
        EXPECT_EQ(s[8 + k], 0.125f);
    }
}

TEST(ReferenceLanguage, FmaAndPow) {
    auto out = outputs("input a[x]: f32[2]\nstage s[x] = fma(a[x], a[x], -1.0)\n"
                       "stage p[x] = pow(a[x], 2.0)\noutput s: [2]\noutput p: [2]\n",
                       {{"a", buffer<float>(T::F32, {2}, {1.0f + 0x1p-12f, 3})}});
    EXPECT_EQ(list<float>(out.at("s")), (Floats{0x1p-11f + 0x1p-24f, 8}));
    EXPECT_NEAR(out.at("p").as<float>()[1], 9, 4e-6);
}

// What a remedy writes in place of a function of C: "a - b" of "write a - b, which …".
std::string expression_for(const std::string& word) {
    std::string text = foreign_remedy(ForeignPlace::Word, word);
    EXPECT_TRUE(text.starts_with("write ")) << word << ": " << text;
    return text.substr(6, text.find(", which") - 6);
}

bool agrees(float ours, double c) {
    return std::isnan(c) ? std::isnan(ours)
                         : ours == static_cast<float>(c) ||
                               std::fabs(ours - c) <= 1e-5 * std::max(1.0, std::fabs(c));
}

// Arguments of either sign, and such as are no numbers.
TEST(ReferenceLanguage, WhatRemediesWriteIsWhatTheFunctionsOfCAre) {
    using F = double (*)(double, double);
    const std::pair<const char*, F> functions[] = {
        {"fmod", [](double a, double b) { return std::fmod(a, b); }},
        {"absd", [](double a, double b) { return std::fabs(a - b); }},
        {"trunc", [](double x, double) { return std::trunc(x); }},
        {"exp2", [](double x, double) { return std::exp2(x); }},
        {"exp10", [](double x, double) { return std::pow(10.0, x); }},
        {"log2", [](double x, double) { return std::log2(x); }},
        {"log10", [](double x, double) { return std::log10(x); }},
        {"tan", [](double x, double) { return std::tan(x); }},
        {"square", [](double x, double) { return x * x; }},
        {"isnan", [](double x, double) { return double(std::isnan(x)); }},
        {"isinf", [](double x, double) { return double(std::isinf(x)); }},
        {"isfinite", [](double x, double) { return double(std::isfinite(x)); }},
    };
    for (const auto& [word, function] : functions) {
        const auto expression = expression_for(word);
        const bool two = std::string(word) == "fmod" || std::string(word) == "absd";
        Floats first, second;
        for (float a = -4; a <= 4; a += 0.25f)
            for (const float b : {-3.0f, -1.5f, -0.25f, 0.25f, 0.75f, 3.0f})
                first.push_back(a), second.push_back(b);
        if (!two)
            for (const float x : {INFINITY, -INFINITY, NAN})
                first.push_back(x), second.push_back(1);
        const auto n = static_cast<std::int64_t>(first.size());
        const auto list_of = "[" + std::to_string(n) + "]";
        const bool condition = std::string(word).starts_with("is");
        const auto out = outputs(
            "input p: f32" + list_of + "\ninput q: f32" + list_of + "\ndef f(" +
                (two ? "a, b" : "x") +
                ") = " + (condition ? "select(" + expression + ", 1.0, 0.0)" : expression) +
                "\nstage s[i]: f32 = f(p[i]" + (two ? ", q[i]" : "") + ")\noutput s: " + list_of +
                "\n",
            {{"p", buffer<float>(T::F32, {n}, first)}, {"q", buffer<float>(T::F32, {n}, second)}});
        const auto ours = list<float>(out.at("s"));
        for (std::size_t i = 0; i < first.size(); ++i)
            EXPECT_TRUE(agrees(ours[i], function(first[i], second[i])))
                << word << "(" << first[i] << ", " << second[i] << ") is " << ours[i] << " by "
                << expression;
    }
}

} // namespace test_reference_language
} // namespace loopscope::test
