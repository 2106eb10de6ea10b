// Bilateral guided upsampling from the side of the pixels: pairs are dealt out in reading order to
// cells that each hold a small matrix, which is solved in place.
#include "independent_bilateral_guided_upsampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace independent {
namespace {

using Sums = std::array<std::array<float, 7>, 4>; // A^T A beside A^T B
using Map = std::array<std::array<float, 4>, 3>;  // [channel][red, green, blue, 1]
using Colour = std::array<float, 3>;

// A rim of empty cells, one to interpolate from and the rest for the blur.
constexpr int kRim = 3;

template <typename T> struct Grid {
    int rows, columns, levels;
    std::vector<T> cells;

    Grid(int rows, int columns, int levels)
        : rows(rows),
          columns(columns),
          levels(levels),
          cells(std::size_t(rows + 2 * kRim) * std::size_t(columns + 2 * kRim) *
                std::size_t(levels + 2 * kRim)) {}

    T& at(int y, int x, int z) {
        auto row = std::size_t(y + kRim) * std::size_t(columns + 2 * kRim) + std::size_t(x + kRim);
        return cells[row * std::size_t(levels + 2 * kRim) + std::size_t(z + kRim)];
    }
};

float luma(const Colour& c) { return 0.299f * c[0] + 0.587f * c[1] + 0.114f * c[2]; }

struct Picture {
    int h, w;
    const std::vector<float>& planes;

    Colour at(int y, int x) const {
        Colour c;
        for (std::size_t n = 0; n < 3; ++n)
            c[n] = planes[(n * std::size_t(h) + std::size_t(y)) * std::size_t(w) + std::size_t(x)];
        return c;
    }
};

// Along the brightness with 1 4 6 4 1, else with 1 2 1, where the neighbours are inside of the
// array.
enum class Axis { y, x, z };
Grid<Sums> blurred(Grid<Sums> from, Axis axis) {
    Grid<Sums> to(from.rows, from.columns, from.levels);
    const int dy = axis == Axis::y, dx = axis == Axis::x, dz = 2 * (axis == Axis::z);
    for (int y = dy - kRim; y < from.rows + kRim - dy; ++y)
        for (int x = dx - kRim; x < from.columns + kRim - dx; ++x)
            for (int z = dz - kRim; z < from.levels + kRim - dz; ++z)
                for (std::size_t i = 0; i < 4; ++i)
                    for (std::size_t j = 0; j < 7; ++j) {
                        auto tap = [&](int n) {
                            return axis == Axis::y   ? from.at(y + n, x, z)[i][j]
                                   : axis == Axis::x ? from.at(y, x + n, z)[i][j]
                                                     : from.at(y, x, z + n)[i][j];
                        };
                        to.at(y, x, z)[i][j] =
                            axis == Axis::z
                                ? tap(-2) + tap(2) + 4.0f * (tap(-1) + tap(1)) + 6.0f * tap(0)
                                : tap(-1) + 2.0f * tap(0) + tap(1);
                    }
    return to;
}

// Draws the map towards `gain` times the colour.
void regularise(Sums& m) {
    float weight = 1e-5f * (m[3][3] + 1.0f);
    float gain =
        (luma({m[3][4], m[3][5], m[3][6]}) + 0.001f) / (luma({m[0][3], m[1][3], m[2][3]}) + 0.001f);
    for (std::size_t i = 0; i < 4; ++i)
        m[i][i] += weight;
    for (std::size_t c = 0; c < 3; ++c)
        m[c][4 + c] += weight * gain;
}

// Gauss's elimination without exchanges, which only ever looks at the upper half of the symmetric
// left part.
Map solve(Sums m) {
    std::array<std::array<float, 4>, 4> factor{};
    for (std::size_t k = 0; k < 4; ++k)
        for (std::size_t i = k + 1; i < 4; ++i) {
            factor[i][k] = m[k][i] / m[k][k];
            for (std::size_t j = i; j < 7; ++j)
                m[i][j] -= factor[i][k] * m[k][j];
        }
    Map map{};
    for (std::size_t c = 0; c < 3; ++c)
        for (std::size_t i = 4; i-- > 0;) {
            map[c][i] = m[i][4 + c] / m[i][i];
            for (std::size_t j = i + 1; j < 4; ++j)
                map[c][i] -= factor[j][i] * map[c][j];
        }
    return map;
}

struct Place {
    int cell;  // the cell whose centre is before a pixel
    float way; // from there to the next centre
};

Place place(int pixel, int s) {
    int from_first_centre = 2 * pixel + 1 - s; // in half pixels
    int cell = int(std::floor(double(from_first_centre) / (2 * s)));
    return {cell, float(from_first_centre - 2 * s * cell) * float(0.5 / s)};
}

float between(float a, float b, float t) { return a + t * (b - a); }

} // namespace

std::vector<float> bilateral_guided_upsampling(const GuidedUpsamplingSizes& sizes,
                                               const std::vector<float>& before,
                                               const std::vector<float>& after,
                                               const std::vector<float>& img) {
    const int h = sizes.h, w = sizes.w, s = sizes.s, steps = sizes.z;
    const int small_h = sizes.small_h(), small_w = sizes.small_w();
    const Picture from{small_h, small_w, before}, to{small_h, small_w, after}, large{h, w, img};

    Grid<Sums> sums((small_h + s - 1) / s, (small_w + s - 1) / s, steps + 1);
    for (int y = 0; y < small_h; ++y)
        for (int x = 0; x < small_w; ++x) {
            auto a = from.at(y, x), b = to.at(y, x);
            const float both[7] = {a[0], a[1], a[2], 1.0f, b[0], b[1], b[2]};
            int z = std::clamp(int(std::nearbyint(float(steps) * luma(a))), 0, steps);
            for (std::size_t i = 0; i < 4; ++i)
                for (std::size_t j = 0; j < 7; ++j)
                    sums.at(y / s, x / s, z)[i][j] += both[i] * both[j];
        }
    sums = blurred(blurred(blurred(sums, Axis::z), Axis::x), Axis::y);

    Grid<Map> maps(sums.rows, sums.columns, sums.levels);
    for (std::size_t n = 0; n < maps.cells.size(); ++n) {
        regularise(sums.cells[n]);
        maps.cells[n] = solve(sums.cells[n]);
    }

    const std::size_t plane = std::size_t(h) * std::size_t(w);
    std::vector<float> result(3 * plane);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            auto colour = large.at(y, x);
            float guide = float(steps) * luma(colour);
            int z = std::clamp(int(guide), 0, steps - 1);
            float t = std::clamp(guide - float(z), 0.0f, 1.0f);
            auto py = place(y, s * sizes.down), px = place(x, s * sizes.down);
            for (std::size_t c = 0; c < 3; ++c) {
                float m[4];
                for (std::size_t i = 0; i < 4; ++i) {
                    auto column = [&](int cx, int level) {
                        return between(maps.at(py.cell, cx, level)[c][i],
                                       maps.at(py.cell + 1, cx, level)[c][i], py.way);
                    };
                    auto level = [&](int l) {
                        return between(column(px.cell, l), column(px.cell + 1, l), px.way);
                    };
                    m[i] = between(level(z), level(z + 1), t);
                }
                result[c * plane + std::size_t(y) * std::size_t(w) + std::size_t(x)] =
                    m[0] * colour[0] + m[1] * colour[1] + m[2] * colour[2] + m[3];
            }
        }
    return result;
}

} // namespace independent
