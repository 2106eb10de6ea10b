// What becomes of the ends where infinities, NaN and overflow meet them.
#include "tests/worker/orders.h"

#include <cmath>

namespace loopscope::worker {
namespace {

using namespace test;

// Infinities of both signs, NaN, zeros, denormals and greatest values meet a sum.
TEST(Enclosure, FollowsTheSumThroughHostileValues) {
    const char* const followers[] = {
        "s[i] + b[i]",
        "max(s[i] * b[i], 0.0)",
        "min(b[i] - s[i] * b[i], 0.0)",
        "max((s[i] - t[i]) * b[i], 1.0)",
        "max(s[i] * b[i] + t[i] * b[(i + 1) % 24], 0.0)",
        "max(b[i] / s[i], 0.0)",
        "max(s[i] / b[i], 0.0)",
        "max((s[i] * b[i]) / (t[i] * b[(i + 1) % 24]), 0.0)",
        "let d = s[i] * b[i] in max(d * d - d, 0.0)",
        "max(exp(s[i] * b[i]) - exp(t[i] * b[i]), 0.0)",
        "1.0 / (1.0 + exp(-s[i] * b[i]))",
        "max(log(s[i] * b[i]), 0.0)",
        "max(log(abs(s[i] * b[i])), 0.0)",
        "max(sqrt(s[i] * b[i]), 0.0)",
        "max(tanh(s[i] * b[i]), 0.0)",
        "max(sin(s[i] * b[i]), 0.0)",
        "max(rsqrt(s[i] * b[i]), 0.0)",
        "max(rsqrt(max(s[i], 0.0) * b[i]), -1.0)",
        "max(pow(abs(s[i]) + 0.5, b[i]), 0.0)",
        "max(pow(abs(s[i] * b[i]), t[i]), 0.0)",
        "max(pow(abs(b[i]), s[i] * b[(i + 1) % 24]), 0.0)",
        "select(s[i] * b[i] < t[i], b[i], s[i])",
        "select(s[i] * b[i] != b[i], 1.0, s[i])",
        "min(abs(s[i] * b[i]), 7.0)",
        "min(floor(s[i] * b[i]), 7.0)",
        "sum[j in 0..3](s[(i + j) % 24] * b[j])",
        "prod[j in 0..3](s[(i + j) % 24] * b[j])",
        "max[j in 0..3](s[(i + j) % 24] * b[j])",
    };
    for (std::string type : {"f32", "f16"})
        for (const auto* follower : followers) {
            const auto text = pipeline_text(
                type,
                "stage s[i]: " + type + " = sum[k in 0..40](a[i, k] * 3.0)\nstage t[i]: " + type +
                    " = sum[k in 0..40](a[i, k] * a[i, k] * 0.01)\nstage y[i]: " + type + " = " +
                    follower + "\nstage z[i]: " + type + " = max(y[i], -2.0)\noutput z: [24]\n");
            for (bool contracted : {false, true}) {
                auto found =
                    compare_orders(text, "z", {{"s", 0}, {"t", 0}},
                                   contracted ? DefinitionSet{{"y", 0}} : DefinitionSet{}, true);
                EXPECT_LT(found.unbounded, found.elements) << follower;
            }
        }
}

// Sums that are 65350 and overflow by some orders only; t is 0, or a little more or less.
const std::string kNearOverflow = pipeline_text(
    "f16", "stage s[i] = sum[k in 0..40](a[i, k] * a[i, k])\nstage y[i] = s[i] * 512.0f16\n"
           "stage t[i] = sum[k in 0..40](select(k < 20, a[i, k], -a[i, k]) * 0.3f16)\n");

TEST(Enclosure, ANaNThatInfinitiesMayGiveIsNotForgotten) {
    struct Program {
        const char *stages, *why;
        bool contracted;
    };
    for (const auto& [stages, why, contracted] :
         {Program{"stage z[i] = max(y[i] - y[(i + 1) % 24], 0.0f16)\n", "inf - inf", false},
          {"stage z[i] = max(y[i] + (-y[(i + 1) % 24]), 0.0f16)\n", "inf + -inf", false},
          {"stage z[i] = max(y[i] * t[i], 1.0f16)\n", "inf * 0, and 0 within", false},
          {"stage z[i] = max(t[i] * y[i], 1.0f16)\n", "0 * inf", false},
          {"stage z[i] = max(y[i] * floor(t[i] * 0.0f16 + 0.1f16), 1.0f16)\n", "inf * 0 for sure",
           false},
          {"stage z[i] = max(1.0f16 + y[i] * t[i], 1.0f16)\n", "a fused inf * 0", true},
          {"stage z[i] = max(y[i] * 2.0f16 - y[i], 1.0f16)\n", "a fused inf - inf", true},
          {"stage z[i] = max(y[i] / y[(i + 1) % 24], 1.0f16)\n", "inf / inf", false},
          {"stage q[i] = sum[j in 0..2](y[(i + j) % 24] * select(j == 0, 1.0f16, -1.0f16))\n"
           "stage z[i] = max(q[i], 0.0f16)\n",
           "a sum of both infinities", false},
          {"stage q[i]: f16 = 0.0\nupdate q[i] += y[j] * select(j == 0, 1.0f16, -1.0f16) over j in "
           "0..2\nstage z[i] = max(q[i], 0.0f16)\n",
           "updates by both infinities", false},
          {"stage q[i] = prod[j in 0..2](select(j == 0, y[i], t[i]))\n"
           "stage z[i] = max(q[i], 0.0f16)\n",
           "a product of inf and 0", false},
          {"stage z[i] = exp(y[i] - max(y[i], y[(i + 1) % 24]))\n", "softmax's", false},
          {"stage z[i] = max(sin(y[i]), 0.0f16)\n", "sin(inf)", false},
          {"stage z[i] = max(sqrt(t[i]), 0.0f16)\n", "the root of less than 0", false}}) {
        const auto text = kNearOverflow + stages + "output z: [24]\noutput y: [24]\n";
        const DefinitionSet sums{{"s", 0}, {"t", 0}};
        const auto fused = contracted ? DefinitionSet{{"z", 0}} : DefinitionSet{};
        const auto pipeline = test::load(text).pipeline;
        Tolerance tolerance(*pipeline, Marks{fused, sums, {}}, std::nullopt);
        auto inputs = random_inputs(*pipeline, 1);
        for (auto& [name, buffer] : inputs) // 1.7861…: its square is 3.1906
            std::fill_n(buffer.as<std::uint16_t>(), buffer.count(), 0x3f25);
        ReferenceOptions options;
        options.contracted = tolerance.enclosed().contracted;
        auto evaluated = evaluate(*tolerance.enclosed().pipeline, inputs, options).value();
        const auto ends = tolerance.enclosed().enclosures.at("y").stage;
        ASSERT_TRUE(std::isfinite(element_value(evaluated.at(ends + ".0"), 0)));
        ASSERT_TRUE(std::isinf(element_value(evaluated.at(ends + ".1"), 0)));
        auto nothing = evaluated.at("z");
        std::fill_n(nothing.as<std::uint16_t>(), nothing.count(), 0x7e00); // NaN
        for (const auto& possible : {nothing, evaluated.at("z")}) {
            auto judged = tolerance.judge("z", possible, evaluated);
            ASSERT_TRUE(judged) << why;
            EXPECT_EQ(judged->beyond, 0) << why;
            EXPECT_EQ(judged->unbounded, 24) << why;
            EXPECT_FALSE(judged->conclusive()) << why;
        }
        // What is no difference of them stays known: the sum is no less than 63000.
        auto little = evaluated.at("y");
        std::fill_n(little.as<std::uint16_t>(), little.count(), 0x7b00); // 57344
        EXPECT_EQ(tolerance.judge("y", little, evaluated)->beyond, 24) << why;
        EXPECT_EQ(tolerance.judge("y", nothing, evaluated)->beyond, 24) << why;
        if (text.find("t[i]", kNearOverflow.size()) == std::string::npos) { // t's terms have places
            EXPECT_GT(compare_orders(text, "z", sums, fused).elements, 0);
        }
    }
}

} // namespace
} // namespace loopscope::worker
