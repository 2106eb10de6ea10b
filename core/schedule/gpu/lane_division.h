#pragma once
// The division of loops among lanes: each lane has the points whose elements of fragments it holds.

#include "core/schedule/gpu/fragments.h"
#include "core/schedule/tensor_spans.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

using FragmentLayouts = std::map<std::string, FragmentLayout>; // by stage

// A point's access to a stage in fragments.
struct FragmentAccess {
    std::string stage;
    std::vector<LinearForm> from; // per dimension: counted from the first element in memory
};

// Divides the loops `inside`, of which `from` is the outermost, among the lanes by the first
// access's fragment. Nothing: they run over no whole tiles of it, or the elements of another access
// are not, for all lanes, in one tile and one register of the lane itself.
std::optional<LaneWork> divided_by_lanes(const TreeNode& from, const InnerLoops& inside,
                                         const std::vector<FragmentAccess>& accesses,
                                         const FragmentLayouts& layouts);

} // namespace loopscope
