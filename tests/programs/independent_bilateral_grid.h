#pragma once
// bilateral_grid.loop once more, to check the product against; see independent.h.

#include <vector>

namespace independent {

struct BilateralGridSizes {
    int h, w;
    int s = 8;  // pixels along the side of a cell
    int z = 10; // steps of brightness
};

// Bit for bit what the program computes. img, result: [h, w].
std::vector<float> bilateral_grid(const BilateralGridSizes& sizes, const std::vector<float>& img);

} // namespace independent
