#pragma once
// How a measurement spends its budget before samples are taken: the worker keeps to it, and the
// window predicts by it.

#include <algorithm>

namespace loopscope::measure {

// Seconds of warm-up where a run is shorter than that; longer runs warm up twice.
constexpr double warm_up_seconds(double budget) {
    constexpr double kShareOfBudget = 0.2, kMaxSeconds = 0.2;
    return std::min(kMaxSeconds, budget * kShareOfBudget);
}

} // namespace loopscope::measure
