#pragma once
// Ticks of an axis at numbers that people read: 1, 2 and 5 times powers of ten.

#include <vector>

namespace loopscope::views {

// The smallest round number that is not below `least`; 0 where that is not above 0.
double round_step(double least);
// The multiples of `step` from `low` to `high`, both included; none where the step is not above 0.
std::vector<double> round_ticks(double low, double high, double step);

} // namespace loopscope::views
