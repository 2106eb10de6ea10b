#pragma once
// Multicast copies: blocks of a cluster that need the same part of an array ask the tensor memory
// accelerator (TMA) for it together, which brings it to all of them
// (compiler/lower/gpu/multicast_copies.cpp does so by the same rule). They do where producer
// warpgroups load a stage, and the part of it that a block needs does not depend on its number in
// the cluster.

#include "core/schedule/tree.h"

#include <cstdint>

namespace loopscope {

// How many blocks share each copy of a stage; 1: it is each block's own.
std::int64_t blocks_that_share(const ScheduleTree& tree, const std::string& stage);

} // namespace loopscope
