#include "independent.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace independent {
namespace {

// A picture or plane of rows and columns that may also begin at negative coordinates.
template <class T> class Plane {
public:
    // Rows [-margin, h + margin), columns [-margin, w + margin).
    Plane(int h, int w, int margin)
        : width_(w + 2 * margin),
          margin_(margin),
          values_(std::size_t(h + 2 * margin) * std::size_t(w + 2 * margin)) {}

    T& at(int y, int x) {
        return values_[std::size_t(y + margin_) * std::size_t(width_) + std::size_t(x + margin_)];
    }

private:
    int width_;
    int margin_;
    std::vector<T> values_;
};

// The place of [c, y, x] in an array of shape [.., h, w].
std::size_t place(int c, int y, int x, int h, int w) {
    return (std::size_t(c) * std::size_t(h) + std::size_t(y)) * std::size_t(w) + std::size_t(x);
}

// One sample of a picture [3, h, w]; outside, the nearest pixel.
std::uint8_t nearest(const std::vector<std::uint8_t>& img, int c, int y, int x, int h, int w) {
    return img[place(c, std::clamp(y, 0, h - 1), std::clamp(x, 0, w - 1), h, w)];
}

float brightness(float red, float green, float blue) {
    return 0.299f * red + 0.587f * green + 0.114f * blue;
}

// Brightness at any point, also outside of the picture.
float brightness_at(const std::vector<std::uint8_t>& img, int y, int x, int h, int w) {
    return brightness(nearest(img, 0, y, x, h, w), nearest(img, 1, y, x, h, w),
                      nearest(img, 2, y, x, h, w));
}

// To the nearest whole number, halves to the even one, and limited to what a byte holds.
std::uint8_t to_byte(float value) {
    const float rounded = std::nearbyint(value);
    if (!(rounded > 0.0f))
        return 0;
    return rounded >= 255.0f ? std::uint8_t(255) : std::uint8_t(rounded);
}

float accumulate(float sum, float a, float b, Accumulation accumulation) {
    return accumulation == Accumulation::fused ? std::fma(a, b, sum) : sum + a * b;
}

} // namespace

std::vector<float> copy(int h, int w, const std::vector<float>& img) {
    std::vector<float> result(std::size_t(h) * std::size_t(w));
    for (std::size_t n = 0; n < result.size(); ++n)
        result[n] = img[n];
    return result;
}

std::vector<std::uint16_t> blur(int h, int w, const std::vector<std::uint16_t>& img) {
    // 16-bit sums wrap; C++ adds in int, so the wrap is written out.
    const auto mean = [](int a, int b, int c) {
        return std::uint16_t(std::uint16_t(a + b + c) / 3);
    };
    std::vector<std::uint16_t> result(std::size_t(h) * std::size_t(w));
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            std::uint16_t rows[3];
            for (int d = 0; d < 3; ++d) {
                const std::uint16_t* row = &img[place(0, y + d, x, h + 2, w + 2)];
                rows[d] = mean(row[0], row[1], row[2]);
            }
            result[place(0, y, x, h, w)] = mean(rows[0], rows[1], rows[2]);
        }
    return result;
}

std::vector<std::uint8_t> unsharp(int h, int w, const std::vector<std::uint8_t>& img) {
    const float weight[4] = {0.270682f, 0.216745f, 0.111281f, 0.036633f};
    Plane<float> gray(h, w, 3);
    for (int y = -3; y < h + 3; ++y)
        for (int x = -3; x < w + 3; ++x)
            gray.at(y, x) = brightness_at(img, y, x, h, w);

    Plane<float> columns(h, w, 3); // smoothed along the columns
    for (int y = 0; y < h; ++y)
        for (int x = -3; x < w + 3; ++x) {
            float sum = weight[0] * gray.at(y, x);
            for (int d = 1; d <= 3; ++d)
                sum += weight[d] * (gray.at(y - d, x) + gray.at(y + d, x));
            columns.at(y, x) = sum;
        }

    std::vector<std::uint8_t> result(img.size());
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            float smooth = weight[0] * columns.at(y, x);
            for (int d = 1; d <= 3; ++d)
                smooth += weight[d] * (columns.at(y, x - d) + columns.at(y, x + d));
            const float old = gray.at(y, x);
            const float sharp = old + 1.5f * (old - smooth);
            const float ratio = sharp / std::max(old, 1.0f);
            for (int c = 0; c < 3; ++c)
                result[place(c, y, x, h, w)] = to_byte(ratio * float(img[place(c, y, x, h, w)]));
        }
    return result;
}

HarrisResult harris(int h, int w, const std::vector<std::uint8_t>& img) {
    // A cross reaches 2 pixels from its peak, a peak looks 1 further, a window 1, a gradient 1.
    Plane<float> gray(h, w, 5);
    for (int y = -5; y < h + 5; ++y)
        for (int x = -5; x < w + 5; ++x)
            gray.at(y, x) = brightness_at(img, y, x, h, w);

    Plane<float> down(h, w, 4), across(h, w, 4); // the two components of the gradient
    for (int y = -4; y < h + 4; ++y)
        for (int x = -4; x < w + 4; ++x) {
            const float nw = gray.at(y - 1, x - 1), n = gray.at(y - 1, x),
                        ne = gray.at(y - 1, x + 1);
            const float we = gray.at(y, x - 1), ea = gray.at(y, x + 1);
            const float sw = gray.at(y + 1, x - 1), s = gray.at(y + 1, x),
                        se = gray.at(y + 1, x + 1);
            down.at(y, x) = (sw - nw + 2.0f * (s - n) + se - ne) / 12.0f;
            across.at(y, x) = (ne - nw + 2.0f * (ea - we) + se - sw) / 12.0f;
        }

    // Starting a sum of squares from zero changes nothing; a sum of mixed products might turn -0
    // into +0, which its square does not show.
    Plane<float> response(h, w, 3);
    for (int y = -3; y < h + 3; ++y)
        for (int x = -3; x < w + 3; ++x) {
            float xx = 0, yy = 0, xy = 0;
            for (int v = y - 1; v <= y + 1; ++v)
                for (int u = x - 1; u <= x + 1; ++u) {
                    xx += across.at(v, u) * across.at(v, u);
                    yy += down.at(v, u) * down.at(v, u);
                    xy += across.at(v, u) * down.at(v, u);
                }
            const float trace = xx + yy;
            response.at(y, x) = xx * yy - xy * xy - 0.04f * trace * trace;
        }

    // A peak exceeds its neighbours; those after it in reading order may be its equals.
    Plane<char> peak(h, w, 2); // 0 or 1
    for (int y = -2; y < h + 2; ++y)
        for (int x = -2; x < w + 2; ++x) {
            const float centre = response.at(y, x);
            bool greatest = centre > 200000.0f;
            for (int v = -1; v <= 1; ++v)
                for (int u = -1; u <= 1; ++u) {
                    const bool later = v > 0 || (v == 0 && u > 0);
                    const float other = response.at(y + v, x + u);
                    if (v != 0 || u != 0)
                        greatest = greatest && (later ? centre >= other : centre > other);
                }
            peak.at(y, x) = greatest;
        }

    HarrisResult result;
    for (int y = 0; y < h; ++y)
        for (int x = 0; x < w; ++x) {
            bool marked = false;
            for (int d = -2; d <= 2; ++d)
                marked = marked || peak.at(y + d, x) || peak.at(y, x + d);
            const int sum = nearest(img, 0, y, x, h, w) + nearest(img, 1, y, x, h, w) +
                            nearest(img, 2, y, x, h, w);
            result.out.push_back(response.at(y, x));
            result.corners.push_back(std::uint8_t(marked ? 255 : sum / 6));
        }
    return result;
}

std::vector<std::uint8_t> histogram_equalise(int h, int w, const std::vector<std::uint8_t>& img) {
    const std::size_t pixels = std::size_t(h) * std::size_t(w);
    std::vector<std::uint8_t> luma(pixels);
    std::vector<std::int64_t> at_most(256, 0); // pixels at most as bright as the index
    for (std::size_t p = 0; p < pixels; ++p) {
        luma[p] = to_byte(brightness(img[p], img[pixels + p], img[2 * pixels + p]));
        for (std::size_t v = luma[p]; v < 256; ++v)
            ++at_most[v];
    }

    std::vector<std::uint8_t> result(img.size());
    for (std::size_t p = 0; p < pixels; ++p) {
        const float old = luma[p];
        const float blue = 0.564334f * (float(img[2 * pixels + p]) - old);
        const float red = 0.713267f * (float(img[p]) - old);
        const float bright = float(at_most[luma[p]] * 255 / std::int64_t(pixels));
        result[p] = to_byte(bright + 1.402f * red);
        result[pixels + p] = to_byte(bright + (-0.344136f * blue - 0.714136f * red));
        result[2 * pixels + p] = to_byte(bright + 1.772f * blue);
    }
    return result;
}

std::vector<std::uint8_t> iir_blur(int h, int w, const std::vector<std::uint8_t>& img) {
    // Smooths `length` values that lie `stride` apart, forwards and then backwards, in place.
    const auto sweep = [](float* values, int length, std::ptrdiff_t stride) {
        for (int r = 1; r < length; ++r)
            values[r * stride] = 0.1f * values[r * stride] + 0.9f * values[(r - 1) * stride];
        for (int r = length - 2; r >= 0; --r)
            values[r * stride] = 0.1f * values[r * stride] + 0.9f * values[(r + 1) * stride];
    };
    std::vector<float> picture(img.begin(), img.end());
    for (int c = 0; c < 3; ++c) {
        for (int x = 0; x < w; ++x)
            sweep(&picture[place(c, 0, x, h, w)], h, w);
        for (int y = 0; y < h; ++y)
            sweep(&picture[place(c, y, 0, h, w)], w, 1);
    }
    std::vector<std::uint8_t> result;
    for (const float value : picture)
        result.push_back(to_byte(value));
    return result;
}

std::vector<float> matmul(int m, int n, int k, const std::vector<float>& a,
                          const std::vector<float>& b, Accumulation accumulation) {
    std::vector<float> result;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            float sum = 0;
            for (int l = 0; l < k; ++l)
                sum =
                    accumulate(sum, a[place(0, i, l, m, k)], b[place(0, l, j, k, n)], accumulation);
            result.push_back(sum);
        }
    return result;
}

std::vector<float> conv_relu(const ConvSizes& sizes, const std::vector<float>& src,
                             const std::vector<float>& filter, const std::vector<float>& bias,
                             Accumulation accumulation) {
    const auto& [n, h, w, ci, co] = sizes;
    std::vector<float> result;
    for (int picture = 0; picture < n; ++picture)
        for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
                for (int o = 0; o < co; ++o) {
                    float sum = 0;
                    for (int ky = 0; ky < 3; ++ky)
                        for (int kx = 0; kx < 3; ++kx)
                            for (int c = 0; c < ci; ++c) {
                                const int v = y + ky - 1, u = x + kx - 1;
                                const bool inside = v >= 0 && v < h && u >= 0 && u < w;
                                const float sample =
                                    inside ? src[place(picture * h + v, u, c, w, ci)] : 0.0f;
                                sum = accumulate(sum, sample,
                                                 filter[place(ky * 3 + kx, c, o, ci, co)],
                                                 accumulation);
                            }
                    const float biased = sum + bias[std::size_t(o)];
                    result.push_back(biased > 0.0f ? biased : 0.0f);
                }
    return result;
}

} // namespace independent
