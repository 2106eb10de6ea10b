#pragma once
// What stays selected when the schedule changes under a selection.

#include "core/schedule/tree.h"

#include <vector>

namespace loopscope::session {

// The node itself where it still stands. A loop that was split becomes its outer part, one that was
// fused the fused loop, a part the loop that it was made of; else the stage, else the program's
// first output.
NodeId surviving_selection(const ScheduleTree& before, const ScheduleTree& after, const NodeId& id);
// What is selected beside `selection`: each where something of its own stage is left of it.
std::vector<NodeId> surviving_others(const ScheduleTree& before, const ScheduleTree& after,
                                     const std::vector<NodeId>& others, const NodeId& selection);

} // namespace loopscope::session
