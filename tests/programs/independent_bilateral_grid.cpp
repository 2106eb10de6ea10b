// The bilateral grid from the side of the pixels: they are dealt out to the cells in reading order,
// into one array with a rim of empty cells wide enough for all that follows.
#include "independent_bilateral_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace independent {
namespace {

// Cells with a rim of empty ones: one to interpolate from, two for the blur.
constexpr int kRim = 3;

struct Grid {
    int rows, columns, levels;
    std::vector<float> cells;

    Grid(int rows, int columns, int levels)
        : rows(rows),
          columns(columns),
          levels(levels),
          cells(std::size_t(rows + 2 * kRim) * std::size_t(columns + 2 * kRim) *
                std::size_t(levels + 2 * kRim)) {}

    float& at(int y, int x, int z) {
        auto row = std::size_t(y + kRim) * std::size_t(columns + 2 * kRim) + std::size_t(x + kRim);
        return cells[row * std::size_t(levels + 2 * kRim) + std::size_t(z + kRim)];
    }
};

// Blurred along one axis, where its neighbours are inside of the array; elsewhere it stays empty,
// which nothing uses.
Grid blurred(Grid from, int dy, int dx, int dz) {
    Grid to(from.rows, from.columns, from.levels);
    for (int y = -kRim + 2 * dy; y < from.rows + kRim - 2 * dy; ++y)
        for (int x = -kRim + 2 * dx; x < from.columns + kRim - 2 * dx; ++x)
            for (int z = -kRim + 2 * dz; z < from.levels + kRim - 2 * dz; ++z) {
                auto tap = [&](int n) { return from.at(y + n * dy, x + n * dx, z + n * dz); };
                to.at(y, x, z) = tap(-2) + tap(2) + 4.0f * (tap(-1) + tap(1)) + 6.0f * tap(0);
            }
    return to;
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

float sample(Grid& grid, Place py, Place px, int z, float t) {
    auto column = [&](int x, int level) {
        return between(grid.at(py.cell, x, level), grid.at(py.cell + 1, x, level), py.way);
    };
    auto plane = [&](int level) {
        return between(column(px.cell, level), column(px.cell + 1, level), px.way);
    };
    return between(plane(z), plane(z + 1), t);
}

} // namespace

std::vector<float> bilateral_grid(const BilateralGridSizes& sizes, const std::vector<float>& img) {
    const auto [h, w, s, steps] = sizes;
    Grid values((h + s - 1) / s, (w + s - 1) / s, steps + 1);
    Grid weights = values;
    auto pixel = [&](int y, int x) {
        return img[std::size_t(y) * std::size_t(w) + std::size_t(x)];
    };
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            float v = pixel(y, x);
            int z = std::clamp(int(std::nearbyint(float(steps) * v)), 0, steps);
            values.at(y / s, x / s, z) += v;
            weights.at(y / s, x / s, z) += 1.0f;
        }
    for (auto* grid : {&values, &weights})
        *grid = blurred(blurred(blurred(*grid, 0, 0, 1), 0, 1, 0), 1, 0, 0);

    std::vector<float> result;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            float v = float(steps) * pixel(y, x);
            int z = std::clamp(int(v), 0, steps - 1);
            float t = std::clamp(v - float(z), 0.0f, 1.0f);
            auto py = place(y, s), px = place(x, s);
            result.push_back(sample(values, py, px, z, t) / sample(weights, py, px, z, t));
        }
    return result;
}

} // namespace independent
