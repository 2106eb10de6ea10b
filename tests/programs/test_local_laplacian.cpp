// The local Laplacian filter under its default and shipped schedule, compiled, against the
// reference interpreter and independent code, on random data and on a photograph; and what the
// filter promises: detail grows, halos do not.

#include "compiler/run/png.h"
#include "tests/programs/independent_local_laplacian.h"
#include "tests/programs/runs.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

using namespace loopscope;
using namespace loopscope::test;

namespace test_local_laplacian {

Params params_of(int h, int w, int steps) { return {{"H", h}, {"W", w}, {"K", steps}}; }

// Both sides compute in the same order, except `exp`: ours is within 4 ulp, the other one within 1.
// With two levels of brightness that is 2e-7 in the curve, with more it is less; in a remapped
// brightness, whose sum may round to the next float, 2.6e-7. The pyramids take weighted means: an
// error does not grow, but each of the four roundings of a stage may go another way, 6e-8 at a
// time. Level j of the Laplacian pyramid is a difference of values behind 2j and 2j + 4 such
// stages; all eight levels and the stages that collapse them add up to less than 4.5e-5. A factor
// of 255 and, for pure blue, of 1.01/(0.114 + 0.01) makes 0.1. The rest is the half that rounding
// to a byte may take.
constexpr float kByteError = 0.5F + 0.1F;

void expect_close(const Buffer& actual, const std::vector<float>& expected) {
    auto bytes = values<std::uint8_t>(actual);
    ASSERT_EQ(bytes.size(), expected.size());
    for (std::size_t n = 0; n < bytes.size(); ++n)
        ASSERT_NEAR(float(bytes[n]), std::clamp(expected[n], 0.0F, 255.0F), kByteError)
            << "element " << n;
}

TEST(LocalLaplacian, AgreesWithReferenceAndIndependentCode) {
    struct Case {
        int h, w, steps;
    };
    // One pixel, where all levels are one pixel; below a vector; a tail behind two pieces of 128
    // pixels at level 0 and behind one at level 1, and of a strip. Also other numbers of levels of
    // brightness. Whole pieces and strips are below.
    for (auto [h, w, steps] : {Case{1, 1, 8}, {5, 3, 2}, {70, 275, 11}})
        for (const auto& run : runs_of("local_laplacian", params_of(h, w, steps)))
            expect_close(run.actual.at("out"),
                         independent::local_laplacian(h, w, steps,
                                                      values<std::uint8_t>(run.inputs.at("img"))));
}

// Three planes from a function of row and column.
template <typename F> Buffer picture(int h, int w, F&& value) {
    auto made = make_buffer(ScalarType::U8, {3, h, w});
    if (!made)
        throw std::runtime_error(format(made.errors()));
    Buffer out = std::move(*made);
    std::uint8_t* at = out.as<std::uint8_t>();
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                *at++ = static_cast<std::uint8_t>(value(c, y, x));
    return out;
}

// Every third pixel of the photograph, so that it stays sharp.
Buffer small_photograph(int& h, int& w) {
    auto photograph = read_png(source_path("resources/images/rocket.png"));
    if (!photograph)
        throw std::runtime_error(format(photograph.errors()));
    auto pixels = values<std::uint8_t>(*photograph);
    int height = static_cast<int>(photograph->extents[1]),
        width = static_cast<int>(photograph->extents[2]);
    h = height / 3;
    w = width / 3;
    return picture(h, w, [&](int c, int y, int x) {
        return pixels[static_cast<std::size_t>((c * height + 3 * y) * width + 3 * x)];
    });
}

TEST(LocalLaplacian, OnAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(1, 3);
    int h = 0, w = 0;
    Buffer photograph = small_photograph(h, w);
    auto expected = independent::local_laplacian(h, w, 8, values<std::uint8_t>(photograph));
    for (const auto& run : runs_of("local_laplacian", params_of(h, w, 8), {{"img", photograph}}))
        expect_close(run.actual.at("out"), expected);
}

// One row of the result under the shipped schedule.
std::vector<int> row_of_result(const Buffer& img) {
    int h = static_cast<int>(img.extents[1]), w = static_cast<int>(img.extents[2]);
    auto program = load_bundled("local_laplacian", params_of(h, w, 8), true);
    Buffer out = run_compiled(program, {{"img", img}}, 2).at("out");
    expect_close(out, independent::local_laplacian(h, w, 8, values<std::uint8_t>(img)));
    auto bytes = values<std::uint8_t>(out);
    auto row = bytes.begin() + std::ptrdiff_t(h / 2) * w;
    return {row, row + w};
}

TEST(LocalLaplacian, DetailGrows) {
    // A checkerboard of two by two pixels, 6 from dark to bright.
    auto row = row_of_result(picture(
        64, 96, [](int, int y, int x) { return 100 + ((y / 2 + x / 2) % 2 == 0 ? -3 : 3); }));
    for (std::size_t x = 0; x + 2 < row.size(); ++x) {
        EXPECT_GE(std::abs(row[x + 2] - row[x]), 9) << x;
        EXPECT_LE(std::abs(row[x + 2] - row[x]), 12) << x; // the slope is at most 1 + ALPHA
    }
}

TEST(LocalLaplacian, AnEdgeGrowsNoHalo) {
    // Two flat sides, five times SIGMA apart: as far from the edge as the picture goes, so must
    // each side be next to it. A filter that adds back what a blur of the same width took away is
    // off by some tens here.
    constexpr int w = 128;
    auto row = row_of_result(
        picture(64, w, [](int, int, int x) { return x < w / 2 ? 60 : 60 + 255 * 5 / 7; }));
    for (int x = 0; x < w; ++x) {
        int far = x < w / 2 ? row[0] : row[w - 1];
        EXPECT_NEAR(row[static_cast<std::size_t>(x)], far, 4) << x;
    }
    // Nor is the edge itself any weaker.
    EXPECT_GE(row[w / 2] - row[w / 2 - 1], 255 * 5 / 7 - 4);
}

} // namespace test_local_laplacian
