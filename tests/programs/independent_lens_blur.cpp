#include "tests/programs/independent_lens_blur.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace independent {
namespace {

// A picture of one value a pixel; outside, the nearest.
class Plane {
public:
    Plane(int h, int w) : h_(h), w_(w), values_(std::size_t(h) * std::size_t(w)) {}

    int rows() const { return h_; }
    int columns() const { return w_; }
    float& at(int y, int x) { return values_[place(y, x)]; }
    float near(int y, int x) const {
        return values_[place(std::clamp(y, 0, h_ - 1), std::clamp(x, 0, w_ - 1))];
    }

private:
    std::size_t place(int y, int x) const {
        return std::size_t(y) * std::size_t(w_) + std::size_t(x);
    }
    int h_;
    int w_;
    std::vector<float> values_;
};

float smooth(float a, float b, float c, float d) { return (a + 3.0f * (b + c) + d) * 0.125f; }

Plane halved(const Plane& from) {
    Plane flat((from.rows() + 1) / 2, from.columns());
    for (int y = 0; y < flat.rows(); ++y)
        for (int x = 0; x < flat.columns(); ++x)
            flat.at(y, x) = smooth(from.near(2 * y - 1, x), from.near(2 * y, x),
                                   from.near(2 * y + 1, x), from.near(2 * y + 2, x));
    Plane small(flat.rows(), (flat.columns() + 1) / 2);
    for (int y = 0; y < small.rows(); ++y)
        for (int x = 0; x < small.columns(); ++x)
            small.at(y, x) = smooth(flat.near(y, 2 * x - 1), flat.near(y, 2 * x),
                                    flat.near(y, 2 * x + 1), flat.near(y, 2 * x + 2));
    return small;
}

// Where a pixel's centre lies between two of the plane of half the size.
int neighbour(int i) { return i % 2 == 0 ? i / 2 - 1 : i / 2 + 1; }

float mixed(float near, float far) { return 0.75f * near + 0.25f * far; }

// A plane of which every level of the pyramid below counts half of what this one counts.
Plane spread_out(Plane plane, int levels) {
    if (levels == 1)
        return plane;
    const Plane small = spread_out(halved(plane), levels - 1);
    Plane wide(small.rows(), plane.columns());
    for (int y = 0; y < wide.rows(); ++y)
        for (int x = 0; x < wide.columns(); ++x)
            wide.at(y, x) = mixed(small.near(y, x / 2), small.near(y, neighbour(x)));
    for (int y = 0; y < plane.rows(); ++y)
        for (int x = 0; x < plane.columns(); ++x)
            plane.at(y, x) = 0.5f * plane.at(y, x) +
                             0.5f * mixed(wide.near(y / 2, x), wide.near(neighbour(y), x));
    return plane;
}

class LensBlur {
public:
    LensBlur(const LensBlurSizes& sizes, const std::vector<std::uint8_t>& left,
             const std::vector<std::uint8_t>& right)
        : s_(sizes), left_(left), right_(right) {}

    std::vector<int> slices() const {
        std::vector<Plane> costs;
        for (int z = 0; z < s_.slices; ++z) {
            costs.emplace_back(s_.h, s_.w);
            for (int y = 0; y < s_.h; ++y)
                for (int x = 0; x < s_.w; ++x)
                    costs.back().at(y, x) = float(cost(z, y, x));
        }
        Plane weights(s_.h, s_.w);
        for (int y = 0; y < s_.h; ++y)
            for (int x = 0; x < s_.w; ++x)
                weights.at(y, x) = weight(costs, y, x);
        const Plane spread_weights = spread_out(weights, s_.levels);

        std::vector<int> best(std::size_t(s_.h) * std::size_t(s_.w));
        std::vector<float> least(best.size(), std::numeric_limits<float>::infinity());
        for (int z = 0; z < s_.slices; ++z) {
            Plane weighted(s_.h, s_.w);
            for (int y = 0; y < s_.h; ++y)
                for (int x = 0; x < s_.w; ++x)
                    weighted.at(y, x) = costs[std::size_t(z)].near(y, x) * weights.at(y, x);
            const Plane spread_costs = spread_out(weighted, s_.levels);
            for (int y = 0; y < s_.h; ++y)
                for (int x = 0; x < s_.w; ++x) {
                    const float mean = spread_costs.near(y, x) / spread_weights.near(y, x);
                    const auto p = std::size_t(y) * std::size_t(s_.w) + std::size_t(x);
                    if (mean < least[p]) {
                        least[p] = mean;
                        best[p] = z;
                    }
                }
        }
        return best;
    }

    std::vector<std::uint8_t> blurred(const std::vector<int>& slice) const {
        const std::size_t plane = std::size_t(s_.h) * std::size_t(s_.w);
        std::vector<std::uint8_t> out(3 * plane);
        for (int y = 0; y < s_.h; ++y)
            for (int x = 0; x < s_.w; ++x) {
                const float reach = widest(slice, y, x);
                float sums[3], count = 1;
                for (int c = 0; c < 3; ++c)
                    sums[c] = float(pixel(left_, c, y, x));
                for (int s = 0; s < s_.samples; ++s)
                    if (const auto from = sample(slice, reach, y, x, s); from.arrives) {
                        for (int c = 0; c < 3; ++c)
                            sums[c] += float(pixel(left_, c, from.y, from.x));
                        count += 1;
                    }
                for (int c = 0; c < 3; ++c)
                    out[std::size_t(c) * plane + std::size_t(y) * std::size_t(s_.w) +
                        std::size_t(x)] = std::uint8_t(std::nearbyint(sums[c] / count));
            }
        return out;
    }

private:
    int pixel(const std::vector<std::uint8_t>& picture, int c, int y, int x) const {
        x = std::clamp(x, 0, s_.w - 1);
        return picture[(std::size_t(c) * std::size_t(s_.h) + std::size_t(y)) * std::size_t(s_.w) +
                       std::size_t(x)];
    }

    int cost(int z, int y, int x) const {
        int sum = 0;
        for (int c = 0; c < 3; ++c) {
            const int here = pixel(left_, c, y, x);
            const int apart = std::min(std::abs(here - pixel(right_, c, y, x - 2 * z)),
                                       std::abs(here - pixel(right_, c, y, x - 2 * z - 1)));
            sum += apart * apart;
        }
        return sum;
    }

    float weight(const std::vector<Plane>& costs, int y, int x) const {
        float sum = 0;
        for (const auto& plane : costs)
            sum += plane.near(y, x);
        const float mean = sum / float(s_.slices);
        float squares = 0;
        for (const auto& plane : costs)
            squares += (plane.near(y, x) - mean) * (plane.near(y, x) - mean);
        return squares / float(s_.slices) + 1.0f;
    }

    // What is squared and compared here are halves of whole numbers: exact.
    float radius(const std::vector<int>& slice, int y, int x) const {
        return 0.5f * float(std::abs(slice[std::size_t(y) * std::size_t(s_.w) + std::size_t(x)] -
                                     s_.focus));
    }

    float widest(const std::vector<int>& slice, int y, int x) const {
        const int reach = (std::max(s_.focus, s_.slices - 1 - s_.focus) + 1) / 2;
        float out = 0;
        for (int v = std::max(y - reach, 0); v <= std::min(y + reach, s_.h - 1); ++v)
            for (int u = std::max(x - reach, 0); u <= std::min(x + reach, s_.w - 1); ++u)
                out = std::max(out, radius(slice, v, u));
        return out;
    }

    struct Sample {
        int y;
        int x;
        bool arrives;
    };

    Sample sample(const std::vector<int>& slice, float reach, int y, int x, int s) const {
        auto n = std::uint32_t((y * s_.w + x) * s_.samples + s);
        n = (n ^ (n >> 16)) * 0x7feb352du;
        n = (n ^ (n >> 15)) * 0x846ca68bu;
        n ^= n >> 16;
        const auto away = [&](std::uint32_t half) {
            return int(std::nearbyint(reach * (float(half) / 32768.0f - 1.0f)));
        };
        const int v = std::clamp(y + away(n >> 16), 0, s_.h - 1);
        const int u = std::clamp(x + away(n & 0xffffu), 0, s_.w - 1);
        const auto square = float((v - y) * (v - y) + (u - x) * (u - x));
        const auto within = [&](float disc) { return square < disc * disc; };
        const auto at = [&](int row, int column) {
            return slice[std::size_t(row) * std::size_t(s_.w) + std::size_t(column)];
        };
        return {v, u,
                within(radius(slice, v, u)) &&
                    (at(v, u) > at(y, x) || within(radius(slice, y, x)))};
    }

    LensBlurSizes s_;
    const std::vector<std::uint8_t>& left_;
    const std::vector<std::uint8_t>& right_;
};

} // namespace

LensBlurResult lens_blur(const LensBlurSizes& sizes, const std::vector<std::uint8_t>& left,
                         const std::vector<std::uint8_t>& right) {
    const LensBlur program(sizes, left, right);
    LensBlurResult result;
    result.slice = program.slices();
    for (int slice : result.slice)
        result.depth.push_back(std::uint8_t((slice + 1) * 255 / sizes.slices));
    result.out = program.blurred(result.slice);
    return result;
}

} // namespace independent
