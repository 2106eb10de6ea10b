// Products of matrices and convolutions of neural networks, in small types too, as plain loops (see
// independent.h).
#pragma once

#include "tests/programs/independent.h"

#include <cstdint>
#include <vector>

namespace independent {

// IEEE binary16: what it is worth, and the nearest one, half to even. Of finite numbers.
float half_value(std::uint16_t bits);
std::uint16_t half_bits(float value);
std::vector<float> half_values(const std::vector<std::uint16_t>& bits);
std::vector<std::uint16_t> half_bits(const std::vector<float>& values);
// bfloat16.
std::vector<float> brain_values(const std::vector<std::uint16_t>& bits);

// A batch of matrices: [batch, rows, columns] to [batch, columns, rows].
std::vector<float> transposed(int batch, int rows, int columns, const std::vector<float>& matrix);
// a: [batch, m, k]; b: [batch, k, n]; result: [batch, m, n].
std::vector<float> batch_matmul(int batch, int m, int n, int k, const std::vector<float>& a,
                                const std::vector<float>& b, Accumulation accumulation);

// matmul_s8.loop. a: [m, k]; b: [k, n]; result: [m, n].
std::vector<std::int32_t> matmul_s8(int m, int n, int k, const std::vector<std::int8_t>& a,
                                    const std::vector<std::int8_t>& b);

struct WindowSizes {
    int n, d, h, w;      // pictures, and the size of each; d: planes, 1 of a picture
    int c, k;            // input and output channels
    int t, r, s;         // planes, rows and columns of the window
    int stride, padding; // in planes too, where there is more than one
    int depth() const { return d == 1 && t == 1 ? 1 : (d + 2 * padding - t) / stride + 1; }
    int height() const { return (h + 2 * padding - r) / stride + 1; }
    int width() const { return (w + 2 * padding - s) / stride + 1; }
    int places() const { return depth() * height() * width(); } // where the window stands
};

// conv2d_f16.loop and conv3d_f16.loop, of widened numbers. src: [n, d, h, w, c]; filter: [t, r, s,
// c, k]; result: [n, depth, height, width, k].
std::vector<float> convolution_channels_last(const WindowSizes& sizes,
                                             const std::vector<float>& src,
                                             const std::vector<float>& filter,
                                             Accumulation accumulation);

// conv2d.loop. src: [n, c, h, w]; filter: [k, c, r, s]; result: [n, k, height, width].
std::vector<float> convolution_channels_first(const WindowSizes& sizes,
                                              const std::vector<float>& src,
                                              const std::vector<float>& filter,
                                              Accumulation accumulation);

// depthwise_conv2d.loop. src: [n, c, h, w]; filter: [c, r, s]; result: [n, c, height, width].
std::vector<float> depthwise_convolution(const WindowSizes& sizes, const std::vector<float>& src,
                                         const std::vector<float>& filter,
                                         Accumulation accumulation);

} // namespace independent
