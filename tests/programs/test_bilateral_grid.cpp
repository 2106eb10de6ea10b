// The bilateral grid under its default and shipped schedules: against the reference interpreter,
// independent code, and what it is for.

#include "compiler/run/png.h"
#include "tests/programs/independent_bilateral_grid.h"
#include "tests/programs/runs.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <random>

using namespace loopscope;
using namespace loopscope::test;

namespace test_bilateral_grid {

Buffer picture(int h, int w) { return make_buffer(ScalarType::F32, {h, w}).value(); }

// Somewhat beyond 0 to 1 on either side, where the levels end.
Buffer random_picture(int h, int w) {
    auto img = picture(h, w);
    std::mt19937 generator(11);
    std::uniform_real_distribution<float> brightness(-0.2f, 1.2f);
    for (std::int64_t n = 0; n < img.count(); ++n)
        img.as<float>()[n] = brightness(generator);
    return img;
}

TEST(BilateralGrid, AgreesWithIndependentCode) {
    // A strip of the shipped schedule is 32 rows, and eight cells, 64 columns, are splatted
    // together.
    for (auto [h, w] : {std::pair{1, 1}, {37, 53}, {70, 131}})
        for (const auto& run :
             runs_of("bilateral_grid", {{"H", h}, {"W", w}}, {{"img", random_picture(h, w)}}))
            same(run.actual.at("out"),
                 independent::bilateral_grid({h, w}, values<float>(run.inputs.at("img"))));
}

TEST(BilateralGrid, OtherCells) {
    const int h = 41, w = 70;
    for (auto [s, z] : {std::pair{5, 3}, {64, 20}})
        for (const auto& run : runs_of("bilateral_grid", {{"H", h}, {"W", w}, {"S", s}, {"Z", z}},
                                       {{"img", random_picture(h, w)}}))
            same(run.actual.at("out"),
                 independent::bilateral_grid({h, w, s, z}, values<float>(run.inputs.at("img"))));
}

TEST(BilateralGrid, Photograph) {
    LOOPSCOPE_TEST_IN_TURN(2, 3);
    auto rocket = read_png(source_path("resources/images/rocket.png")).value();
    const int h = int(rocket.extents[1]), w = int(rocket.extents[2]);
    auto img = picture(h, w);
    for (std::int64_t n = 0; n < img.count(); ++n) // its green channel
        img.as<float>()[n] = float(rocket.as<std::uint8_t>()[img.count() + n]) / 255.0f;
    auto expected = independent::bilateral_grid({h, w}, values<float>(img));
    for (const auto& run : runs_of("bilateral_grid", {{"H", h}, {"W", w}}, {{"img", img}}))
        same(run.actual.at("out"), expected);
}

// Two halves with noise: the noise goes, and the edge between them stays, also for the pixels
// beside it.
TEST(BilateralGrid, TakesNoiseOutAndKeepsAnEdge) {
    const int h = 64, w = 96;
    constexpr float dark = 0.2f, bright = 0.8f, amplitude = 0.05f;
    auto side = [](std::int64_t n) { return n % w < 43 ? dark : bright; };
    auto img = picture(h, w);
    std::mt19937 generator(3);
    std::uniform_real_distribution<float> noise(-amplitude, amplitude);
    for (std::int64_t n = 0; n < img.count(); ++n)
        img.as<float>()[n] = side(n) + noise(generator);
    for (const auto& run : runs_of("bilateral_grid", {{"H", h}, {"W", w}}, {{"img", img}}))
        for (std::int64_t n = 0; n < img.count(); ++n)
            ASSERT_NEAR(run.actual.at("out").as<float>()[n], side(n), 0.25f * amplitude)
                << "row " << n / w << ", column " << n % w;
}

} // namespace test_bilateral_grid
