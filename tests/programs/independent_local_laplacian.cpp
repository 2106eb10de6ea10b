// The local Laplacian filter, one level of brightness after the other: each gives a whole picture
// and two whole pyramids, from which every pixel takes its share.
#include "independent_local_laplacian.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace independent {
namespace {

constexpr int kScales = 8;
// entries of the curve's table from one level of brightness to the next
constexpr int kTableSteps = 256;

class Plane {
public:
    Plane(int h, int w) : h_(h), w_(w), data_(std::size_t(h) * std::size_t(w)) {}
    int h() const { return h_; }
    int w() const { return w_; }
    // Beyond the border: the nearest pixel.
    float operator()(int y, int x) const {
        return data_[place(std::clamp(y, 0, h_ - 1), std::clamp(x, 0, w_ - 1))];
    }
    float& operator()(int y, int x) { return data_[place(y, x)]; }

private:
    std::size_t place(int y, int x) const {
        return std::size_t(y) * std::size_t(w_) + std::size_t(x);
    }
    int h_, w_;
    std::vector<float> data_;
};

using Pyramid = std::vector<Plane>; // the finest first

float weighted(float a, float b, float c, float d) { return 0.125f * ((a + d) + 3.0f * (b + c)); }

Plane halved(const Plane& fine) {
    Plane low((fine.h() + 1) / 2, fine.w());
    for (int y = 0; y < low.h(); ++y)
        for (int x = 0; x < low.w(); ++x) {
            int top = 2 * y - 1;
            low(y, x) =
                weighted(fine(top, x), fine(top + 1, x), fine(top + 2, x), fine(top + 3, x));
        }
    Plane small(low.h(), (fine.w() + 1) / 2);
    for (int y = 0; y < small.h(); ++y)
        for (int x = 0; x < small.w(); ++x) {
            int left = 2 * x - 1;
            const Plane& row = low;
            small(y, x) =
                weighted(row(y, left), row(y, left + 1), row(y, left + 2), row(y, left + 3));
        }
    return small;
}

// An even pixel is a quarter of a coarse pixel left of its centre, an odd one right of it.
int neighbour(int v) { return v % 2 == 0 ? v / 2 - 1 : v / 2 + 1; }

Plane doubled(const Plane& coarse, int h, int w) {
    Plane tall(h, coarse.w());
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < coarse.w(); ++x)
            tall(y, x) = 0.75f * coarse(y / 2, x) + 0.25f * coarse(neighbour(y), x);
    Plane full(h, w);
    const Plane& rows = tall;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            full(y, x) = 0.75f * rows(y, x / 2) + 0.25f * rows(y, neighbour(x));
    return full;
}

Pyramid gaussian(Plane base) {
    Pyramid result{std::move(base)};
    while (result.size() < kScales)
        result.push_back(halved(result.back()));
    return result;
}

Pyramid laplacian(Pyramid pyramid) {
    for (std::size_t scale = 0; scale + 1 < pyramid.size(); ++scale) {
        Plane& fine = pyramid[scale];
        const Plane rough = doubled(pyramid[scale + 1], fine.h(), fine.w());
        for (int y = 0; y < fine.h(); ++y)
            for (int x = 0; x < fine.w(); ++x)
                fine(y, x) -= rough(y, x);
    }
    return pyramid;
}

// The picture with what differs little from level `step` of brightness enhanced.
Plane remapped(const Plane& bright, int step, int steps) {
    float per_step = 1.0f / float(steps - 1);
    float level = float(step) * per_step;
    Plane result(bright.h(), bright.w());
    for (int y = 0; y < bright.h(); ++y)
        for (int x = 0; x < bright.w(); ++x) {
            int last = (steps - 1) * kTableSteps;
            int entry =
                int(std::clamp(std::nearbyint(bright(y, x) * float(last)), 0.0f, float(last)));
            float d = float(entry - step * kTableSteps) / float(kTableSteps);
            float bell = float(std::exp(-0.5 * double(d) * double(d)));
            result(y, x) = level + (bright(y, x) - level) + d * per_step * bell;
        }
    return result;
}

int level_below(float bright, int steps) {
    return std::clamp(int(bright * float(steps - 1)), 0, steps - 2);
}

// The pyramid of the result. The levels of brightness come in order, so a pixel meets the one below
// it first.
Pyramid enhanced(const Pyramid& bright, int steps) {
    Pyramid result = bright, before = bright;
    for (int step = 0; step < steps; ++step) {
        Pyramid now = laplacian(gaussian(remapped(bright[0], step, steps)));
        for (std::size_t scale = 0; scale < kScales; ++scale)
            for (int y = 0; y < bright[scale].h(); ++y)
                for (int x = 0; x < bright[scale].w(); ++x) {
                    float value = bright[scale](y, x);
                    int below = level_below(value, steps);
                    if (step != below + 1)
                        continue;
                    float low = before[scale](y, x), high = now[scale](y, x);
                    float share = value * float(steps - 1) - float(below);
                    result[scale](y, x) = low + share * (high - low);
                }
        before = std::move(now);
    }
    return result;
}

} // namespace

std::vector<float> local_laplacian(int h, int w, int steps, const std::vector<std::uint8_t>& img) {
    std::size_t area = std::size_t(h) * std::size_t(w);
    auto colour = [&](int c, int y, int x) {
        std::size_t pixel = std::size_t(y) * std::size_t(w) + std::size_t(x);
        return float(img[std::size_t(c) * area + pixel]) * (1.0f / 255.0f);
    };
    Plane grey(h, w);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x)
            grey(y, x) =
                0.299f * colour(0, y, x) + 0.587f * colour(1, y, x) + 0.114f * colour(2, y, x);

    Pyramid bright = gaussian(grey);
    Pyramid detail = enhanced(bright, steps);
    Plane sum = detail.back();
    for (std::size_t scale = kScales - 1; scale-- > 0;) {
        Plane& fine = detail[scale];
        const Plane rough = doubled(sum, fine.h(), fine.w());
        for (int y = 0; y < fine.h(); ++y)
            for (int x = 0; x < fine.w(); ++x)
                fine(y, x) += rough(y, x);
        sum = fine;
    }

    std::vector<float> result;
    result.reserve(3 * area);
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x) {
                float factor = (sum(y, x) + 0.01f) / (grey(y, x) + 0.01f);
                result.push_back(255.0f * (factor * (colour(c, y, x) + 0.01f) - 0.01f));
            }
    return result;
}

} // namespace independent
