// Non-local means under its default and shipped schedules: against the reference interpreter,
// independent code, and what it is for.

#include "compiler/run/png.h"
#include "tests/programs/independent_non_local_means.h"
#include "tests/programs/runs.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

using namespace loopscope;
using namespace loopscope::test;

namespace test_non_local_means {

// Up to `patch` all numbers are whole and exact. Then a weight is off by a few roundings, or many
// where the exponent is large, but there the weight is next to nothing beside the pixel's own,
// which is 1; two sums of 49 terms follow, each within 49 roundings of 2^-24. Together that is
// below 1e-5 of 255; rounding to bytes may differ where a half is nearer.
constexpr double kBound = 1e-5 * 255;

void agrees(const Buffer& actual, const std::vector<double>& expected) {
    auto got = values<std::uint8_t>(actual);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t n = 0; n < got.size(); ++n)
        ASSERT_LE(std::fabs(got[n] - expected[n]), 0.5 + kBound) << "element " << n;
}

// Noise on two shades of grey with an edge between them. Of bytes of any value no two patches would
// be alike, and all weights next to nothing.
Buffers noisy_edge(int h, int w) {
    auto img = make_buffer(ScalarType::U8, {3, h, w}).value();
    std::mt19937 generator(3);
    for (std::int64_t n = 0; n < img.count(); ++n)
        img.as<std::uint8_t>()[n] = std::uint8_t((n % w < w / 2 ? 60 : 140) + generator() % 64);
    return {{"img", img}};
}

TEST(NonLocalMeans, AgreesWithIndependentCode) {
    // A tile of the shipped schedule is 16 x 256.
    for (auto [h, w] : {std::pair{1, 1}, {5, 3}, {35, 41}, {17, 275}}) {
        auto inputs = noisy_edge(h, w);
        auto expected = independent::non_local_means(h, w, values<std::uint8_t>(inputs.at("img")));
        for (const auto& run : runs_of("non_local_means", {{"H", h}, {"W", w}}, inputs))
            agrees(run.actual.at("out"), expected);
    }
}

// A part of the photograph, 120 x 80: the tip of the rocket.
Buffer photograph(int h, int w) {
    auto whole = read_png(source_path("resources/images/rocket.png")).value();
    auto part = make_buffer(ScalarType::U8, {3, h, w}).value();
    const auto rows = whole.extents[1], columns = whole.extents[2];
    auto* to = part.as<std::uint8_t>();
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                *to++ = whole.as<std::uint8_t>()[(c * rows + y + 120) * columns + x + 280];
    return part;
}

double mean_square(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
    double sum = 0;
    for (std::size_t n = 0; n < a.size(); ++n)
        sum += (a[n] - b[n]) * (a[n] - b[n]);
    return sum / double(a.size());
}

TEST(NonLocalMeans, TakesNoiseOutOfAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(2, 3);
    const int h = 80, w = 120;
    auto clean = photograph(h, w);
    auto noisy = clean;
    std::mt19937 generator(5);
    std::normal_distribution<double> noise(0, 20);
    for (std::int64_t n = 0; n < noisy.count(); ++n) {
        auto& value = noisy.as<std::uint8_t>()[n];
        value = std::uint8_t(std::clamp(std::lround(value + noise(generator)), 0L, 255L));
    }
    auto expected = independent::non_local_means(h, w, values<std::uint8_t>(noisy));
    for (const auto& run : runs_of("non_local_means", {{"H", h}, {"W", w}}, {{"img", noisy}})) {
        agrees(run.actual.at("out"), expected);
        EXPECT_LT(
            mean_square(values<std::uint8_t>(run.actual.at("out")), values<std::uint8_t>(clean)),
            0.25 * mean_square(values<std::uint8_t>(noisy), values<std::uint8_t>(clean)));
    }
}

} // namespace test_non_local_means
