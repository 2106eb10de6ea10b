// interpolate: against independent code, bit for bit, and by what it promises: known pixels stay,
// holes take the colours around them.

#include "tests/programs/independent_interpolate.h"
#include "tests/programs/photograph.h"
#include "tests/programs/runs.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <random>

using namespace loopscope;
using namespace loopscope::test;

namespace test_interpolate {

using Bytes = std::vector<std::uint8_t>;

Buffer rgba(int h, int w, const Bytes& colours, const Bytes& alpha) {
    auto out = make_buffer(ScalarType::U8, {4, h, w}).value();
    std::copy(colours.begin(), colours.end(), out.as<std::uint8_t>());
    std::copy(alpha.begin(), alpha.end(), out.as<std::uint8_t>() + colours.size());
    return out;
}

std::size_t pixels(int h, int w) { return static_cast<std::size_t>(h * w); }

// 255 for about one pixel in `of`, 0 for the others.
Bytes sparse(int h, int w, unsigned of) {
    std::mt19937 random(11);
    Bytes alpha(pixels(h, w));
    for (auto& a : alpha)
        a = random() % of == 0 ? 255 : 0;
    return alpha;
}

// Bytes at random, alpha among them: every pixel is known in part.
TEST(Interpolate, AgreesWithIndependentCode) {
    for (auto [h, w] : {std::pair{1, 1}, {37, 53}, {70, 530}})
        for (const auto& run : runs_of("interpolate", {{"H", h}, {"W", w}}))
            same(run.actual.at("out"),
                 independent::interpolate(h, w, values<std::uint8_t>(run.inputs.at("img"))));
}

// A photograph of which a few pixels are known, and nothing of one quarter.
TEST(Interpolate, FillsAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(0, 3);
    auto photo = photograph(3);
    auto alpha = sparse(photo.h, photo.w, 6);
    for (int y = 0; y < photo.h / 2; ++y)
        for (int x = 0; x < photo.w / 2; ++x)
            alpha[static_cast<std::size_t>(y * photo.w + x)] = 0;
    auto img = rgba(photo.h, photo.w, photo.pixels, alpha);
    auto expected = independent::interpolate(photo.h, photo.w, values<std::uint8_t>(img));
    for (const auto& run :
         runs_of("interpolate", {{"H", photo.h}, {"W", photo.w}}, {{"img", img}})) {
        auto out = values<std::uint8_t>(run.actual.at("out"));
        EXPECT_EQ(out, expected);
        double error = 0, unknown = 0;
        for (std::size_t n = 0; n < out.size(); ++n)
            if (alpha[n % alpha.size()] == 255) {
                ASSERT_EQ(out[n], photo.pixels[n]) << "a known pixel has changed";
            } else {
                error += std::abs(int{out[n]} - int{photo.pixels[n]});
                ++unknown;
            }
        EXPECT_LT(error / unknown, 16) << "what is filled in is far from the photograph";
    }
}

// Whatever is hidden under alpha 0, a picture of one colour comes out in that colour; and black
// where nothing is known.
TEST(Interpolate, HiddenColoursStayHidden) {
    const int h = 45, w = 77;
    auto alpha = sparse(h, w, 40);
    const Bytes colour{200, 100, 50};
    Bytes colours(3 * pixels(h, w)), expected(colours.size());
    for (std::size_t n = 0; n < colours.size(); ++n) {
        bool known = alpha[n % alpha.size()] == 255;
        expected[n] = colour[n / alpha.size()];
        colours[n] = known ? expected[n] : static_cast<std::uint8_t>(97 * n);
    }
    auto program = load_bundled("interpolate", {{"H", h}, {"W", w}}, true);
    auto result = [&](const Bytes& known) {
        return run_compiled(program, {{"img", rgba(h, w, colours, known)}}, 2).at("out");
    };
    same(result(alpha), expected);
    same(result(Bytes(alpha.size())), Bytes(colours.size()));
}

} // namespace test_interpolate
