// The camera pipeline under its default and shipped schedule, compiled, against the reference
// interpreter and independent code: bit for bit on random data, and on a photograph that a
// simulated sensor took.

#include "compiler/run/png.h"
#include "tests/programs/independent_camera_pipe.h"
#include "tests/programs/runs.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <array>

using namespace loopscope;
using namespace loopscope::test;

namespace test_camera_pipe {

Params params_of(int h, int w, const independent::Development& d) {
    return {{"H", h},
            {"W", w},
            {"KELVIN", d.kelvin},
            {"BLACK", d.black},
            {"WHITE", d.white},
            {"CONTRAST", d.contrast},
            {"SHARPEN", d.sharpen}};
}

// Bits can be equal where no entry of the curve or of the matrix is so near a tie that f32 may
// round it otherwise. An entry of the curve is at most 255; its `pow` is within 4 ulp, and half a
// dozen operations follow. An entry of the matrix is below 2^14 in 256ths, where five roundings of
// half an ulp are 0.003.
void expect_no_ties(const independent::Development& d) {
    EXPECT_GT(independent::least_distance_of_curve_to_tie(d), 0.0005);
    EXPECT_GT(independent::least_distance_of_matrix_to_tie(d), 0.003);
}

TEST(CameraPipe, AgreesWithReferenceAndIndependentCode) {
    independent::Development standard;
    expect_no_ties(standard);
    // One pixel; below a vector, odd; tails of vectors and of strips; whole vectors and strips.
    for (auto [h, w] : {std::pair{1, 1}, {5, 7}, {61, 83}, {88, 128}})
        for (const auto& run : runs_of("camera_pipe", params_of(h, w, standard)))
            same(run.actual.at("out"),
                 independent::camera_pipe(h, w, standard,
                                          values<std::uint16_t>(run.inputs.at("raw"))));
}

// Another sensor, another light, another taste.
TEST(CameraPipe, TakesParams) {
    LOOPSCOPE_TEST_IN_TURN(1, 3);
    independent::Development d{5000, 40, 951, 30, 100};
    expect_no_ties(d);
    for (const auto& run : runs_of("camera_pipe", params_of(46, 35, d)))
        same(run.actual.at("out"),
             independent::camera_pipe(46, 35, d, values<std::uint16_t>(run.inputs.at("raw"))));
}

// The photograph, a quarter as wide and high: the mean of four by four pixels.
std::vector<std::uint8_t> reduced_photograph(int& h, int& w) {
    auto photograph = read_png(source_path("resources/images/rocket.png"));
    if (!photograph)
        throw std::runtime_error(format(photograph.errors()));
    auto pixels = values<std::uint8_t>(*photograph);
    int height = static_cast<int>(photograph->extents[1]),
        width = static_cast<int>(photograph->extents[2]);
    h = height / 4;
    w = width / 4;
    std::vector<std::uint8_t> out;
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                int sum = 8;
                for (int i = 0; i < 16; ++i)
                    sum += pixels[static_cast<std::size_t>((c * height + 4 * y + i / 4) * width +
                                                           4 * x + i % 4)];
                out.push_back(static_cast<std::uint8_t>(sum / 16));
            }
    return out;
}

// The difference over all pixels and colours.
struct Difference {
    double squared = 0;           // the mean of the squares
    std::array<double, 3> mean{}; // of each colour
};

Difference difference(int h, int w, const std::vector<std::uint8_t>& planar,
                      const std::vector<std::uint8_t>& interleaved) {
    Difference out;
    auto count = static_cast<std::size_t>(h * w);
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t at = 0; at < count; ++at) {
            double d = double(interleaved[3 * at + c]) - double(planar[c * count + at]);
            out.squared += d * d / double(3 * count);
            out.mean[c] += d / double(count);
        }
    return out;
}

// The sensor's data of a known picture must develop into that picture, in whatever light it was
// taken, and although some of the sensor's pixels are stuck at white.
TEST(CameraPipe, DevelopsAPhotograph) {
    LOOPSCOPE_TEST_IN_TURN(2, 3);
    int h = 0, w = 0;
    auto photograph = reduced_photograph(h, w);
    for (int kelvin : {3700, 6500}) {
        independent::Development d;
        d.kelvin = kelvin;
        d.sharpen = 0; // the photograph is sharp as it is
        expect_no_ties(d);
        auto data = independent::exposed(h, w, d, photograph);
        for (std::size_t at = 100; at < data.size(); at += 499)
            data[at] = 1023;
        Buffer raw = std::move(make_buffer(ScalarType::U16, {h + 24, w + 32})).value();
        std::copy(data.begin(), data.end(), raw.as<std::uint16_t>());
        for (const auto& run : runs_of("camera_pipe", params_of(h, w, d), {{"raw", raw}})) {
            auto developed = values<std::uint8_t>(run.actual.at("out"));
            EXPECT_EQ(developed, independent::camera_pipe(h, w, d, data));
            auto off = difference(h, w, photograph, developed);
            // It differs at edges, by what interpolation has to guess: 112 and 66. Developed for
            // the light of the other one a picture is 1400 off, and the stuck pixels would add more
            // than 100.
            EXPECT_LT(off.squared, 150);
            for (double mean : off.mean)
                EXPECT_LT(std::fabs(mean), 1);
        }
    }
}

} // namespace test_camera_pipe
