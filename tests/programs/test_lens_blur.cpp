// Lens blur under its default and shipped schedules: against the reference interpreter, independent
// code, and what it is for.

#include "compiler/run/png.h"
#include "tests/programs/independent_lens_blur.h"
#include "tests/programs/runs.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

using namespace loopscope;
using namespace loopscope::test;

namespace test_lens_blur {

Params params_of(const independent::LensBlurSizes& s) {
    return {{"H", s.h},
            {"W", s.w},
            {"SLICES", s.slices},
            {"FOCUS", s.focus},
            {"SAMPLES", s.samples},
            {"LEVELS", s.levels}};
}

independent::LensBlurResult expected_of(const independent::LensBlurSizes& sizes,
                                        const Buffers& inputs) {
    return independent::lens_blur(sizes, values<std::uint8_t>(inputs.at("left")),
                                  values<std::uint8_t>(inputs.at("right")));
}

void agrees(const Runs& run, const independent::LensBlurResult& expected) {
    same(run.actual.at("depth"), expected.depth);
    same(run.actual.at("out"), expected.out);
}

TEST(LensBlur, AgreesWithIndependentCode) {
    // Both are smaller than every tile, and narrower than what the slices shift by.
    for (auto sizes : {independent::LensBlurSizes{1, 1, 32, 13, 32, 8}, {19, 43, 32, 13, 7, 8}}) {
        std::vector<Runs> runs = runs_of("lens_blur", params_of(sizes));
        auto expected = expected_of(sizes, runs.front().inputs);
        for (const auto& run : runs)
            agrees(run, expected);
    }
}

struct Part {
    int top, left, bottom, right;
};
constexpr Part kRocket{2, 255, 36, 272};
constexpr Part kMast{2, 125, 36, 143}; // in the background

// A strip of the photograph, wider than the widest tile of the shipped schedule, as two cameras see
// it: all of it 4 pixels farther left in the second picture, but the rocket and what is around it
// 14, and so nearer. Slice 2 and slice 7.
Buffers stereo_pair(int h, int w) {
    auto whole = read_png(source_path("resources/images/rocket.png")).value();
    const auto rows = whole.extents[1], columns = whole.extents[2];
    Buffers out{{"left", make_buffer(ScalarType::U8, {3, h, w}).value()},
                {"right", make_buffer(ScalarType::U8, {3, h, w}).value()}};
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < h; ++y) {
            auto* left = out.at("left").as<std::uint8_t>() + (c * h + y) * w;
            auto* right = out.at("right").as<std::uint8_t>() + (c * h + y) * w;
            for (int x = 0; x < w; ++x)
                left[x] = whole.as<std::uint8_t>()[(c * rows + 215 + y) * columns + 60 + x];
            for (int x = 0; x < w; ++x)
                right[x] = left[std::min(x + 4, w - 1)];
            for (int x = 225; x < 295; ++x)
                right[x - 14] = left[x];
        }
    return out;
}

// The share of a part's pixels of which `holds(place)`.
template <typename Holds> double share(const Part& part, int w, Holds holds) {
    int yes = 0, all = 0;
    for (int y = part.top; y < part.bottom; ++y)
        for (int x = part.left; x < part.right; ++x, ++all)
            yes += holds(std::size_t(y * w + x)) ? 1 : 0;
    return double(yes) / all;
}

// How much neighbours in a row differ, in red.
int contrast(const Part& part, int w, const std::vector<std::uint8_t>& picture) {
    int sum = 0;
    for (int y = part.top; y < part.bottom; ++y)
        for (int x = part.left; x < part.right; ++x)
            sum += std::abs(picture[std::size_t(y * w + x + 1)] - picture[std::size_t(y * w + x)]);
    return sum;
}

TEST(LensBlur, KeepsTheNearSharpAndBlursTheFarOfAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(0, 3);
    const independent::LensBlurSizes sizes{38, 530, 12, 7, 32, 8};
    auto pair = stereo_pair(sizes.h, sizes.w);
    auto left = values<std::uint8_t>(pair.at("left"));
    auto expected = expected_of(sizes, pair);
    auto in_slice = [&](int slice) {
        return [&, slice](std::size_t place) { return expected.slice[place] == slice; };
    };
    EXPECT_EQ(share(kRocket, sizes.w, in_slice(7)), 1.0);
    EXPECT_EQ(share(kMast, sizes.w, in_slice(2)), 1.0);
    for (const auto& run : runs_of("lens_blur", params_of(sizes), pair)) {
        agrees(run, expected);
        auto out = values<std::uint8_t>(run.actual.at("out"));
        auto unchanged = [&](std::size_t place) { return out[place] == left[place]; };
        EXPECT_EQ(share(kRocket, sizes.w, unchanged), 1.0);
        EXPECT_LT(share(kMast, sizes.w, unchanged), 0.1);
        EXPECT_LT(contrast(kMast, sizes.w, out), contrast(kMast, sizes.w, left) / 3);
    }
}

} // namespace test_lens_blur
