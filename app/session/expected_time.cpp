#include "app/session/expected_time.h"

#include "compiler/measure/run_plan.h"

#include <algorithm>

namespace loopscope::session {

namespace {
constexpr double kRough = 1.5; // times the expected seconds: what a prediction may be off by
}

ExpectedTime expected_measurement(double predicted, double budget) {
    if (predicted > budget)
        return {predicted, true};
    const double warm_up = std::max(2 * predicted, measure::warm_up_seconds(budget));
    return {warm_up + std::max(budget, predicted), false};
}

bool longer_than_expected(const ExpectedTime& expected, double seconds_of_runs) {
    return seconds_of_runs > kRough * expected.seconds;
}

} // namespace loopscope::session
