#pragma once
// The resources of a launch on a GPU: blocks and threads, shared memory, registers; how many blocks
// run at once, and in how many waves all of them.

#include "core/device/occupancy.h"
#include "core/schedule/identity.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::model {
struct Work;
}

namespace loopscope::model::gpu {

struct Launch;
enum class Memory : std::uint8_t;
struct PointRoles;

// Registers of a thread beside those that hold values: its coordinates, counters of loops, indices
// and addresses that are worked out. An estimate: what the assembler says replaces all of it
// (EstimateOptions::registers).
constexpr int kBaseRegisters = 16;
// The address of a buffer in global memory, of 64 bits.
constexpr int kAddressRegisters = 2;

struct KernelShape {
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}; // along x, y, z
    std::array<std::int64_t, 3> cluster{1, 1, 1};              // blocks that run at once
    std::int64_t blocks = 1; // all that there is to do; persistent: iterations
    // Blocks that are launched along x, y, z: `grid`, or for persistent loops as many as run at
    // once.
    std::array<std::int64_t, 3> launched{1, 1, 1};
    bool persistent = false;
    std::int64_t threads = 1;   // of a block
    std::int64_t producers = 0; // of them: in producer warpgroups
    bool bound = false;         // some loop numbers blocks or threads; else one thread does all

    std::int64_t shared_bytes = 0;      // of a block
    int registers = 0;                  // of a thread
    bool registers_measured = false;    // the assembler's figure; else an estimate
    std::int64_t registers_spilled = 0; // that an estimate has beyond what a thread may have
    std::string registers_from;         // "16 + 3 × 2 + 64 of Cl + 9 operands"

    std::optional<device::Occupancy> occupancy; // of a multiprocessor; absent: not runnable
    std::int64_t blocks_at_once = 0;            // on all multiprocessors
    std::int64_t waves = 0; // of so many blocks; persistent: iterations of the block that has most
    double last_wave = 1;   // the last one's share of that
    // The blocks of the busiest multiprocessor, over those of the average one: at least 1. Each
    // multiprocessor's own part takes so much longer than if all had the same.
    double imbalance = 1;
    std::vector<std::string> refusals; // why it is not runnable; empty: it is

    std::int64_t launched_blocks() const { return launched[0] * launched[1] * launched[2]; }
    std::int64_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
    bool runnable() const { return occupancy.has_value() && refusals.empty(); }
};

// Figures that are found out elsewhere.
struct KnownOfKernels {
    // blocks, by loop (core/schedule/gpu/persistence.h)
    const std::map<NodeId, std::int64_t>& persistent;
    const std::map<std::string, int>& registers; // of a thread, by kernel: as the assembler says
};
// `roles`: by point.
KernelShape kernel_shape(const Work& work, const Launch& launch,
                         const std::vector<Memory>& memories, const std::vector<PointRoles>& roles,
                         const device::Device& device, const KnownOfKernels& known);

} // namespace loopscope::model::gpu
