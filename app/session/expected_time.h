#pragma once
// How long a measurement will take, so that nobody waits without knowing for what.

#include <optional>

namespace loopscope::session {

struct ExpectedTime {
    double seconds = 0; // of the runs; compiling comes on top
    bool once = false;  // one run takes longer than the budget: that run is the sample
};

// `predicted`: seconds of one run by the estimate. Counts the runs that the worker makes: at least
// two to warm up, then samples until the budget of seconds is spent. Runs that differ little end it
// sooner.
ExpectedTime expected_measurement(double predicted, double budget);

// The runs go on for so long already that the prediction was wrong, not merely rough.
bool longer_than_expected(const ExpectedTime& expected, double seconds_of_runs);

} // namespace loopscope::session
