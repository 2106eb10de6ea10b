// The ends between which any order of a sum, and any approximation, leaves what follows it.
#include "compiler/worker/enclosure/pipeline.h"

#include "compiler/run/float_values.h"
#include "compiler/run/reference/reference.h"
#include "compiler/worker/tolerance.h"
#include "core/ir/functions.h"
#include "tests/worker/orders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace loopscope::worker {
namespace {

using namespace test;

const std::pair<const char*, ScalarType> kTypes[] = {{"f16", ScalarType::F16},
                                                     {"bf16", ScalarType::BF16},
                                                     {"f32", ScalarType::F32},
                                                     {"f64", ScalarType::F64}};

TEST(Enclosure, HoldsEveryOrderOfASum) {
    for (const auto& [type_name, scalar] : kTypes)
        for (bool contracted : {false, true}) {
            const std::string type = type_name;
            const auto text = pipeline_text(
                type, "stage s[i]: " + type + " = sum[k in 0..40](a[i, k] * a[i, k] * 0.3)\n" +
                          "stage t[i]: " + type + " = sum[k in 0..40](a[i, k] * 0.3)\n" +
                          "output s: [24]\noutput t: [24]\n");
            const DefinitionSet fused =
                contracted ? DefinitionSet{{"s", 0}, {"t", 0}} : DefinitionSet{};
            for (std::string output : {"s", "t"}) {
                auto found = compare_orders(text, output, {{"s", 0}, {"t", 0}}, fused);
                EXPECT_GT(found.different, 0) << type << ": the orders are told apart";
                EXPECT_EQ(found.unbounded, 0) << type;
                EXPECT_GT(found.widest, 0);
                // Squares: the terms together are the sum, and its two ends n u and as much of the
                // reference apart.
                if (output == "s") {
                    EXPECT_LT(found.widest, 3 * 40 * unit_roundoff(scalar));
                }
            }
        }
}

TEST(Enclosure, HoldsEveryOrderOfAProduct) {
    for (std::string type : {"f32", "f64"}) {
        const auto text = pipeline_text(type, "stage s[i]: " + type +
                                                  " = prod[k in 0..40](a[i, k] * 0.7)\n"
                                                  "output s: [24]\n");
        auto found = compare_orders(text, "s", {{"s", 0}});
        EXPECT_GT(found.different, 0) << type;
        if (type == "f64") {
            EXPECT_EQ(found.unbounded, 0);
            EXPECT_LT(found.widest, 400 * 0x1p-53);
        }
    }
}

TEST(Enclosure, HoldsWhatUpdatesAddInEveryOrder) {
    for (std::string op : {"+=", "*="})
        for (bool contracted : {false, true}) {
            const auto text = pipeline_text(
                "f32", "stage s[i]: f32 = 0.5\nupdate s[i % 7] " + op +
                           " a[i, k] * 0.07 over i in 0..24, k in 0..40 where i != 3\n"
                           "stage z[i] = s[i] * 0.3\noutput z: [7]\n");
            auto found = compare_orders(text, "z", {{"s", 1}},
                                        contracted ? DefinitionSet{{"s", 1}} : DefinitionSet{});
            EXPECT_GE(found.elements, 7);
        }
    // What stands before the update is the reference's to the bit, contracted as there.
    const auto contracted_before =
        pipeline_text("f32", "stage s[i] = sum[j in 0..24](b[j] * b[j])\n"
                             "update s[i] += a[i, k] * 0.3 over k in 0..40\noutput s: [24]\n");
    EXPECT_GT(compare_orders(contracted_before, "s", {{"s", 1}}, {{"s", 0}}).different, 0);
    // Each element takes one row: forty terms are bounded as forty, however many elements there
    // are.
    const auto rows = pipeline_text("f32", "stage s[i]: f32 = 0.5\n"
                                           "update s[i] += a[i, k] over k in 0..40\n"
                                           "output s: [24]\n");
    auto found = compare_orders(rows, "s", {{"s", 1}});
    EXPECT_GT(found.different, 0);
    EXPECT_EQ(found.unbounded, 0);
    EXPECT_LT(found.widest, 41 * 40 * 0x1p-24);
}

// Every operation and function on values that are off: between the ends, and mostly with ends.
TEST(Enclosure, FollowsTheSumThroughEveryOperation) {
    const std::pair<const char*, double> followers[] = {
        // and the share of elements that may be without ends
        {"s[i] + t[i]", 0},
        {"s[i] - t[i]", 0},
        {"s[i] * t[i]", 0},
        {"(s[i] - t[i]) * (s[i] - t[i])", 0},
        {"let d = s[i] - 3.0 in d * d - 1.0", 0},
        {"s[i] / (t[i] * t[i] + 1.0)", 0},
        {"1.0 / s[i]", 0.1},
        {"-s[i] * 0.37 + 0.1", 0},
        {"abs(s[i] - t[i])", 0},
        {"sqrt(abs(s[i]) + 0.5)", 0},
        {"floor(s[i] * 16.0)", 0},
        {"ceil(s[i])", 0},
        {"round(s[i] * 3.3)", 0},
        {"min(s[i], t[i])", 0},
        {"max(s[i], 0.25)", 0},
        {"clamp(s[i], -1.0, 1.0)", 0},
        {"select(s[i] < t[i], s[i], t[i] * 2.0)", 0},
        {"select(s[i] > 0.0 and not (t[i] >= 2.0 or t[i] == s[i]), 1.5, -t[i])", 0},
        {"select(s[i] != t[i], s[i], 0.0)", 0},
        {"f32(i32(s[i] * 8.0) + i32(t[i]) * 3 - 7)", 0},
        {"f32(abs(i32(s[i])) % 5)", 0.3},
        {"f32(u8(i32(s[i])))", 1},
        {"f32(f16(s[i] * 0.01))", 0},
        {"f32(min(i32(s[i]), 11))", 0},
        {"b[clamp(i32(s[i]), 0, 23)]", 0.3},
        {"exp(s[i] * 0.01)", 0},
        {"log(abs(s[i]) + 0.5)", 0},
        {"tanh(s[i] * 0.01)", 0},
        {"erf(s[i] * 0.01)", 0},
        {"sin(s[i] * 0.01)", 0},
        {"cos(t[i])", 0},
        {"pow(abs(s[i]) + 0.5, 0.7)", 0},
        {"pow(abs(s[i]) + 0.5, t[i] * 0.001)", 0},
        {"rsqrt(abs(s[i]) + 0.5)", 0},
        {"exp(max(s[i], 0.0) * 0.01)", 0}, // also of a certain 0
        {"1.0 / (1.0 + exp(-max(s[i], 0.0)))", 0},
        {"s[i] / (1.0 + exp(-s[i] * 100.0))", 0.1}, // also where exp surely overflows
        {"f32(i32(max(s[i], 0.0)) % 7)", 0.3},
    };
    for (const auto& [follower, without] : followers) {
        const auto text = pipeline_text(
            "f32", std::string("stage s[i] = sum[k in 0..40](a[i, k])\n"
                               "stage t[i] = sum[k in 0..40](a[i, k] * a[i, k] * 0.01)\n"
                               "stage z[i]: f32 = ") +
                       follower + "\noutput z: [24]\n");
        for (bool contracted : {false, true}) {
            auto found = compare_orders(text, "z", {{"s", 0}, {"t", 0}},
                                        contracted ? DefinitionSet{{"z", 0}} : DefinitionSet{});
            EXPECT_GT(found.elements, 0) << follower;
            EXPECT_LE(static_cast<double>(found.unbounded),
                      without * static_cast<double>(found.elements))
                << follower;
        }
    }
}

// Stages of other kinds that read what is off.
TEST(Enclosure, FollowsTheSumThroughOtherDefinitions) {
    const char* const stages[] = {
        "stage z[i] = sum[j in 0..5](s[(i + j) % 24] * 0.3)\n",
        "stage z[i] = prod[j in 0..3](s[(i + j) % 24] * 0.01)\n",
        "stage z[i] = max[j in 0..5](s[(i + j) % 24])\n",
        "stage z[i] = min[j in 0..5 where j != 2](s[(i + j) % 24])\n",
        "stage m[i] = argmax[j in 0..5](s[(i + j) % 24])\nstage z[i] = m[i].0\n",
        ("stage y[i] = any[j in 0..5](s[(i + j) % 24] > 3.0)\n"
         "stage z[i] = select(y[i], 1.0, s[i])\n"),
        "stage z[i] = s[i]\nupdate z[i] = z[i] * 0.3 + 0.7\nupdate z[i] = sin(z[i])\n",
        "stage z[i]: f32 = 0.0\nupdate z[i] = z[i - 1] * 0.5 + s[i] over i in 1..24\n",
        "stage z[i]: f32 = 1.0\nupdate z[i] += s[j] * 0.1 over j in 0..24\n",
        "stage y[i] = max[j in 0..4](i32(s[(i + j) % 24] * 9.0))\nstage z[i] = f32(y[i])\n",
        "stage y[i] = (s[i], i)\nstage z[i] = y[i].0 + f32(y[i].1)\n",
        "stage y[i] = sum[j in 0..5](i32(s[(i + j) % 24] * 9.0))\nstage z[i] = f32(y[i])\n",
        "stage y[i] = prod[j in 0..3](i32(s[(i + j) % 24]))\nstage z[i] = f32(y[i])\n",
        "stage y[i]: u8 = sum[j in 0..5](u8(s[(i + j) % 24] > 3.0))\nstage z[i] = f32(y[i])\n",
        "stage m[i] = argmax[j in 0..5](s[(i + j) % 24])\nstage z[i] = f32(m[i].1)\n",
        "stage m[i] = argmin[j in 0..5 where j != 2](s[(i + j) % 24])\nstage z[i] = f32(m[i].1)\n",
        "stage z[i] = prod[j in 0..3](max(s[(i + j) % 24], 0.0))\n",
    };
    for (const auto* stage : stages) {
        const auto text =
            pipeline_text("f32", std::string("stage s[i] = sum[k in 0..40](a[i, k])\n") + stage +
                                     "output z: [24]\n");
        for (bool contracted : {false, true}) {
            auto found = compare_orders(text, "z", {{"s", 0}},
                                        contracted ? DefinitionSet{{"z", 0}} : DefinitionSet{});
            EXPECT_EQ(found.unbounded, 0) << stage;
            EXPECT_GT(found.elements, 0) << stage;
        }
    }
}

// The value before an update is one term, which nothing rounds.
TEST(Enclosure, WhatNoTermComesToKeepsItsValue) {
    for (std::string op : {"+=", "*="})
        for (bool contracted : {false, true}) {
            const auto text = pipeline_text(
                "f32",
                "stage s[i]: f32 = select(i == 23, exp(1000.0 + f32(i)), 1.1)\nupdate s[j % 4] " +
                    op + " a[j, k] * 0.3 over j in 0..4, k in 0..40\noutput s: [24]\n");
            const auto pipeline = test::load(text).pipeline;
            const auto fused = contracted ? DefinitionSet{{"s", 1}} : DefinitionSet{};
            Tolerance tolerance(*pipeline, Marks{fused, {{"s", 1}}, {}}, std::nullopt);
            ReferenceOptions options;
            options.contracted = tolerance.enclosed().contracted;
            auto evaluated =
                evaluate(*tolerance.enclosed().pipeline, random_inputs(*pipeline, 3), options)
                    .value();
            const auto ends = tolerance.enclosed().enclosures.at("s").stage;
            const auto &low = evaluated.at(ends + ".0"), &high = evaluated.at(ends + ".1");
            for (std::int64_t i = 4; i < 24; ++i) {
                EXPECT_EQ(low.as<float>()[i], i == 23 ? INFINITY : 1.1f) << op << i;
                EXPECT_EQ(high.as<float>()[i], low.as<float>()[i]) << op << i;
            }
            for (std::int64_t i = 0; i < 4 && op == "+="; ++i)
                EXPECT_LT(low.as<float>()[i], high.as<float>()[i]);
        }
}

// Sums of whole numbers wrap: what may have is not known; nor is one of so many that f64 would
// round their sum.
TEST(Enclosure, SumsOfWholeNumbersThatMayWrapAreNotKnown) {
    const std::pair<const char*, std::int64_t> stages[] = {
        {"stage z[i] = sum[j in 0..5](i32(s[(i + j) % 24] * 4.0) * 40000000)\n", 1},
        {"stage z[i] = sum[j in 0..5](i64(s[(i + j) % 24] * 4.0) * 4000000000000000000)\n", 1},
        {"stage z[i] = sum[j in 0..5](i64(s[(i + j) % 24] * 4.0) * 40000000)\n", 0},
    };
    for (const auto& [stage, wraps] : stages) {
        const auto text =
            pipeline_text("f32", std::string("stage s[i] = sum[k in 0..40](a[i, k])\n") + stage +
                                     "output z: [24]\n");
        auto found = compare_orders(text, "z", {{"s", 0}});
        EXPECT_EQ(found.unbounded > 0, wraps != 0) << stage;
    }
}

// A component that depends on no sum is the reference's to the bit, and so is what reads it.
TEST(Enclosure, ExactComponentsOfATupleStayExact) {
    const auto text = pipeline_text(
        "f32", "stage s[i] = sum[k in 0..40](a[i, k] * 0.3)\n"
               "stage z[i] = (s[i], sqrt(-1.0 - abs(a[i, 0])), i)\n"
               "update z[i] = (z[i].0 * 2.0, z[i].1 + 1.0, z[i - 1].2 + z[i].2) over i in 1..24\n"
               "stage w[i] = z[i].1 * 3.0\nstage y[i] = z[i].0\n"
               "output z: [24]\noutput w: [24]\noutput y: [24]\n");
    const auto pipeline = test::load(text).pipeline;
    Tolerance tolerance(*pipeline, Marks{{}, {{"s", 0}}, {}}, std::nullopt);
    auto evaluated = evaluate(*tolerance.enclosed().pipeline, random_inputs(*pipeline, 3)).value();
    for (std::string exact : {"z.1", "z.2", "w"})
        EXPECT_FALSE(tolerance.judge(exact, evaluated.at(exact), evaluated)) << exact;
    for (std::string off : {"z.0", "y"}) {
        auto judged = tolerance.judge(off, evaluated.at(off), evaluated);
        ASSERT_TRUE(judged) << off;
        EXPECT_EQ(judged->beyond, 0) << off;
        EXPECT_EQ(judged->unbounded, 0) << off;
    }
}

// The pipeline with the approximation of each function that `z` calls.
PipelinePtr approximated(const Pipeline& pipeline) {
    auto out = std::make_shared<Pipeline>(pipeline);
    for (auto& stage : out->stages)
        if (stage.name == "z")
            stage.definitions[0].values[0] =
                rewrite(stage.definitions[0].values[0], [](const ExprPtr& e) {
                    return e->kind == ExprKind::Call ? call(approximation_of(e->name), e->args) : e;
                });
    out->seal();
    return out;
}

// Once of what is exact, where the ends are the declared errors and little more; once of a sum in
// some order.
TEST(Enclosure, HoldsApproximations) {
    const std::pair<const char*, const char*> functions[] = {
        {"exp", "exp(X * 0.05)"},
        {"log", "log(abs(X) + 1.5)"},
        {"tanh", "tanh(X)"},
        {"erf", "erf(X)"},
        {"sin", "sin(X)"},
        {"cos", "cos(X)"},
        {"pow", "pow(abs(X) + 0.5, 0.7)"},
        {"rsqrt", "rsqrt(abs(X) + 0.5)"},
    };
    for (std::string type : {"f32", "f64", "f16"})
        for (const auto& [function, value] : functions)
            for (std::string argument : {"b[i]", "s[i]"}) {
                std::string term = value;
                term.replace(term.find('X'), 1, argument);
                const auto text = pipeline_text(
                    type, "stage s[i]: " + type +
                              " = sum[k in 0..40](a[i, k] * 0.1)\nstage z[i]: " + type + " = " +
                              term + "\noutput z: [24]\n");
                const auto pipeline = test::load(text).pipeline;
                const bool exact = argument == "b[i]";
                const DefinitionSet sums = exact ? DefinitionSet{} : DefinitionSet{{"s", 0}};
                Tolerance tolerance(*pipeline, Marks{{}, sums, {{"z", 0}}}, std::nullopt);
                auto inputs = random_inputs(*pipeline, 5);
                auto evaluated = evaluate(*tolerance.enclosed().pipeline, inputs).value();
                auto actual = evaluate(*approximated(*pipeline), shuffled(inputs, 7)).value();
                auto judged = *tolerance.judge("z", actual.at("z"), evaluated);
                EXPECT_EQ(judged.beyond, 0) << text;
                EXPECT_EQ(judged.unbounded, 0) << text;
                const auto scalar = pipeline->find("z")->types[0];
                const double units =
                    prelude_error_ulp(approximation_of(function), scalar) + 4 + 2 + 1;
                if (exact) {
                    EXPECT_LE(judged.allowed,
                              units * unit_roundoff(scalar) *
                                  std::max(1.0, greatest_magnitude(evaluated.at("z"))))
                        << text;
                }
                EXPECT_GT(judged.allowed, 0);
            }
}

// What a value in doubt decides about other terms has no bounds, and is not given any.
TEST(Enclosure, NothingIsKnownWhereTermsGoElsewhere) {
    for (std::string stage :
         {"stage z[b]: f32 = 0.0\nupdate z[clamp(i32(s[i]), 0, 23)] += 1.0 over i in 0..24\n",
          "stage z[i] = sum[j in 0..24 where s[j] > 0.1](a[i, j])\n"}) {
        auto found = compare_orders(pipeline_text("f32", "stage s[i] = sum[k in 0..40](a[i, k])\n" +
                                                             stage + "output z: [24]\n"),
                                    "z", {{"s", 0}});
        EXPECT_EQ(found.unbounded, found.elements) << stage;
    }
}

} // namespace
} // namespace loopscope::worker
