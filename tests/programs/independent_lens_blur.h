#pragma once
// lens_blur.loop once more, as plain loops over whole planes, to check the product against; see
// independent.h.

#include <cstdint>
#include <vector>

namespace independent {

struct LensBlurSizes {
    int h;
    int w;
    int slices;
    int focus;
    int samples;
    int levels;
};

struct LensBlurResult {
    std::vector<int> slice;          // of least cost, [h, w]
    std::vector<std::uint8_t> depth; // the same for the eye, [h, w]
    std::vector<std::uint8_t> out;   // [3, h, w]
};

// left, right: [3, h, w].
LensBlurResult lens_blur(const LensBlurSizes& sizes, const std::vector<std::uint8_t>& left,
                         const std::vector<std::uint8_t>& right);

} // namespace independent
