#pragma once
// pyramid_blend.loop once more, one channel at a time, to check the product against; see
// independent.h.

#include <cstdint>
#include <vector>

namespace independent {

// first, second, result: [3, h, w]; mask: [h, w], 255 where the first is seen.
std::vector<std::uint8_t> pyramid_blend(int h, int w, const std::vector<std::uint8_t>& first,
                                        const std::vector<std::uint8_t>& second,
                                        const std::vector<std::uint8_t>& mask);

} // namespace independent
