#pragma once
// Accesses to shared memory, for a picture of its banks, with the same places and passes that the
// models count (warp_access.h).

#include "core/device/device.h"
#include "core/schedule/tree.h"
#include "tuner/model/gpu/warp_access.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope::model::gpu {

struct SharedAccess {
    NodeId node; // of the Compute node
    bool write = false;
    bool by_instruction = false;  // a tensor instruction fetches it
    double passes = 0, least = 0; // of one execution by a warp, on average over those of a block
    // of the first warp; absent: data decide, or an instruction fetches it
    std::optional<LaneIndices> lanes;
};

struct SharedBuffer {
    std::string stage;
    std::int64_t element_bytes = 4;
    // of its dimensions, in the order of memory, the last contiguous
    std::vector<std::string> names;
    std::vector<std::int64_t> extents, pitch; // elements; of one copy
    int copies = 1;
    std::optional<Swizzling> swizzled;  // pitches and places are those before it
    std::vector<SharedAccess> accesses; // in the order of execution
};

// Uses of shared memory; none on a device that is no GPU.
std::vector<SharedBuffer> shared_use(const ScheduleTree& tree, const device::Device& device);

} // namespace loopscope::model::gpu
