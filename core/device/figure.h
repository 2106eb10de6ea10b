#pragma once
// A number of a device's description, with where it comes from.

#include <string>

namespace loopscope::device {

// A failure or an unknown is an absent Figure, never a zero.
struct Figure {
    double value = 0;
    std::string source; // "hwloc", "measured 2026-11-20", "datasheet: …"
};

} // namespace loopscope::device
