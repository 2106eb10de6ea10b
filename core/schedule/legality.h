#pragma once
// Is a definition's nest, as it stands, allowed by its dependences? Points of pure definitions are independent; those
// of a reduction meet in one accumulator along its reduction axes; those of an update meet where their accesses say.

#include "core/base/result.h"
#include "core/schedule/state.h"

#include <string>

namespace loopscope {

// Order, parallel and vectorised loops of one definition. The refusal names the loop, the two accesses that meet and
// their distance, or the rule, and what would be legal.
Status check_nest(const ScheduleState& state, const std::string& stage, int definition);

// Does the nest change the order in which floats are summed or multiplied, so that results may differ in rounding?
bool reassociates(const ScheduleState& state, const std::string& stage, int definition);

} // namespace loopscope
