#pragma once
// Copies that belong together, as the two operands of a matrix product in shared memory: what is
// decided for one is seldom right without the other.

#include "core/schedule/identity.h"
#include "core/schedule/state.h"

#include <string>
#include <vector>

namespace loopscope {

// The other copies that serve the same definitions from the same scope, and are computed at the
// same place, each of another source; in the order of the schedule. Names say nothing here. Empty:
// the stage is no copy, or stands alone.
std::vector<std::string> companions(const ScheduleState& state, const std::string& stage);

// The node of `stage` that stands where `id` stands in its own stage: a loop's counterpart is the
// one as deep in a nest of as many. The root's identity: there is none.
NodeId counterpart(const ScheduleState& state, const NodeId& id, const std::string& stage);

} // namespace loopscope
