#include "tests/programs/independent_vdsr.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace independent {
namespace {

// A picture whose border pixels repeat outside.
template <typename T> struct Picture {
    int h, w;
    std::vector<T> data;
    Picture(int rows, int columns)
        : h(rows), w(columns), data(std::size_t(rows) * std::size_t(columns)) {}
    T& at(int y, int x) { return data[std::size_t(y) * std::size_t(w) + std::size_t(x)]; }
    T near(int y, int x) const {
        return data[std::size_t(std::clamp(y, 0, h - 1)) * std::size_t(w) +
                    std::size_t(std::clamp(x, 0, w - 1))];
    }
};

// Where pixel n of the large picture lies in the small one: at `before` + step/(2 scale).
struct Place {
    int before, step;
};

Place place(int n, int scale) {
    // In halves of a large pixel from the centre of small pixel -1, which lies before all of them.
    int halves = 2 * n + 1 - scale + 2 * scale;
    return {halves / (2 * scale) - 1, halves % (2 * scale)};
}

float between(float a, float b, float c, float d, float t) {
    float third = 3.0f * (b - c) + d - a;
    float second = 2.0f * a - 5.0f * b + 4.0f * c - d + t * third;
    float first = c - a + t * second;
    return b + 0.5f * t * first;
}

Picture<float> brightness(const VdsrSizes& s, const std::vector<std::uint8_t>& low) {
    Picture<float> grey((s.h + s.scale - 1) / s.scale, (s.w + s.scale - 1) / s.scale);
    const auto plane = grey.data.size();
    for (std::size_t n = 0; n < plane; ++n)
        grey.data[n] = (0.299f * float(low[n]) + 0.587f * float(low[plane + n]) +
                        0.114f * float(low[2 * plane + n])) /
                       255.0f;
    return grey;
}

Picture<float> enlarged(const VdsrSizes& s, const Picture<float>& small) {
    Picture<float> wide(small.h, s.w), large(s.h, s.w);
    for (int x = 0; x < s.w; ++x) {
        auto [p, step] = place(x, s.scale);
        float t = float(step) / float(2 * s.scale);
        for (int y = 0; y < small.h; ++y)
            wide.at(y, x) = between(small.near(y, p - 1), small.near(y, p), small.near(y, p + 1),
                                    small.near(y, p + 2), t);
    }
    for (int y = 0; y < s.h; ++y) {
        auto [p, step] = place(y, s.scale);
        float t = float(step) / float(2 * s.scale);
        for (int x = 0; x < s.w; ++x)
            large.at(y, x) = between(wide.near(p - 1, x), wide.near(p, x), wide.near(p + 1, x),
                                     wide.near(p + 2, x), t);
    }
    return large;
}

// One convolution: every input pixel's channels are read where the window lies inside the picture.
std::vector<float> convolve(const VdsrSizes& s, const std::vector<float>& input, int in, int out,
                            const float* filter, Accumulation accumulation) {
    std::vector<float> result(std::size_t(s.h) * std::size_t(s.w) * std::size_t(out));
    for (int y = 0; y < s.h; ++y)
        for (int x = 0; x < s.w; ++x)
            for (int co = 0; co < out; ++co) {
                float sum = 0;
                for (int v = -1; v <= 1; ++v)
                    for (int u = -1; u <= 1; ++u) {
                        if (y + v < 0 || y + v >= s.h || x + u < 0 || x + u >= s.w)
                            continue;
                        for (int ci = 0; ci < in; ++ci) {
                            float a = input[std::size_t(((y + v) * s.w + x + u) * in + ci)];
                            float b = filter[(((v + 1) * 3 + u + 1) * in + ci) * out + co];
                            sum = accumulation == Accumulation::fused ? std::fma(a, b, sum)
                                                                      : sum + a * b;
                        }
                    }
                result[std::size_t((y * s.w + x) * out + co)] = sum;
            }
    return result;
}

void rectify(std::vector<float>& channels, const float* bias, int count) {
    for (std::size_t n = 0; n < channels.size(); ++n)
        channels[n] = std::max(channels[n] + bias[n % std::size_t(count)], 0.0f);
}

// Keys's cubic convolution kernel with a = -1/2.
double keys(double x) {
    x = std::fabs(x);
    if (x <= 1)
        return (1.5 * x - 2.5) * x * x + 1;
    return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0;
}

} // namespace

VdsrResult vdsr(const VdsrSizes& s, const std::vector<std::uint8_t>& low,
                const VdsrWeights& weights, Accumulation accumulation) {
    auto picture = enlarged(s, brightness(s, low));
    auto channels =
        convolve(s, picture.data, 1, s.channels, weights.filter_first.data(), accumulation);
    rectify(channels, weights.bias.data(), s.channels);
    for (int l = 0; l < s.layers - 2; ++l) {
        channels = convolve(s, channels, s.channels, s.channels,
                            weights.filters.data() + l * 9 * s.channels * s.channels, accumulation);
        rectify(channels, weights.bias.data() + (l + 1) * s.channels, s.channels);
    }
    VdsrResult result;
    result.correction =
        convolve(s, channels, s.channels, 1, weights.filter_last.data(), accumulation);
    for (std::size_t n = 0; n < picture.data.size(); ++n) {
        result.correction[n] += weights.bias_last;
        float sum = picture.data[n] + result.correction[n];
        result.out.push_back(std::uint8_t(std::nearbyintf(255.0f * std::clamp(sum, 0.0f, 1.0f))));
    }
    return result;
}

std::vector<double> bicubic(const VdsrSizes& s, const std::vector<std::uint8_t>& low) {
    const int h = (s.h + s.scale - 1) / s.scale, w = (s.w + s.scale - 1) / s.scale;
    std::vector<double> result;
    for (int y = 0; y < s.h; ++y)
        for (int x = 0; x < s.w; ++x) {
            double cy = (y + 0.5) / s.scale - 0.5, cx = (x + 0.5) / s.scale - 0.5, sum = 0;
            for (int v = int(std::floor(cy)) - 1; v <= int(std::floor(cy)) + 2; ++v)
                for (int u = int(std::floor(cx)) - 1; u <= int(std::floor(cx)) + 2; ++u) {
                    auto at = std::size_t(std::clamp(v, 0, h - 1) * w + std::clamp(u, 0, w - 1));
                    double grey = (0.299 * low[at] + 0.587 * low[at + std::size_t(h * w)] +
                                   0.114 * low[at + std::size_t(2 * h * w)]) /
                                  255;
                    sum += keys(cy - v) * keys(cx - u) * grey;
                }
            result.push_back(sum);
        }
    return result;
}

} // namespace independent
