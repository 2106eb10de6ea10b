#include "independent_interpolate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace independent {
namespace {

// Red, green and blue, multiplied by alpha, and alpha.
using Pixel = std::array<float, 4>;

// A picture from row y0 and column x0 on, which may be negative. A read outside throws.
struct Picture {
    int y0, x0, h, w;
    std::vector<Pixel> pixels;

    Picture(int y0_, int x0_, int y1, int x1)
        : y0(y0_),
          x0(x0_),
          h(y1 - y0_),
          w(x1 - x0_),
          pixels(static_cast<std::size_t>(h) * static_cast<std::size_t>(w)) {}
    int y1() const { return y0 + h; }
    int x1() const { return x0 + w; }
    Pixel& at(int y, int x) {
        if (y < y0 || y >= y1() || x < x0 || x >= x1())
            throw std::out_of_range("a pixel that was not computed");
        return pixels[static_cast<std::size_t>(y - y0) * static_cast<std::size_t>(w) +
                      static_cast<std::size_t>(x - x0)];
    }
    const Pixel& at(int y, int x) const { return const_cast<Picture*>(this)->at(y, x); }
};

// Nearest whole numbers above and below n / 2.
int half_up(int n) { return n >= 0 ? (n + 1) / 2 : -(-n / 2); }
int half_down(int n) { return n >= 0 ? n / 2 : -((1 - n) / 2); }

// The pixels of [0, last_y] x [0, last_x], continued far enough for three levels.
Picture continued(const Picture& from, int last_y, int last_x) {
    const int rim = 24;
    Picture to(-rim, -rim, last_y + 1 + rim, last_x + 1 + rim);
    for (int y = to.y0; y < to.y1(); ++y)
        for (int x = to.x0; x < to.x1(); ++x)
            to.at(y, x) = from.at(std::clamp(y, 0, last_y), std::clamp(x, 0, last_x));
    return to;
}

Pixel weighted(const Pixel& before, const Pixel& here, const Pixel& after) {
    Pixel out;
    for (std::size_t c = 0; c < 4; ++c)
        out[c] = (before[c] + 2 * here[c] + after[c]) / 4;
    return out;
}

Pixel middle(const Pixel& a, const Pixel& b) {
    Pixel out;
    for (std::size_t c = 0; c < 4; ++c)
        out[c] = (a[c] + b[c]) / 2;
    return out;
}

// As much of the next level as follows from this one.
Picture coarser(const Picture& fine) {
    int y0 = half_up(fine.y0 + 1), y1 = half_down(fine.y1() - 2) + 1;
    int x0 = half_up(fine.x0 + 1), x1 = half_down(fine.x1() - 2) + 1;
    Picture out(y0, x0, y1, x1);
    std::vector<Pixel> row(static_cast<std::size_t>(fine.w));
    for (int y = y0; y < y1; ++y) {
        for (int x = fine.x0; x < fine.x1(); ++x)
            row[static_cast<std::size_t>(x - fine.x0)] =
                weighted(fine.at(2 * y - 1, x), fine.at(2 * y, x), fine.at(2 * y + 1, x));
        for (int x = x0; x < x1; ++x) {
            const Pixel* here = &row[static_cast<std::size_t>(2 * x - fine.x0)];
            out.at(y, x) = weighted(here[-1], here[0], here[1]);
        }
    }
    return out;
}

// Fills what `fine` does not know from the next level, wherever both have pixels: column by column
// between the coarse ones first, then row by row.
Picture filled(const Picture& fine, const Picture& coarse) {
    Picture out(std::max(fine.y0, 2 * coarse.y0), std::max(fine.x0, 2 * coarse.x0),
                std::min(fine.y1(), 2 * coarse.y1() - 1), std::min(fine.x1(), 2 * coarse.x1() - 1));
    for (int y = out.y0; y < out.y1(); ++y)
        for (int x = out.x0; x < out.x1(); ++x) {
            auto between_columns = [&](int row) {
                return middle(coarse.at(row, half_down(x)), coarse.at(row, half_up(x)));
            };
            Pixel rest = middle(between_columns(half_down(y)), between_columns(half_up(y)));
            const Pixel& known = fine.at(y, x);
            for (std::size_t c = 0; c < 4; ++c)
                out.at(y, x)[c] = known[c] + (1 - known[3]) * rest[c];
        }
    return out;
}

std::uint8_t byte(float v) {
    return static_cast<std::uint8_t>(std::clamp(std::nearbyint(v), 0.0F, 255.0F));
}

} // namespace

std::vector<std::uint8_t> interpolate(int h, int w, const std::vector<std::uint8_t>& img) {
    const std::size_t plane = static_cast<std::size_t>(h) * static_cast<std::size_t>(w);
    Picture base(0, 0, h, w);
    for (std::size_t n = 0; n < plane; ++n) {
        float alpha = static_cast<float>(img[3 * plane + n]) * (1.0F / 255);
        for (std::size_t c = 0; c < 3; ++c)
            base.pixels[n][c] = static_cast<float>(img[c * plane + n]) * (1.0F / 255) * alpha;
        base.pixels[n][3] = alpha;
    }
    std::vector<Picture> levels{continued(base, h - 1, w - 1)};
    for (int l = 1; l <= 9; ++l) {
        const auto& last = levels.back();
        bool anew = l == 4 || l == 7;
        levels.push_back(coarser(anew ? continued(last, h >> (l - 1), w >> (l - 1)) : last));
    }
    Picture result = levels.back();
    for (int l = 8; l >= 0; --l)
        result = filled(levels[static_cast<std::size_t>(l)], result);

    std::vector<std::uint8_t> out(3 * plane);
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            const Pixel& pixel = result.at(y, x);
            for (int c = 0; c < 3; ++c) {
                auto k = static_cast<std::size_t>(c);
                float colour = pixel[3] > 0 ? pixel[k] / pixel[3] : 0;
                out[k * plane + static_cast<std::size_t>(y * w + x)] = byte(255 * colour);
            }
        }
    return out;
}

} // namespace independent
