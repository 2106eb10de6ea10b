#include "independent_pyramid_blend.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace independent {
namespace {

const std::array<float, 5> kWeights{1, 4, 6, 4, 1}; // of 16

// One channel on [-rim, h + rim) x [-rim, w + rim). A read outside throws.
struct Plane {
    int h, w, rim;
    std::vector<float> data;

    Plane(int h_, int w_, int rim_)
        : h(h_),
          w(w_),
          rim(rim_),
          data(static_cast<std::size_t>(h + 2 * rim) * static_cast<std::size_t>(w + 2 * rim)) {}
    float& at(int y, int x) {
        if (y < -rim || y >= h + rim || x < -rim || x >= w + rim)
            throw std::out_of_range("a pixel that was not computed");
        return data[static_cast<std::size_t>(y + rim) * static_cast<std::size_t>(w + 2 * rim) +
                    static_cast<std::size_t>(x + rim)];
    }
    float at(int y, int x) const { return const_cast<Plane*>(this)->at(y, x); }
};

template <typename Function> Plane plane_of(int h, int w, int rim, Function value) {
    Plane out(h, w, rim);
    for (int y = -rim; y < h + rim; ++y)
        for (int x = -rim; x < w + rim; ++x)
            out.at(y, x) = value(y, x);
    return out;
}

// The picture, continued by its border; 64 pixels are enough for four levels.
Plane finest(int h, int w, const std::uint8_t* bytes, float scale) {
    return plane_of(h, w, 64, [&](int y, int x) {
        int row = std::clamp(y, 0, h - 1), column = std::clamp(x, 0, w - 1);
        return static_cast<float>(
                   bytes[static_cast<std::size_t>(row) * static_cast<std::size_t>(w) +
                         static_cast<std::size_t>(column)]) *
               scale;
    });
}

// Every second pixel of the blurred plane: down the columns, then along the rows.
Plane reduced(const Plane& from) {
    return plane_of((from.h + 1) / 2, (from.w + 1) / 2, from.rim / 2 - 2, [&](int y, int x) {
        float across = 0;
        for (int dx = -2; dx <= 2; ++dx) {
            float down = 0;
            for (int dy = -2; dy <= 2; ++dy)
                down +=
                    kWeights[static_cast<std::size_t>(dy + 2)] * from.at(2 * y + dy, 2 * x + dx);
            across += kWeights[static_cast<std::size_t>(dx + 2)] * (down / 16);
        }
        return across / 16;
    });
}

// The convolution of five weights with the plane in which zeros stand between its pixels: along the
// rows, then down the columns. Twice as much in each direction, as every second factor is 0.
float enlarged(const Plane& from, int y, int x) {
    auto along = [&](int row) {
        float sum = 0;
        for (int dx = -2; dx <= 2; ++dx)
            if ((x + dx) % 2 == 0)
                sum += kWeights[static_cast<std::size_t>(dx + 2)] * from.at(row, (x + dx) / 2);
        return sum / 8;
    };
    float sum = 0;
    for (int dy = -2; dy <= 2; ++dy)
        if ((y + dy) % 2 == 0)
            sum += kWeights[static_cast<std::size_t>(dy + 2)] * along((y + dy) / 2);
    return sum / 8;
}

std::vector<Plane> gaussian_pyramid(int h, int w, const std::uint8_t* bytes, float scale) {
    std::vector<Plane> levels{finest(h, w, bytes, scale)};
    for (int l = 1; l < 4; ++l)
        levels.push_back(reduced(levels.back()));
    return levels;
}

} // namespace

std::vector<std::uint8_t> pyramid_blend(int h, int w, const std::vector<std::uint8_t>& first,
                                        const std::vector<std::uint8_t>& second,
                                        const std::vector<std::uint8_t>& mask) {
    const std::size_t size = mask.size();
    auto shares = gaussian_pyramid(h, w, mask.data(), 1.0F / 255);
    std::vector<std::uint8_t> out;
    for (std::size_t c = 0; c < 3; ++c) {
        auto a = gaussian_pyramid(h, w, first.data() + c * size, 1);
        auto b = gaussian_pyramid(h, w, second.data() + c * size, 1);
        auto share = [&](std::size_t l, int y, int x, float of_a, float of_b) {
            float m = shares[l].at(y, x);
            return m * of_a + (1 - m) * of_b;
        };
        // A rim of two pixels is what the level below reads at most.
        Plane sum = plane_of(a[3].h, a[3].w, 2, [&](int y, int x) {
            return share(3, y, x, a[3].at(y, x), b[3].at(y, x));
        });
        for (std::size_t l = 3; l-- > 0;)
            sum = plane_of(a[l].h, a[l].w, l == 0 ? 0 : 2, [&](int y, int x) {
                float detail_a = a[l].at(y, x) - enlarged(a[l + 1], y, x);
                float detail_b = b[l].at(y, x) - enlarged(b[l + 1], y, x);
                return share(l, y, x, detail_a, detail_b) + enlarged(sum, y, x);
            });
        for (float v : sum.data)
            out.push_back(static_cast<std::uint8_t>(std::clamp(std::nearbyint(v), 0.0F, 255.0F)));
    }
    return out;
}

} // namespace independent
