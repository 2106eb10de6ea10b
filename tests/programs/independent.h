// The bundled programs once more, as plain loops, to check the product against.
//
// Nothing here uses the project's own code: an error that the interpreter and the compiler share
// would otherwise go unseen. Each function is written from the algorithm; where rounding matters it
// computes in the order in which the `.loop` text writes it, so that results can be compared bit
// for bit. Compile with -ffp-contract=off.
//
// Arrays are flat vectors in row-major order: the last index is contiguous. Their shapes stand
// beside each function, and inputs must have them. Inputs are finite: with NaN or infinity the two
// sides may differ.
#pragma once

#include <cstdint>
#include <vector>

namespace independent {

// copy.loop. img, result: [h, w].
std::vector<float> copy(int h, int w, const std::vector<float>& img);

// blur.loop. img: [h + 2, w + 2]; result: [h, w].
std::vector<std::uint16_t> blur(int h, int w, const std::vector<std::uint16_t>& img);

// unsharp.loop. img, result: [3, h, w].
std::vector<std::uint8_t> unsharp(int h, int w, const std::vector<std::uint8_t>& img);

struct HarrisResult {
    std::vector<float> out;            // the response, [h, w]
    std::vector<std::uint8_t> corners; // the picture with its corners marked, [h, w]
};

// harris.loop. img: [3, h, w].
HarrisResult harris(int h, int w, const std::vector<std::uint8_t>& img);

// histogram_equalise.loop. img, result: [3, h, w].
std::vector<std::uint8_t> histogram_equalise(int h, int w, const std::vector<std::uint8_t>& img);

// iir_blur.loop. img, result: [3, h, w].
std::vector<std::uint8_t> iir_blur(int h, int w, const std::vector<std::uint8_t>& img);

// How a product is added to a sum: rounded twice, or once as a fused multiply-add. The second is
// what a stage computes under the directive `contract()`.
enum class Accumulation { separate, fused };

// matmul.loop. a: [m, k]; b: [k, n]; result: [m, n].
std::vector<float> matmul(int m, int n, int k, const std::vector<float>& a,
                          const std::vector<float>& b,
                          Accumulation accumulation = Accumulation::separate);

struct ConvSizes {
    int n;  // pictures
    int h;  // rows
    int w;  // columns
    int ci; // input channels
    int co; // output channels
};

// conv_relu.loop. src: [n, h, w, ci]; filter: [3, 3, ci, co]; bias: [co]; result: [n, h, w, co].
std::vector<float> conv_relu(const ConvSizes& sizes, const std::vector<float>& src,
                             const std::vector<float>& filter, const std::vector<float>& bias,
                             Accumulation accumulation = Accumulation::separate);

// mask.loop. img, allowed, result: [h, w].
std::vector<std::int32_t> mask(int h, int w, const std::vector<std::int32_t>& img,
                               const std::vector<std::int32_t>& allowed);

// transpose.loop. img: [w, h]; result: [h, w].
std::vector<float> transpose(int h, int w, const std::vector<float>& img);

// transpose_mask.loop. img: [w, h]; allowed, result: [h, w].
std::vector<std::int32_t> transpose_mask(int h, int w, const std::vector<std::int32_t>& img,
                                         const std::vector<std::int32_t>& allowed);

// gemm.loop. a: [m, k]; b: [k, n]; c, result: [m, n].
std::vector<float> gemm(int m, int n, int k, float alpha, float beta, const std::vector<float>& a,
                        const std::vector<float>& b, const std::vector<float>& c,
                        Accumulation accumulation = Accumulation::separate);

// three_matmul.loop. All [n, n].
std::vector<float> three_matmul(int n, const std::vector<float>& a, const std::vector<float>& b,
                                const std::vector<float>& c, const std::vector<float>& d,
                                Accumulation accumulation = Accumulation::separate);

// stencil_chain.loop. img, result: [h, w].
std::vector<std::uint16_t> stencil_chain(int h, int w, const std::vector<std::uint16_t>& img);

// max_filter.loop, pixel by pixel over the whole disc. img, result: [3, h, w].
std::vector<float> max_filter(int h, int w, const std::vector<float>& img);

// softmax.loop in double. x, result: [n, d].
std::vector<double> softmax(int n, int d, const std::vector<float>& x);

// layer_norm.loop in double. x, result: [n, d]; gain, bias: [d].
std::vector<double> layer_norm(int n, int d, const std::vector<float>& x,
                               const std::vector<float>& gain, const std::vector<float>& bias);

struct ArgmaxResult {
    std::vector<float> value;        // [n]
    std::vector<std::int32_t> place; // [n]
};

// argmax_rows.loop. x: [n, d].
ArgmaxResult argmax(int n, int d, const std::vector<float>& x);

// cumulative_sum.loop. x, result: [n, d].
std::vector<float> cumulative_sum(int n, int d, const std::vector<float>& x);

// depthwise_separable.loop. src: [n, h, w, ci]; filter: [3, 3, ci]; mix: [ci, co]; bias: [co];
// result: [n, h, w, co].
std::vector<float> depthwise_separable(const ConvSizes& sizes, const std::vector<float>& src,
                                       const std::vector<float>& filter,
                                       const std::vector<float>& mix,
                                       const std::vector<float>& bias, Accumulation accumulation);

} // namespace independent
