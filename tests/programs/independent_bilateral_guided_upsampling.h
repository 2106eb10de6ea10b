#pragma once
// bilateral_guided_upsampling.loop once more, to check the product against; see independent.h.

#include <vector>

namespace independent {

struct GuidedUpsamplingSizes {
    int h, w;     // of the large picture
    int down = 8; // how much smaller the small ones are
    int s = 16;   // small pixels along the side of a cell
    int z = 8;    // steps of brightness

    int small_h() const { return (h + down - 1) / down; }
    int small_w() const { return (w + down - 1) / down; }
};

// Bit for bit what the program computes. before, after: [3, small_h, small_w]; img, result: [3, h,
// w].
std::vector<float> bilateral_guided_upsampling(const GuidedUpsamplingSizes& sizes,
                                               const std::vector<float>& before,
                                               const std::vector<float>& after,
                                               const std::vector<float>& img);

} // namespace independent
