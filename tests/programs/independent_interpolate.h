#pragma once
// interpolate.loop once more, pixel by pixel, to check the product against; see independent.h.

#include <cstdint>
#include <vector>

namespace independent {

// img: [4, h, w], the last plane alpha; result: [3, h, w].
std::vector<std::uint8_t> interpolate(int h, int w, const std::vector<std::uint8_t>& img);

} // namespace independent
