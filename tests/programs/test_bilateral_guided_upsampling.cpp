// Bilateral guided upsampling under its default and shipped schedules: against the reference
// interpreter, independent code, and what it is for.

#include "compiler/run/png.h"
#include "tests/programs/independent_bilateral_guided_upsampling.h"
#include "tests/programs/runs.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

using namespace loopscope;
using namespace loopscope::test;

namespace test_bilateral_guided_upsampling {

using Sizes = independent::GuidedUpsamplingSizes;

Params params(const Sizes& sizes) {
    return {{"H", sizes.h}, {"W", sizes.w}, {"DOWN", sizes.down}, {"S", sizes.s}, {"Z", sizes.z}};
}

Buffer picture(int h, int w) { return make_buffer(ScalarType::F32, {3, h, w}).value(); }

Buffer random_picture(int h, int w, unsigned seed, float least = 0, float greatest = 1) {
    auto img = picture(h, w);
    std::mt19937 generator(seed);
    std::uniform_real_distribution<float> brightness(least, greatest);
    for (std::int64_t n = 0; n < img.count(); ++n)
        img.as<float>()[n] = brightness(generator);
    return img;
}

// The mean of each square of `down` x `down` pixels, or of what is left of it at the border.
Buffer smaller(const Buffer& img, int down) {
    const int h = int(img.extents[1]), w = int(img.extents[2]);
    auto to = picture((h + down - 1) / down, (w + down - 1) / down);
    auto* out = to.as<float>();
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < h; y += down)
            for (int x = 0; x < w; x += down) {
                double sum = 0;
                int count = 0;
                for (int r = y; r < std::min(y + down, h); ++r)
                    for (int q = x; q < std::min(x + down, w); ++q, ++count)
                        sum += img.as<float>()[(std::int64_t(c) * h + r) * w + q];
                *out++ = float(sum / count);
            }
    return to;
}

template <typename F> Buffer each(const Buffer& img, F f) {
    auto to = img;
    for (std::int64_t n = 0; n < to.count(); ++n)
        to.as<float>()[n] = f(to.as<float>()[n]);
    return to;
}

// The runs, each held to the independent code.
std::vector<Runs> agrees(const Sizes& sizes, const Buffers& given) {
    auto expected = independent::bilateral_guided_upsampling(
        sizes, values<float>(given.at("before")), values<float>(given.at("after")),
        values<float>(given.at("img")));
    auto runs = runs_of("bilateral_guided_upsampling", params(sizes), given);
    for (const auto& run : runs)
        same(run.actual.at("out"), expected);
    return runs;
}

TEST(BilateralGuidedUpsampling, AgreesWithIndependentCode) {
    // A tile of the shipped schedule is 16 x 16; a cell is `down * s` pixels wide. Beyond 0 to 1
    // the levels end.
    for (const auto& sizes : {Sizes{1, 1}, Sizes{37, 53, 3, 2, 5}, Sizes{33, 70, 2, 5, 1}})
        agrees(sizes, {{"before", random_picture(sizes.small_h(), sizes.small_w(), 1, -0.2f, 1.2f)},
                       {"after", random_picture(sizes.small_h(), sizes.small_w(), 2, -0.2f, 1.2f)},
                       {"img", random_picture(sizes.h, sizes.w, 3, -0.2f, 1.2f)}});
}

// A filter that is one affine map of colours everywhere is found exactly, but for the pull of
// LAMBDA = 1e-5, and applied to pixels of any colour.
TEST(BilateralGuidedUpsampling, FindsAnAffineFilter) {
    LOOPSCOPE_TEST_IN_TURN(1, 3);
    const Sizes sizes{48, 64, 1, 16, 8};
    const std::array<std::array<float, 4>, 3> map{
        {{0.6f, 0.3f, 0.0f, 0.05f}, {-0.2f, 1.1f, 0.1f, -0.1f}, {0.1f, 0.2f, 0.5f, 0.2f}}};
    auto filtered = [&](const Buffer& img) {
        auto to = img;
        const auto plane = img.count() / 3;
        const float* from = img.as<float>();
        for (std::int64_t n = 0; n < plane; ++n)
            for (std::size_t c = 0; c < 3; ++c)
                to.as<float>()[std::int64_t(c) * plane + n] =
                    map[c][0] * from[n] + map[c][1] * from[plane + n] +
                    map[c][2] * from[2 * plane + n] + map[c][3];
        return to;
    };
    auto before = random_picture(sizes.h, sizes.w, 4);
    // Colours between those of the fit: cells at the dark and at the bright end have few pairs.
    auto img = random_picture(sizes.h, sizes.w, 5, 0.25f, 0.75f);
    auto expected = filtered(img);
    for (const auto& run : runs_of("bilateral_guided_upsampling", params(sizes),
                                   {{"before", before}, {"after", filtered(before)}, {"img", img}}))
        for (std::int64_t n = 0; n < img.count(); ++n)
            ASSERT_NEAR(run.actual.at("out").as<float>()[n], expected.as<float>()[n], 2e-3f)
                << "element " << n;
}

// The photograph at half its size, and a curve that brightens what is dark. The result must be
// close to the curve applied to the large picture: much closer than the small result made large,
// which has lost the lattices of the towers.
TEST(BilateralGuidedUpsampling, BringsAToneCurveToAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(0, 3);
    auto rocket = read_png(source_path("resources/images/rocket.png")).value();
    auto whole = picture(int(rocket.extents[1]), int(rocket.extents[2]));
    for (std::int64_t n = 0; n < whole.count(); ++n)
        whole.as<float>()[n] = float(rocket.as<std::uint8_t>()[n]) / 255.0f;
    auto img = smaller(whole, 2);
    const Sizes sizes{int(img.extents[1]), int(img.extents[2]), 4, 16, 8};
    auto curve = [](float v) { return std::sqrt(v); };
    auto before = smaller(img, sizes.down);
    auto after = each(before, curve);
    auto runs = agrees(sizes, {{"before", before}, {"after", after}, {"img", img}});
    const auto& out = runs.back().actual.at("out");
    auto expected = each(img, curve);
    double ours = 0, enlarged = 0;
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < sizes.h; ++y)
            for (int x = 0; x < sizes.w; ++x) {
                auto n = (std::int64_t(c) * sizes.h + y) * sizes.w + x;
                auto coarse =
                    (std::int64_t(c) * sizes.small_h() + y / sizes.down) * sizes.small_w() +
                    x / sizes.down;
                ours += std::fabs(out.as<float>()[n] - expected.as<float>()[n]);
                enlarged += std::fabs(after.as<float>()[coarse] - expected.as<float>()[n]);
            }
    ours /= double(img.count());
    enlarged /= double(img.count());
    EXPECT_LT(ours, 1.5 / 255);
    EXPECT_LT(ours, enlarged / 4);
}

} // namespace test_bilateral_guided_upsampling
