#include "tests/programs/independent_camera_pipe.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace independent {

namespace {

using Matrix = std::array<std::array<double, 4>, 3>;

constexpr int kMarginY = 12, kMarginX = 16;
constexpr int kCounts = 1024; // of a sensor with ten bits
constexpr double kGamma = 2.0;
constexpr Matrix kHalogen{{{1.6697, -0.2693, -0.4004, -42.4346},
                           {-0.3576, 1.0615, 1.5949, -37.1158},
                           {-0.2175, -1.8751, 6.9640, -26.6970}}};
constexpr Matrix kOvercast{{{2.2997, -0.4478, 0.1706, -39.0923},
                            {-0.3826, 1.5906, -0.2080, -25.4311},
                            {-0.0888, -0.7344, 2.2832, -20.0826}}};

Matrix matrix_for(int kelvin) {
    double cool = (1.0 / kelvin - 1.0 / 3200) / (1.0 / 7000 - 1.0 / 3200);
    Matrix out;
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 4; ++j)
            out[i][j] = kHalogen[i][j] + cool * (kOvercast[i][j] - kHalogen[i][j]);
    return out;
}

// The curve before it is rounded: from counts to 0..255.
double curve_at(double count, const Development& d) {
    double linear = std::clamp((count - d.black) / (d.white - d.black), 0.0, 1.0);
    double perceived = std::pow(linear, 1.0 / kGamma);
    double slope = 2.0 - std::pow(2.0, d.contrast / 100.0), bend = 2.0 - 2.0 * slope;
    double from_end = std::min(perceived, 1.0 - perceived);
    double parabola = bend * from_end * from_end + slope * from_end;
    return 255.0 * (perceived > 0.5 ? 1.0 - parabola : parabola);
}

std::int16_t wrapped(int value) { return static_cast<std::int16_t>(value); }

int mean(int a, int b) { return (a + b + 1) >> 1; } // halves upwards, also below zero

// An array of h * w that is also there `rim` elements beyond each side.
template <typename T> class Plane {
public:
    Plane(int h, int w, int rim)
        : rim_(rim),
          pitch_(w + 2 * rim),
          data_(static_cast<std::size_t>(h + 2 * rim) * static_cast<std::size_t>(pitch_)) {}
    T& operator()(int y, int x) {
        return data_[static_cast<std::size_t>(y + rim_) * static_cast<std::size_t>(pitch_) +
                     static_cast<std::size_t>(x + rim_)];
    }

private:
    int rim_, pitch_;
    std::vector<T> data_;
};

// f(y, x) for each element of a picture and of `rim` beyond.
template <typename F> void each(int h, int w, int rim, F f) {
    for (int y = -rim; y < h + rim; ++y)
        for (int x = -rim; x < w + rim; ++x)
            f(y, x);
}

bool is_green(int y, int x) { return ((y ^ x) & 1) == 0; }
bool is_row_of_red(int y) { return (y & 1) == 0; }

// Colours of a mosaic. Rims shrink by what each step reads of its neighbours.
class Demosaicking {
public:
    Demosaicking(int h, int w, Plane<std::int16_t>& mosaic)
        : mosaic_(mosaic), green_(h, w, 3), red(h, w, 1), green(h, w, 1), blue(h, w, 1) {
        each(h, w, 3, [&](int y, int x) {
            green_(y, x) = is_green(y, x) ? mosaic_(y, x) : green_between(y, x);
        });
        each(h, w, 1, [&](int y, int x) {
            green(y, x) = green_(y, x);
            auto& here = is_row_of_red(y) ? red(y, x) : blue(y, x);
            auto& other = is_row_of_red(y) ? blue(y, x) : red(y, x);
            if (is_green(y, x)) {
                here = along(y, x, 0, 1); // the colour of this row is to the left and to the right
                other = along(y, x, 1, 0);
            } else {
                here = mosaic_(y, x);
                other = difference(y, x, -1, 1) < difference(y, x, 1, 1) ? along(y, x, -1, 1)
                                                                         : along(y, x, 1, 1);
            }
        });
    }

private:
    int difference(int y, int x, int dy, int dx) {
        return std::abs(mosaic_(y + dy, x + dx) - mosaic_(y - dy, x - dx));
    }
    std::int16_t green_between(int y, int x) {
        int dy = difference(y, x, 0, 1) < difference(y, x, 1, 0) ? 0 : 1, dx = 1 - dy;
        return wrapped(mean(mosaic_(y - dy, x - dx), mosaic_(y + dy, x + dx)));
    }
    // The mean of the two values on a line through y, x, corrected by what green shows it to miss.
    std::int16_t along(int y, int x, int dy, int dx) {
        int missed = green_(y, x) - mean(green_(y - dy, x - dx), green_(y + dy, x + dx));
        return wrapped(missed + mean(mosaic_(y - dy, x - dx), mosaic_(y + dy, x + dx)));
    }

    Plane<std::int16_t>& mosaic_;
    Plane<std::int16_t> green_;

public:
    Plane<std::int16_t> red, green, blue;
};

} // namespace

std::vector<std::uint8_t> camera_pipe(int h, int w, const Development& d,
                                      const std::vector<std::uint16_t>& raw) {
    auto count = [&](int y, int x) {
        auto pitch = static_cast<std::size_t>(w + 2 * kMarginX);
        return wrapped(raw[static_cast<std::size_t>(y + kMarginY) * pitch +
                           static_cast<std::size_t>(x + kMarginX)]);
    };
    Plane<std::int16_t> mosaic(h, w, 4);
    each(h, w, 4, [&](int y, int x) {
        auto brightest =
            std::max({count(y - 2, x), count(y + 2, x), count(y, x - 2), count(y, x + 2)});
        mosaic(y, x) = std::min(std::max(count(y, x), std::int16_t{0}), brightest);
    });
    Demosaicking colours(h, w, mosaic);

    auto matrix = matrix_for(d.kelvin);
    std::array<std::uint8_t, kCounts> curve;
    for (int v = 0; v < kCounts; ++v)
        curve[static_cast<std::size_t>(v)] =
            static_cast<std::uint8_t>(std::floor(curve_at(v, d) + 0.5));

    auto pitch = static_cast<std::size_t>(w) * 3;
    std::vector<std::uint8_t> out(static_cast<std::size_t>(h) * pitch);
    for (std::size_t c = 0; c < 3; ++c) {
        std::array<int, 4> row;
        for (std::size_t j = 0; j < 4; ++j)
            row[j] = static_cast<int>(std::lround(256.0 * matrix[c][j]));
        Plane<std::uint8_t> curved(h, w, 1);
        each(h, w, 1, [&](int y, int x) {
            int mixed = row[0] * colours.red(y, x) + row[1] * colours.green(y, x) +
                        row[2] * colours.blue(y, x) + row[3];
            int at = std::clamp<int>(wrapped(mixed >> 8), 0, kCounts - 1);
            curved(y, x) = curve[static_cast<std::size_t>(at)];
        });
        auto smooth_down = [&](int y, int x) {
            return mean(mean(curved(y - 1, x), curved(y + 1, x)), curved(y, x));
        };
        each(h, w, 0, [&](int y, int x) {
            int smooth =
                mean(mean(smooth_down(y, x - 1), smooth_down(y, x + 1)), smooth_down(y, x));
            int detail = (curved(y, x) - smooth) * d.sharpen;
            auto sharp = std::clamp(curved(y, x) + (detail >> 5), 0, 255);
            out[static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x) * 3 + c] =
                static_cast<std::uint8_t>(sharp);
        });
    }
    return out;
}

double least_distance_of_curve_to_tie(const Development& d) {
    double least = 1;
    for (int v = d.black + 1; v < d.white; ++v) { // at both ends the curve is exactly 0 and 255
        double value = curve_at(v, d);
        least = std::min(least, std::fabs(value - std::floor(value) - 0.5));
    }
    return least;
}

double least_distance_of_matrix_to_tie(const Development& d) {
    double least = 1;
    for (const auto& row : matrix_for(d.kelvin))
        for (double entry : row)
            least = std::min(least, std::fabs(256 * entry - std::floor(256 * entry) - 0.5));
    return least;
}

std::vector<std::uint16_t> exposed(int h, int w, const Development& d,
                                   const std::vector<std::uint8_t>& picture) {
    // The curve backwards: the first count at which it reaches a brightness.
    std::array<double, 256> counts;
    for (std::size_t v = 0; v < counts.size(); ++v) {
        int count = d.black;
        while (count < d.white && curve_at(count, d) < static_cast<double>(v))
            ++count;
        counts[v] = count;
    }
    // The matrix backwards, by Cramer's rule with rows that are cyclic.
    auto m = matrix_for(d.kelvin);
    auto minor = [&](std::size_t i, std::size_t j) {
        auto i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        return m[i1][j1] * m[i2][j2] - m[i1][j2] * m[i2][j1];
    };
    double determinant = m[0][0] * minor(0, 0) + m[0][1] * minor(0, 1) + m[0][2] * minor(0, 2);

    std::vector<std::uint16_t> raw;
    for (int y = -kMarginY; y < h + kMarginY; ++y)
        for (int x = -kMarginX; x < w + kMarginX; ++x) {
            std::size_t colour = is_green(y, x) ? 1 : is_row_of_red(y) ? 0 : 2;
            double light = 0;
            for (std::size_t c = 0; c < 3; ++c) {
                auto at = (c * static_cast<std::size_t>(h) +
                           static_cast<std::size_t>(std::clamp(y, 0, h - 1))) *
                              static_cast<std::size_t>(w) +
                          static_cast<std::size_t>(std::clamp(x, 0, w - 1));
                light += minor(c, colour) / determinant * (counts[picture[at]] - m[c][3]);
            }
            raw.push_back(static_cast<std::uint16_t>(
                std::clamp(std::lround(light), 0L, static_cast<long>(kCounts - 1))));
        }
    return raw;
}

} // namespace independent
