#pragma once
// Layouts of stages in fragments, and of other operands in memory, as the tensor instructions need
// them that take them.

#include "core/schedule/gpu/fragments.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

struct FoundLayouts {
    Fragments found;                               // layouts, matrices, orders, problems
    std::map<std::string, const TreeNode*> stages; // all that are in fragments: their memory
    std::set<std::string> refused;                 // stages of which a problem speaks already
};

FoundLayouts find_layouts(const ScheduleTree& tree);

// "16 x 8"
std::string times(const std::vector<std::int64_t>& extents);
// The unit that runs the instruction: a warp, a warpgroup.
std::string unit_of(const Intrinsic& intrinsic);

} // namespace loopscope
