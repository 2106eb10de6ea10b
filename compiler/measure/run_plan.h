#pragma once
// How a measurement spends its budget before samples are taken: the worker runs by it, and the
// window foretells by it.

#include <algorithm>

namespace loopscope::measure {

// Seconds of warm-up, of runs that are shorter than that; longer ones warm up twice.
constexpr double warm_up_seconds(double budget) {
    constexpr double kShareOfBudget = 0.2, kMaxSeconds = 0.2;
    return std::min(kMaxSeconds, budget * kShareOfBudget);
}

} // namespace loopscope::measure
