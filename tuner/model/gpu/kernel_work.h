#pragma once
// The work of a launch: operations by unit, instructions, and bytes at each level of memory.
// Counts, without a second.
//
// - A thread loads again what a loop moves. It loads once what its innermost loops do not move and
//   nothing inside of them writes, and unrolled loops share equal loads, as a compiler does it.
//   `every_load` leaves that out: then these are the accesses that the loop program makes.
// - The first-level cache is what shared memory leaves of a multiprocessor's memory, divided among
//   the blocks that run on it. A block asks the second level once for each sector of global memory
//   that it reads, as long as the part that the threads read together, for one value of the loops
//   that each runs itself, stays there; else again and again. Writes go through, access by access.
// - DRAM gives and takes each sector once a launch if all of them fit the second level. Else blocks
//   that run at once share what they read, and those of the next wave read it again: ALCOP, section
//   IV-B, decides DRAM traffic by the working set of a batch of blocks. Nothing is kept from one
//   launch to the next.
//   launch to the next.

#include "tuner/model/gpu/arithmetic.h"
#include "tuner/model/gpu/kernel_shape.h"
#include "tuner/model/gpu/roles.h"

#include "core/device/device.h"

#include <map>

namespace loopscope::model::gpu {

// The part of the second-level cache that holds a launch's own data; the first-level cache has at
// least this much beside what can be shared memory (compute capabilities 8.0 and 9.0: 192 of 164
// KiB, 256 of 228; CUDA C++ Programming Guide).
constexpr double kL2Share = 0.75;
constexpr double kL1BytesBesideShared = 28 << 10;
// Instructions of a loop that stays a loop: count, compare, branch.
constexpr double kLoopInstructions = 3;

struct BufferWork {
    int buffer = 0;
    Memory memory = Memory::Global;
    double load_bytes = 0, store_bytes = 0; // of threads
    // Global: sectors and lines of each access of a warp
    double load_sectors = 0, store_sectors = 0, lines = 0;
    double passes = 0, passes_least = 0; // Shared
    // passes beyond the least, of accesses in which lanes differ in the row
    double row_conflicts = 0;
    double l2_load_bytes = 0, l2_store_bytes = 0;
    double dram_load_bytes = 0, dram_store_bytes = 0;
};

struct PointWork {
    int point = 0;           // of Work::points
    double share = 0;        // of its iterations, that guards and conditions leave
    double instructions = 0; // of warps
    double passes = 0, lines = 0, l2_bytes = 0;
};

struct KernelWork {
    // Operations and warp instructions times the lanes of a warp, idle ones too.
    std::array<double, kUnits> operations{}, lane_instructions{};
    std::map<std::string, double> tensor_flops; // by operand
    double flops = 0, integer_operations = 0;
    double warp_instructions = 0;    // of all kinds: arithmetic, loads and stores, loops
    double longest_instructions = 0; // of one warp that takes part in all that its block does
    double register_bytes = 0;       // that points read and write, wherever they lie
    double reduction_bytes = 0,
           reduction_passes = 0;     // shared memory of threads that reduce together
    std::vector<BufferWork> buffers; // by rising buffer
    std::vector<PointWork> points;

    double sum(double BufferWork::* figure) const;
};

struct WorkOptions {
    bool every_load = false;
};

KernelWork kernel_work(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
                       const std::vector<PointRoles>& roles, const KernelShape& shape,
                       const device::Device& device, const WorkOptions& options = {});

} // namespace loopscope::model::gpu
