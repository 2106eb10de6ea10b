#include "app/session/expected_time.h"

#include "compiler/measure/run_plan.h"

#include <algorithm>

namespace loopscope::session {

ExpectedTime expected_measurement(double predicted, double budget) {
    if (predicted > budget)
        return {predicted, true};
    const double warm_up = std::max(2 * predicted, measure::warm_up_seconds(budget));
    return {warm_up + std::max(budget, predicted), false};
}

} // namespace loopscope::session
