// Programs that take one picture, on the photograph under their shipped schedules: against
// independent code bit for bit, and by what each promises. Those that take more than a picture are
// tried on it in files of their own.

#include "tests/programs/independent.h"
#include "tests/programs/photograph.h"
#include "tests/programs/program_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

using namespace loopscope;
using namespace loopscope::test;

namespace test_photographs {

template <typename T>
Buffer buffer(ScalarType type, std::vector<std::int64_t> extents, const std::vector<T>& from) {
    auto out = make_buffer(type, std::move(extents)).value();
    std::copy(from.begin(), from.end(), out.as<T>());
    return out;
}

Buffer colours(const Photograph& photo) {
    return buffer(ScalarType::U8, {3, photo.h, photo.w}, photo.pixels);
}

Buffers shipped(const std::string& name, int h, int w, const Buffers& inputs) {
    return run_compiled(load_bundled(name, {{"H", h}, {"W", w}}, true), inputs, 2);
}

// Green, as a number of another type and scale.
template <typename T> std::vector<T> green(const Photograph& photo, T scale) {
    std::vector<T> out;
    for (auto at = photo.pixels.begin() + photo.h * photo.w, end = at + photo.h * photo.w;
         at != end; ++at)
        out.push_back(static_cast<T>(T(*at) * scale));
    return out;
}

// The three bytes of a pixel in one word, as mask and transpose_mask take them.
std::vector<std::int32_t> packed(const Photograph& photo) {
    std::vector<std::int32_t> out;
    const auto plane = static_cast<std::size_t>(photo.h * photo.w);
    for (std::size_t n = 0; n < plane; ++n)
        out.push_back(photo.pixels[n] << 16 | photo.pixels[plane + n] << 8 |
                      photo.pixels[2 * plane + n]);
    return out;
}

// All bits in the left half, two of each colour in the right one.
std::vector<std::int32_t> allowed(int h, int w) {
    std::vector<std::int32_t> out;
    for (int n = 0; n < h * w; ++n)
        out.push_back(n % w < w / 2 ? 0xffffff : 0xc0c0c0);
    return out;
}

// How much neighbours in a row of w differ, in all.
template <typename T> double contrast(const std::vector<T>& picture, int w) {
    double sum = 0;
    for (std::size_t n = 1; n < picture.size(); ++n)
        if (n % static_cast<std::size_t>(w) != 0)
            sum += std::abs(double(picture[n]) - double(picture[n - 1]));
    return sum;
}

template <typename T> double mean(const std::vector<T>& picture) {
    return std::accumulate(picture.begin(), picture.end(), 0.0) / double(picture.size());
}

TEST(Photographs, Copy) {
    auto photo = photograph(2);
    auto img = green(photo, 1 / 255.0f);
    auto out = shipped("copy", photo.h, photo.w,
                       {{"img", buffer(ScalarType::F32, {photo.h, photo.w}, img)}});
    EXPECT_EQ(values<float>(out.at("out")), img);
}

TEST(Photographs, Blur) {
    auto photo = photograph(2);
    auto img = green(photo, std::uint16_t(64)); // 14 bits
    const int h = photo.h - 2, w = photo.w - 2;
    auto result =
        shipped("blur", h, w, {{"img", buffer(ScalarType::U16, {photo.h, photo.w}, img)}});
    auto out = values<std::uint16_t>(result.at("out"));
    EXPECT_EQ(out, independent::blur(h, w, img));
    EXPECT_LT(contrast(out, w), 0.8 * contrast(img, photo.w));
}

TEST(Photographs, StencilChain) {
    auto photo = photograph(2);
    auto img = green(photo, std::uint16_t(4)); // 10 bits
    auto result = shipped("stencil_chain", photo.h, photo.w,
                          {{"img", buffer(ScalarType::U16, {photo.h, photo.w}, img)}});
    auto out = values<std::uint16_t>(result.at("out"));
    EXPECT_EQ(out, independent::stencil_chain(photo.h, photo.w, img));
    // Each of 32 stages rounds down: half a step, on average.
    EXPECT_NEAR(mean(out), mean(img) - 16, 8);
    EXPECT_LT(contrast(out, photo.w), contrast(img, photo.w) / 2);
}

TEST(Photographs, Unsharp) {
    auto photo = photograph(2);
    auto result = shipped("unsharp", photo.h, photo.w, {{"img", colours(photo)}});
    auto out = values<std::uint8_t>(result.at("out"));
    EXPECT_EQ(out, independent::unsharp(photo.h, photo.w, photo.pixels));
    EXPECT_GT(contrast(out, photo.w), 1.5 * contrast(photo.pixels, photo.w));
    EXPECT_NEAR(mean(out), mean(photo.pixels), 2);
}

TEST(Photographs, IirBlur) {
    auto photo = photograph(2);
    auto result = shipped("iir_blur", photo.h, photo.w, {{"img", colours(photo)}});
    auto out = values<std::uint8_t>(result.at("out"));
    EXPECT_EQ(out, independent::iir_blur(photo.h, photo.w, photo.pixels));
    EXPECT_LT(contrast(out, photo.w), contrast(photo.pixels, photo.w) / 3);
    EXPECT_NEAR(mean(out), mean(photo.pixels), 3);
}

TEST(Photographs, HistogramEqualise) {
    auto photo = photograph(2);
    auto result = shipped("histogram_equalise", photo.h, photo.w, {{"img", colours(photo)}});
    auto out = values<std::uint8_t>(result.at("out"));
    EXPECT_EQ(out, independent::histogram_equalise(photo.h, photo.w, photo.pixels));
    // A dark evening becomes as bright as it is dark.
    EXPECT_LT(mean(photo.pixels), 80);
    EXPECT_NEAR(mean(out), 128, 15);
}

TEST(Photographs, MaxFilter) {
    auto photo = photograph(4);
    std::vector<float> img;
    for (auto value : photo.pixels)
        img.push_back(float(value) / 255.0f);
    auto result = shipped("max_filter", photo.h, photo.w,
                          {{"img", buffer(ScalarType::F32, {3, photo.h, photo.w}, img)}});
    auto out = values<float>(result.at("out"));
    EXPECT_EQ(out, independent::max_filter(photo.h, photo.w, img));
    EXPECT_TRUE(std::equal(out.begin(), out.end(), img.begin(), std::greater_equal<>()));
}

// The lattices of the towers have corners, the sky between them has none.
TEST(Photographs, Harris) {
    auto photo = photograph(1);
    auto result = shipped("harris", photo.h, photo.w, {{"img", colours(photo)}});
    auto expected = independent::harris(photo.h, photo.w, photo.pixels);
    EXPECT_EQ(values<float>(result.at("out")), expected.out);
    auto corners = values<std::uint8_t>(result.at("corners"));
    EXPECT_EQ(corners, expected.corners);
    auto marked = [&](int top, int bottom, int left, int right) {
        int count = 0;
        for (int y = top; y < bottom; ++y)
            for (int x = left; x < right; ++x)
                count += corners[static_cast<std::size_t>(y * photo.w + x)] == 255 ? 1 : 0;
        return count;
    };
    EXPECT_EQ(marked(0, 300, 215, 295), 0);
    EXPECT_EQ(marked(0, 300, 350, 435), 0);
    EXPECT_GT(marked(130, 380, 0, 90), 200);
    EXPECT_GT(marked(250, 427, 565, 640), 200);
}

TEST(Photographs, Mask) {
    auto photo = photograph(2);
    auto img = packed(photo), bits = allowed(photo.h, photo.w);
    auto result = shipped("mask", photo.h, photo.w,
                          {{"img", buffer(ScalarType::I32, {photo.h, photo.w}, img)},
                           {"allowed", buffer(ScalarType::I32, {photo.h, photo.w}, bits)}});
    EXPECT_EQ(values<std::int32_t>(result.at("out")),
              independent::mask(photo.h, photo.w, img, bits));
}

TEST(Photographs, Transpose) {
    auto photo = photograph(2);
    auto img = green(photo, 1 / 255.0f);
    auto turned = shipped("transpose", photo.w, photo.h,
                          {{"img", buffer(ScalarType::F32, {photo.h, photo.w}, img)}});
    EXPECT_EQ(values<float>(turned.at("out")), independent::transpose(photo.w, photo.h, img));
    auto back = shipped("transpose", photo.h, photo.w, {{"img", turned.at("out")}});
    EXPECT_EQ(values<float>(back.at("out")), img);
}

TEST(Photographs, TransposeMask) {
    auto photo = photograph(2);
    auto img = packed(photo), bits = allowed(photo.w, photo.h);
    auto result = shipped("transpose_mask", photo.w, photo.h,
                          {{"img", buffer(ScalarType::I32, {photo.h, photo.w}, img)},
                           {"allowed", buffer(ScalarType::I32, {photo.w, photo.h}, bits)}});
    EXPECT_EQ(values<std::int32_t>(result.at("out")),
              independent::transpose_mask(photo.w, photo.h, img, bits));
}

} // namespace test_photographs
