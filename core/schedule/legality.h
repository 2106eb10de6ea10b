#pragma once
// Is a definition's nest, as it stands, allowed by its dependences? Points of pure definitions are independent; those
// of a reduction meet in one accumulator along its reduction axes; those of an update meet where their accesses say.

#include "core/base/result.h"
#include "core/schedule/state.h"

#include <string>
#include <vector>

namespace loopscope {

// Order, parallel and vectorised loops of one definition. The refusal names the loop, the two accesses that meet and
// their distance, or the rule, and what would be legal.
Status check_nest(const ScheduleState& state, const std::string& stage, int definition);

// The remedy where a loop of the definition `name` cannot run as asked, because of the dependences it carries.
std::string carried_remedy(bool parallel, const std::string& name,
                           const std::vector<std::string>& legal);
// The code of refusals with the remedy for vectorised loops. It is by the loops as they stand: a directive that split
// one first says instead what is legal in its own words.
inline constexpr const char* kCodeVectorDependence = "dependence-vectorise";

// Does the nest change the order in which floats are summed or multiplied, so that results may differ in rounding?
bool reassociates(const ScheduleState& state, const std::string& stage, int definition);

} // namespace loopscope
