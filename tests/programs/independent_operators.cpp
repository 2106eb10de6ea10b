#include "tests/programs/independent_operators.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace independent {
namespace {

template <class T> std::vector<T> part(const std::vector<T>& all, int index, int parts) {
    const auto size = std::ptrdiff_t(all.size()) / parts;
    return {all.begin() + index * size, all.begin() + (index + 1) * size};
}

template <class T> void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

// An array of channels and of planes, rows and columns, in either order.
struct Volume {
    const WindowSizes& sizes;
    const float* first;
    bool channels_first;

    float at(int z, int y, int x, int c) const {
        if (z < 0 || z >= sizes.d || y < 0 || y >= sizes.h || x < 0 || x >= sizes.w)
            return 0;
        const auto pixel =
            (std::ptrdiff_t(z) * sizes.h + std::ptrdiff_t(y)) * sizes.w + std::ptrdiff_t(x);
        const auto pixels = std::ptrdiff_t(sizes.d) * sizes.h * sizes.w;
        return first[channels_first ? c * pixels + pixel : pixel * sizes.c + c];
    }
};

// What a window sees of one channel, written out after what it has seen.
void look(const WindowSizes& sizes, const Volume& volume, int z, int y, int x, int c,
          std::vector<float>& seen) {
    for (int t = 0; t < sizes.t; ++t)
        for (int r = 0; r < sizes.r; ++r)
            for (int s = 0; s < sizes.s; ++s)
                seen.push_back(volume.at(z + t, y + r, x + s, c));
}

// A row for each place of the window: so a convolution becomes a product of matrices.
template <class Row> std::vector<float> rows_of_windows(const WindowSizes& sizes, const Row& row) {
    std::vector<float> rows;
    const int before = sizes.padding, planes_before = sizes.d == 1 && sizes.t == 1 ? 0 : before;
    for (int o = 0; o < sizes.depth(); ++o)
        for (int p = 0; p < sizes.height(); ++p)
            for (int q = 0; q < sizes.width(); ++q)
                row(o * sizes.stride - planes_before, p * sizes.stride - before,
                    q * sizes.stride - before, rows);
    return rows;
}

} // namespace

float half_value(std::uint16_t bits) {
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    const float magnitude = exponent == 0 ? std::ldexp(float(mantissa), -24)
                                          : std::ldexp(float(1024 + mantissa), exponent - 25);
    return bits & 0x8000 ? -magnitude : magnitude;
}

std::uint16_t half_bits(float value) {
    const auto sign = std::signbit(value) ? 0x8000u : 0u;
    const double magnitude = std::fabs(double(value));
    if (magnitude >= 65520) // halfway from the greatest to what would follow
        return std::uint16_t(sign | 0x7c00u);
    // Steps of the numbers that are as large: 1024 to 2047 of them, below 2^-14 fewer. 2048 carry
    // into the exponent.
    const int exponent = magnitude == 0 ? -14 : std::max(std::ilogb(magnitude), -14);
    const auto steps = unsigned(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
    return std::uint16_t(sign | ((unsigned(exponent + 15) << 10) + steps - 1024));
}

std::vector<float> half_values(const std::vector<std::uint16_t>& bits) {
    std::vector<float> out;
    for (auto one : bits)
        out.push_back(half_value(one));
    return out;
}

std::vector<std::uint16_t> half_bits(const std::vector<float>& values) {
    std::vector<std::uint16_t> out;
    for (float one : values)
        out.push_back(half_bits(one));
    return out;
}

std::vector<float> brain_values(const std::vector<std::uint16_t>& bits) {
    std::vector<float> out(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) {
        const auto wide = std::uint32_t(bits[i]) << 16;
        std::memcpy(&out[i], &wide, sizeof wide);
    }
    return out;
}

std::vector<float> transposed(int batch, int rows, int columns, const std::vector<float>& matrix) {
    std::vector<float> out;
    for (std::ptrdiff_t b = 0; b < batch; ++b)
        for (std::ptrdiff_t j = 0; j < columns; ++j)
            for (std::ptrdiff_t i = 0; i < rows; ++i)
                out.push_back(matrix[std::size_t((b * rows + i) * columns + j)]);
    return out;
}

std::vector<float> batch_matmul(int batch, int m, int n, int k, const std::vector<float>& a,
                                const std::vector<float>& b, Accumulation accumulation) {
    std::vector<float> out;
    for (int i = 0; i < batch; ++i)
        append(out, matmul(m, n, k, part(a, i, batch), part(b, i, batch), accumulation));
    return out;
}

std::vector<std::int32_t> matmul_s8(int m, int n, int k, const std::vector<std::int8_t>& a,
                                    const std::vector<std::int8_t>& b) {
    std::vector<std::int32_t> out(std::size_t(m) * std::size_t(n));
    for (std::size_t i = 0; i < std::size_t(m); ++i)
        for (std::size_t t = 0; t < std::size_t(k); ++t)
            for (std::size_t j = 0; j < std::size_t(n); ++j)
                out[i * std::size_t(n) + j] +=
                    int(a[i * std::size_t(k) + t]) * int(b[t * std::size_t(n) + j]);
    return out;
}

std::vector<float> convolution_channels_last(const WindowSizes& sizes,
                                             const std::vector<float>& src,
                                             const std::vector<float>& filter,
                                             Accumulation accumulation) {
    std::vector<float> out;
    for (int n = 0; n < sizes.n; ++n) {
        const auto picture = part(src, n, sizes.n);
        const Volume volume{sizes, picture.data(), false};
        const auto rows =
            rows_of_windows(sizes, [&](int z, int y, int x, std::vector<float>& seen) {
                for (int t = 0; t < sizes.t; ++t)
                    for (int r = 0; r < sizes.r; ++r)
                        for (int s = 0; s < sizes.s; ++s)
                            for (int c = 0; c < sizes.c; ++c)
                                seen.push_back(volume.at(z + t, y + r, x + s, c));
            });
        append(out, matmul(sizes.places(), sizes.k, sizes.t * sizes.r * sizes.s * sizes.c, rows,
                           filter, accumulation));
    }
    return out;
}

std::vector<float> convolution_channels_first(const WindowSizes& sizes,
                                              const std::vector<float>& src,
                                              const std::vector<float>& filter,
                                              Accumulation accumulation) {
    const int terms = sizes.c * sizes.r * sizes.s;
    const auto columns = transposed(1, sizes.k, terms, filter);
    std::vector<float> out;
    for (int n = 0; n < sizes.n; ++n) {
        const auto picture = part(src, n, sizes.n);
        const Volume volume{sizes, picture.data(), true};
        const auto rows =
            rows_of_windows(sizes, [&](int z, int y, int x, std::vector<float>& seen) {
                for (int c = 0; c < sizes.c; ++c)
                    look(sizes, volume, z, y, x, c, seen);
            });
        append(out,
               transposed(1, sizes.places(), sizes.k,
                          matmul(sizes.places(), sizes.k, terms, rows, columns, accumulation)));
    }
    return out;
}

std::vector<float> depthwise_convolution(const WindowSizes& sizes, const std::vector<float>& src,
                                         const std::vector<float>& filter,
                                         Accumulation accumulation) {
    std::vector<float> out;
    for (int n = 0; n < sizes.n; ++n) {
        const auto picture = part(src, n, sizes.n);
        const Volume volume{sizes, picture.data(), true};
        for (int c = 0; c < sizes.c; ++c) {
            const auto rows =
                rows_of_windows(sizes, [&](int z, int y, int x, std::vector<float>& seen) {
                    look(sizes, volume, z, y, x, c, seen);
                });
            append(out, matmul(sizes.places(), 1, sizes.r * sizes.s, rows, part(filter, c, sizes.c),
                               accumulation));
        }
    }
    return out;
}

} // namespace independent
