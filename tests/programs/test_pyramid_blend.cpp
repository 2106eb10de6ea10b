// pyramid_blend: against independent code, bit for bit, and by what it promises: far from the
// mask's edge each picture is as it was, and across the edge there is no step.

#include "tests/programs/independent_pyramid_blend.h"
#include "tests/programs/photograph.h"
#include "tests/programs/runs.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

namespace test_pyramid_blend {

using Bytes = std::vector<std::uint8_t>;

Buffer buffer(std::vector<std::int64_t> extents, const Bytes& bytes) {
    auto out = make_buffer(ScalarType::U8, std::move(extents)).value();
    std::copy(bytes.begin(), bytes.end(), out.as<std::uint8_t>());
    return out;
}

Buffers inputs(int h, int w, const Bytes& first, const Bytes& second, const Bytes& mask) {
    return {{"first", buffer({3, h, w}, first)},
            {"second", buffer({3, h, w}, second)},
            {"mask", buffer({h, w}, mask)}};
}

// 255 to the left of the column, 0 from it on.
Bytes cut_at(int column, int h, int w) {
    Bytes mask;
    for (int n = 0; n < h * w; ++n)
        mask.push_back(n % w < column ? 255 : 0);
    return mask;
}

TEST(PyramidBlend, AgreesWithIndependentCode) {
    for (auto [h, w] : {std::pair{1, 1}, {37, 653}})
        for (const auto& run : runs_of("pyramid_blend", {{"H", h}, {"W", w}})) {
            auto input = [&, &run = run](const char* name) {
                return values<std::uint8_t>(run.inputs.at(name));
            };
            same(run.actual.at("out"),
                 independent::pyramid_blend(h, w, input("first"), input("second"), input("mask")));
        }
}

// The photograph, and its mirror image in paler colours, joined along a vertical cut.
TEST(PyramidBlend, JoinsPhotographs) {
    LOOPSCOPE_TEST_IN_TURN(2, 3);
    auto photo = photograph(3);
    const int h = photo.h, w = photo.w, cut = w * 2 / 5;
    Bytes second(photo.pixels.size());
    for (int row = 0; row < 3 * h; ++row)
        for (int x = 0; x < w; ++x)
            second[static_cast<std::size_t>(row * w + x)] = static_cast<std::uint8_t>(
                photo.pixels[static_cast<std::size_t>(row * w + w - 1 - x)] * 7 / 10 + 76);
    auto mask = cut_at(cut, h, w);
    auto expected = independent::pyramid_blend(h, w, photo.pixels, second, mask);
    // Level 3 takes a mean over 15 pixels to each side, and enlarging spreads it over as many
    // again.
    const int reach = 32;
    for (const auto& run :
         runs_of("pyramid_blend", {{"H", h}, {"W", w}}, inputs(h, w, photo.pixels, second, mask))) {
        auto out = values<std::uint8_t>(run.actual.at("out"));
        EXPECT_EQ(out, expected);
        double step = 0, hard = 0;
        for (int row = 0; row < 3 * h; ++row) {
            auto at = [&](const Bytes& picture, int x) {
                return int{picture[static_cast<std::size_t>(row * w + x)]};
            };
            for (int x = 0; x < cut - reach; ++x)
                ASSERT_EQ(at(out, x), at(photo.pixels, x)) << "row " << row << ", column " << x;
            for (int x = cut + reach; x < w; ++x)
                ASSERT_EQ(at(out, x), at(second, x)) << "row " << row << ", column " << x;
            step += at(out, cut) - at(out, cut - 1);
            hard += at(second, cut) - at(photo.pixels, cut - 1);
        }
        EXPECT_GT(hard / (3 * h), 40) << "the cut should show";
        EXPECT_LT(step, hard / 8) << "the cut shows in the blended picture";
    }
}

} // namespace test_pyramid_blend
