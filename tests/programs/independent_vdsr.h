// vdsr.loop as plain loops (see independent.h).
#pragma once

#include "tests/programs/independent.h"

#include <cstdint>
#include <vector>

namespace independent {

struct VdsrSizes {
    int h, w; // the large picture
    int scale;
    int channels;
    int layers;
};

struct VdsrWeights {
    std::vector<float> filter_first; // [3, 3, channels]
    std::vector<float> filters;      // [layers - 2, 3, 3, channels, channels]
    std::vector<float> filter_last;  // [3, 3, channels]
    std::vector<float> bias;         // [layers - 1, channels]
    float bias_last;
};

struct VdsrResult {
    std::vector<float> correction; // [h, w]
    std::vector<std::uint8_t> out; // [h, w]
};

// low: [3, ceil(h/scale), ceil(w/scale)].
VdsrResult vdsr(const VdsrSizes& sizes, const std::vector<std::uint8_t>& low,
                const VdsrWeights& weights, Accumulation accumulation);

// What the network starts from, in double and by Keys's kernel: brightness enlarged by cubic
// convolution. From 0 to 1.
std::vector<double> bicubic(const VdsrSizes& sizes, const std::vector<std::uint8_t>& low);

} // namespace independent
