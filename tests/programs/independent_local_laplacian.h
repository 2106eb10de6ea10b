// local_laplacian.loop once more, as plain loops: see independent.h for the rules.
#pragma once

#include <cstdint>
#include <vector>

namespace independent {

// The colours of the result before they are rounded to bytes: about 0 to 255, not limited to it.
// img, result: [3, h, w]; `steps` is the number of levels of brightness.
std::vector<float> local_laplacian(int h, int w, int steps, const std::vector<std::uint8_t>& img);

} // namespace independent
