#pragma once
// S.persistent(a): a loop that is bound to blocks runs in as many blocks as a GPU holds at once,
// each of which takes one of its iterations after another: b, b + grid, b + 2*grid, … How many
// blocks that are is worked out here, for lowering and for models:
//
//     slots = multiprocessors * blocks of a multiprocessor        (occupancy.h)
//     grid  = min(extent, slots / blocks along other dimensions)  at least 1
//
// Among several such loops x comes first, then y, then z. The occupancy follows from the block's
// threads, from its shared memory as if no allocations shared a place, and from registers as the
// tree tells: each thread's private storage, and kOtherRegisters for the rest. Results do not
// depend on any of that.

#include "core/device/device.h"
#include "core/schedule/gpu/mapping.h"

#include <cstdint>
#include <map>

namespace loopscope {

constexpr int kOtherRegisters = 32; // of a thread: coordinates, addresses, operands

// For each persistent loop, the blocks of its launch along the dimension that its level numbers.
// Empty where nothing is persistent.
std::map<NodeId, std::int64_t> persistent_blocks(const Mapping& mapping,
                                                 const device::Device& device);

} // namespace loopscope
