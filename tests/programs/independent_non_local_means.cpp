#include "tests/programs/independent_non_local_means.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace independent {
namespace {

using Colour = std::array<int, 3>;

constexpr int kReach = 3; // of the window, and of a patch, to each side
constexpr int kPatchNumbers = 3 * 7 * 7;
constexpr double kNoise = 20;
constexpr double kFall = 10;

struct Picture {
    int h;
    int w;
    const std::vector<std::uint8_t>& values;

    Colour at(int y, int x) const {
        y = std::clamp(y, 0, h - 1);
        x = std::clamp(x, 0, w - 1);
        Colour out;
        for (int c = 0; c < 3; ++c)
            out[std::size_t(c)] =
                values[(std::size_t(c) * std::size_t(h) + std::size_t(y)) * std::size_t(w) +
                       std::size_t(x)];
        return out;
    }
};

// Patches look beyond the border as they are: at what the nearest pixels give.
std::int64_t patch_distance(const Picture& picture, int y, int x, int v, int u) {
    std::int64_t sum = 0;
    for (int dy = -kReach; dy <= kReach; ++dy)
        for (int dx = -kReach; dx <= kReach; ++dx) {
            auto here = picture.at(y + dy, x + dx);
            auto there = picture.at(v + dy, u + dx);
            for (std::size_t c = 0; c < 3; ++c)
                sum += (here[c] - there[c]) * (here[c] - there[c]);
        }
    return sum;
}

} // namespace

std::vector<double> non_local_means(int h, int w, const std::vector<std::uint8_t>& img) {
    const Picture picture{h, w, img};
    const std::size_t plane = std::size_t(h) * std::size_t(w);
    std::vector<double> result(img.size());
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            double weights = 0;
            std::array<double, 3> sums{};
            for (int v = y - kReach; v <= y + kReach; ++v)
                for (int u = x - kReach; u <= x + kReach; ++u) {
                    const double apart =
                        double(patch_distance(picture, y, x, v, u)) / kPatchNumbers;
                    const double weight =
                        std::exp(-std::max(apart - 2 * kNoise * kNoise, 0.0) / (kFall * kFall));
                    weights += weight;
                    const auto colour = picture.at(v, u);
                    for (std::size_t c = 0; c < 3; ++c)
                        sums[c] += weight * colour[c];
                }
            for (std::size_t c = 0; c < 3; ++c)
                result[c * plane + std::size_t(y) * std::size_t(w) + std::size_t(x)] =
                    sums[c] / weights;
        }
    return result;
}

} // namespace independent
