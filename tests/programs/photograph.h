#pragma once
// The photograph that is shipped, to try programs on what they are for.

#include <cstdint>
#include <vector>

namespace loopscope::test {

struct Photograph {
    int h = 0, w = 0;
    std::vector<std::uint8_t> pixels; // [3, h, w]
};

// Every `step`-th pixel of resources/images/rocket.png, so that it stays sharp. Throws with the
// diagnostics.
Photograph photograph(int step);

} // namespace loopscope::test
