#pragma once
// How many blocks of a launch run on a multiprocessor at once, by the rules of the vendor's
// occupancy calculator (CUDA toolkit: cuda_occupancy.h), which tests/device/occupancy_header.cpp
// compares it with.

#include "core/base/result.h"
#include "core/device/device.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::device {

// The resources of one block of a launch.
struct BlockResources {
    int threads = 1;
    int registers_per_thread = 0; // as the assembler says; 0: none, and registers do not limit
    std::int64_t shared_bytes = 0;
    int barriers = 1; // named ones
    // The part of the first-level cache's memory that the launch wishes to be shared memory:
    // percent of the most, rounded up to an amount that there is. Absent: the most. One block gets
    // what it needs, whatever the wish.
    std::optional<int> carveout_percent = std::nullopt;
};

struct OccupancyLimit {
    std::string name; // "warps", "registers", "shared memory", "blocks", "barriers"
    // The blocks that this limit alone allows on a multiprocessor; absent: it does not limit
    std::optional<int> blocks;
    bool reached = false; // the blocks that run are as many: more would need more of this
};

struct Occupancy {
    int blocks = 0; // of one multiprocessor, at once; at least 1
    int warps_per_block = 0;
    int active_warps = 0; // of one multiprocessor
    int most_warps = 0;   // that it could have
    double share() const { return static_cast<double>(active_warps) / most_warps; } // 0.5: half

    // Resources set aside for a block: in whole units, and with what the driver reserves.
    int registers_per_block = 0;
    std::int64_t shared_bytes_per_block = 0;
    std::int64_t shared_bytes = 0;      // that the multiprocessor is configured to have
    std::vector<OccupancyLimit> limits; // always the five, in the order of their names above
};

// Errors, all at once, each with figures and a remedy: the device is no GPU; a block is above one
// of its limits.
Result<Occupancy> occupancy(const Device& device, const BlockResources& block);

// The most registers that each thread of a block of so many threads may have, so that the launch is
// allowed; 0: no block is so large.
std::int64_t most_registers(const Gpu& gpu, std::int64_t threads);

} // namespace loopscope::device
