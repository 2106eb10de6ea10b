#include "app/session/expected_time.h"

#include <algorithm>

namespace loopscope::session {

namespace {
// As compiler/worker/measure.cpp plans its runs.
constexpr double kShareOfBudgetForWarmUp = 0.2, kLongestWarmUp = 0.2; // seconds, of short runs
} // namespace

ExpectedTime expected_measurement(double predicted, double budget) {
    if (predicted > budget)
        return {predicted, true};
    const double warm_up =
        std::max(2 * predicted, std::min(kLongestWarmUp, budget * kShareOfBudgetForWarmUp));
    return {warm_up + std::max(budget, predicted), false};
}

} // namespace loopscope::session
