#pragma once
// non_local_means.loop once more, in doubles and with whole patches, to check the product against;
// see independent.h.

#include <cstdint>
#include <vector>

namespace independent {

// The weighted means before they are rounded to bytes. img, result: [3, h, w].
std::vector<double> non_local_means(int h, int w, const std::vector<std::uint8_t>& img);

} // namespace independent
