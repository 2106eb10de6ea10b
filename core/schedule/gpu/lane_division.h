#pragma once
// Which points of loops are each lane's: those whose elements of fragments it holds.

#include "core/schedule/gpu/fragments.h"
#include "core/schedule/tensor_spans.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

using FragmentLayouts = std::map<std::string, FragmentLayout>; // by stage

// What a point reads or writes of a stage in fragments.
struct FragmentAccess {
    std::string stage;
    std::vector<LinearForm> from; // per dimension: counted from the first element in memory
};

// The loops `inside`, of which `from` is the outermost, divided among the lanes by the first
// access's fragment. Nothing: they run over no whole tiles of it, or another access's elements are
// not in one tile and one register of the lane itself, for all lanes.
std::optional<LaneWork> divided_by_lanes(const TreeNode& from, const InnerLoops& inside,
                                         const std::vector<FragmentAccess>& accesses,
                                         const FragmentLayouts& layouts);

} // namespace loopscope
