#pragma once
// Decides by bounds of its variables whether a set of integer points is empty: conditions narrow
// the bounds, and where that does not decide, a variable's range is halved, until the conditions
// hold in all of a part, or no part is left. Exact where it answers.

#include "core/polyhedral/point_set.h"

namespace loopscope::polyhedral {

// Steps of one search: terms of conditions that are looked at. Some milliseconds.
constexpr std::size_t kSearchSteps = 2'000'000;

// Unknown: too many steps, variables without bounds, or numbers too large to add up safely.
Emptiness search(const PointSet& set, std::size_t steps = kSearchSteps);

} // namespace loopscope::polyhedral
