#pragma once
// Blocks of a cluster that need the same part of an array ask the copy engine for it together,
// which brings it to all of them (compiler/lower/gpu/multicast_copies.cpp, by the same rule, of the
// tree): where warps that do nothing else load a stage, and what of it a block needs does not
// depend on its number in the cluster.

#include "core/schedule/tree.h"

#include <cstdint>

namespace loopscope {

// How many blocks share each copy of a stage; 1: it is each block's own.
std::int64_t blocks_that_share(const ScheduleTree& tree, const std::string& stage);

} // namespace loopscope
