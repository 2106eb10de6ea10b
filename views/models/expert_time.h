#pragma once
// How the present schedule does beside the one that is shipped for its pipeline and device.

#include <string>

namespace loopscope::views {

struct ExpertTime {
    std::string file;               // the shipped schedule's, without its folder
    double expert = 0, present = 0; // seconds, found in one way
    bool measured = false;          // both were, on the present device; else both are estimates
    bool only_one_measured = false;
    double share() const { return expert / present; } // 0.57: how near the present one is
    bool operator==(const ExpertTime&) const = default;
};

} // namespace loopscope::views
