// VDSR under its default and shipped schedules: against the reference interpreter, independent code
// bit for bit, and with weights of which it is known what they do.

#include "compiler/run/png.h"
#include "tests/programs/independent_vdsr.h"
#include "tests/programs/runs.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <random>

using namespace loopscope;
using namespace loopscope::test;
using independent::VdsrSizes;

namespace test_vdsr {

Params params(const VdsrSizes& s) {
    return {{"H", s.h}, {"W", s.w}, {"SCALE", s.scale}, {"CHANNELS", s.channels}};
}

Buffer zeros(std::vector<std::int64_t> extents) {
    return make_buffer(ScalarType::F32, std::move(extents)).value();
}

Buffers no_weights(const VdsrSizes& s) {
    Buffers inputs;
    inputs["filter_first"] = zeros({3, 3, s.channels});
    inputs["filters"] = zeros({s.layers - 2, 3, 3, s.channels, s.channels});
    inputs["filter_last"] = zeros({3, 3, s.channels});
    inputs["bias"] = zeros({s.layers - 1, s.channels});
    inputs["bias_last"] = zeros({1});
    return inputs;
}

// Weights that keep the variance from layer to layer (He et al. 2015), so that all layers count in
// the result.
Buffers random_weights(const VdsrSizes& s) {
    auto inputs = no_weights(s);
    std::mt19937 generator(17);
    auto fill = [&](const char* name, double deviation) {
        std::normal_distribution<double> normal(0, deviation);
        auto& buffer = inputs.at(name);
        for (std::int64_t n = 0; n < buffer.count(); ++n)
            buffer.as<float>()[n] = float(normal(generator));
    };
    const double he = std::sqrt(2.0 / (9 * s.channels));
    fill("filter_first", std::sqrt(2.0 / 9));
    fill("filters", he);
    fill("filter_last", 0.2 * he);
    fill("bias", 0.05);
    fill("bias_last", 0.05);
    return inputs;
}

Buffer random_picture(const VdsrSizes& s) {
    auto picture = make_buffer(ScalarType::U8,
                               {3, (s.h + s.scale - 1) / s.scale, (s.w + s.scale - 1) / s.scale})
                       .value();
    std::mt19937 generator(5);
    for (std::int64_t n = 0; n < picture.count(); ++n)
        picture.as<std::uint8_t>()[n] = std::uint8_t(generator() >> 24);
    return picture;
}

// A part of the photograph about the rocket on its pad, made smaller by means over 3 x 3 pixels.
Buffer photograph(const VdsrSizes& s) {
    const auto whole = read_png(source_path("resources/images/rocket.png")).value();
    const auto rows = whole.extents[1], columns = whole.extents[2];
    auto picture = random_picture(s);
    const auto top = 186 - 3 * (picture.extents[1] / 2), left = 330 - 3 * (picture.extents[2] / 2);
    auto* to = picture.as<std::uint8_t>();
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < picture.extents[1]; ++y)
            for (int x = 0; x < picture.extents[2]; ++x) {
                int sum = 0;
                for (int n = 0; n < 9; ++n)
                    sum += whole.as<std::uint8_t>()[(c * rows + top + 3 * y + n / 3) * columns +
                                                    left + 3 * x + n % 3];
                *to++ = std::uint8_t(sum / 9);
            }
    return picture;
}

independent::VdsrWeights weights(const Buffers& inputs) {
    return {values<float>(inputs.at("filter_first")), values<float>(inputs.at("filters")),
            values<float>(inputs.at("filter_last")), values<float>(inputs.at("bias")),
            values<float>(inputs.at("bias_last"))[0]};
}

void agrees(const VdsrSizes& s, const Buffers& inputs) {
    for (const auto& run : runs_of("vdsr", params(s), inputs)) {
        // The shipped schedule contracts the convolutions, and nothing else.
        auto expected = independent::vdsr(
            s, values<std::uint8_t>(inputs.at("low")), weights(inputs),
            run.shipped ? independent::Accumulation::fused : independent::Accumulation::separate);
        same(run.actual.at("correction"), expected.correction);
        same(run.actual.at("out"), expected.out);
    }
}

TEST(Vdsr, AgreesWithIndependentCode) {
    // A tile of the shipped schedule is 8 pixels by 32 channels with 16 lanes, a task 16 rows.
    for (const auto& s :
         in_turn<VdsrSizes>({{1, 1, 2, 1, 20}, {18, 5, 3, 2, 20}, {3, 11, 2, 33, 20}})) {
        auto inputs = random_weights(s);
        inputs["low"] = random_picture(s);
        agrees(s, inputs);
    }
}

// Without weights the network corrects nothing, and what remains is the interpolation, which is
// checked by its kernel.
TEST(Vdsr, WithoutWeightsInterpolatesAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(1, 3);
    const VdsrSizes s{24, 20, 3, 1, 20};
    auto inputs = no_weights(s);
    inputs["low"] = photograph(s);
    auto expected = independent::bicubic(s, values<std::uint8_t>(inputs.at("low")));
    for (const auto& run : runs_of("vdsr", params(s), inputs)) {
        auto got = values<std::uint8_t>(run.actual.at("out"));
        for (std::size_t n = 0; n < got.size(); ++n)
            ASSERT_LE(std::fabs(got[n] - 255 * std::clamp(expected[n], 0.0, 1.0)), 0.501) << n;
    }
}

// Weights that sharpen: the first layer makes the positive and the negative part of the second
// differences, the others pass them on, and the last subtracts a part of them. Every layer must do
// its share, or nothing arrives.
TEST(Vdsr, WeightsThatSharpenAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(2, 3);
    const VdsrSizes s{24, 20, 2, 4, 20};
    const double strength = 0.5;
    auto inputs = no_weights(s);
    inputs["low"] = photograph(s);
    auto weight = [&](const char* name, int at) -> float& {
        return inputs.at(name).as<float>()[at];
    };
    for (int tap : {1, 3, 4, 5, 7}) {
        const float difference = tap == 4 ? -4.0f : 1.0f;
        weight("filter_first", tap * s.channels + 0) = difference;
        weight("filter_first", tap * s.channels + 1) = -difference;
    }
    for (int l = 0; l < s.layers - 2; ++l)
        for (int c : {0, 1})
            weight("filters", ((l * 9 + 4) * s.channels + c) * s.channels + c) = 1;
    weight("filter_last", 4 * s.channels + 0) = float(-strength);
    weight("filter_last", 4 * s.channels + 1) = float(strength);

    auto smooth = independent::bicubic(s, values<std::uint8_t>(inputs.at("low")));
    auto at = [&](int y, int x) {
        bool inside = y >= 0 && y < s.h && x >= 0 && x < s.w;
        return inside ? smooth[std::size_t(y * s.w + x)] : 0.0;
    };
    for (const auto& run : runs_of("vdsr", params(s), inputs)) {
        auto got = values<float>(run.actual.at("correction"));
        double most = 0;
        for (int y = 0; y < s.h; ++y)
            for (int x = 0; x < s.w; ++x) {
                double second =
                    at(y - 1, x) + at(y + 1, x) + at(y, x - 1) + at(y, x + 1) - 4 * at(y, x);
                // f32 against double: some ten roundings of values up to 4.
                ASSERT_NEAR(got[std::size_t(y * s.w + x)], -strength * second, 5e-6)
                    << y << ", " << x;
                if (y > 0 && y < s.h - 1 && x > 0 && x < s.w - 1)
                    most = std::max(most, std::fabs(second));
            }
        EXPECT_GT(most, 0.05); // there is something to sharpen
    }
}

} // namespace test_vdsr
