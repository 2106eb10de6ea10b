#include "tuner/model/gpu/kernel_shape.h"

#include "tuner/model/gpu/roles.h"
#include "tuner/model/gpu/rooms.h"

#include <algorithm>
#include <set>

namespace loopscope::model::gpu {

namespace {

// Of shared allocations, in bytes, as lowering places them (compiler/lower/launch.h).
constexpr std::int64_t kSharedAlignment = 128;

std::int64_t words(double bytes) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes) / 4);
}

// What a point holds in registers while it is evaluated: what it reads, once for each copy that unrolling and vectors make
// of the evaluation, and what it accumulates outside of a thread's own memory.
std::int64_t operands(const Work& work, const Point& point, const PointRoles& roles,
                      const std::vector<Memory>& memories) {
    std::int64_t out = 0;
    for (const auto& access : point.accesses) {
        const auto memory = memories[static_cast<std::size_t>(access.buffer)];
        if (memory == Memory::Private || memory == Memory::Fragment || roles.together)
            continue;
        if (!access.read && point.role == ComputeRole::Init)
            continue;
        double copies = access.read ? access.loads : 1;
        for (std::size_t l = 0; l < roles.loops.size(); ++l)
            if ((roles.loops[l] == Role::Unrolled || roles.loops[l] == Role::Vector ||
                 roles.loops[l] == Role::Virtual) &&
                (access.depths >> std::min<std::size_t>(l, 63) & 1))
                copies *= point.trips[l];
        constexpr double kMost = 1 << 20; // far beyond what a thread may have
        out += static_cast<std::int64_t>(std::min(copies, kMost)) *
               words(work.buffers[static_cast<std::size_t>(access.buffer)].element_bytes);
    }
    return out;
}

class Registers {
public:
    Registers(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
              const std::vector<PointRoles>& roles) {
        std::set<int> addressed;
        std::int64_t most = 0;
        for (int root : launch.nodes) {
            const auto& node = work.nodes[static_cast<std::size_t>(root)];
            for (int p = node.first_point; p < node.last_point; ++p) {
                const auto& point = work.points[static_cast<std::size_t>(p)];
                most = std::max(
                    most, operands(work, point, roles[static_cast<std::size_t>(p)], memories));
                for (const auto& access : point.accesses)
                    if (memories[static_cast<std::size_t>(access.buffer)] == Memory::Global)
                        addressed.insert(access.buffer);
            }
        }
        auto rooms = private_rooms(work, launch, memories);
        const auto held = place_rooms(rooms, 1);
        const auto addresses = static_cast<std::int64_t>(addressed.size());
        count = kBaseRegisters + kAddressRegisters * addresses + held + most;
        formula = std::to_string(kBaseRegisters) + " + " + std::to_string(addresses) + " × " +
                  std::to_string(kAddressRegisters) + " + " + std::to_string(held) +
                  " of own memory + " + std::to_string(most) + " operands";
    }

    std::int64_t count = 0;
    std::string formula;
};

// What a thread of such a block may have: what is beyond lies in memory.
std::int64_t most_registers(const device::Gpu& gpu, std::int64_t threads) {
    const auto& l = gpu.limits;
    auto warps = (threads + gpu.warp_threads - 1) / gpu.warp_threads;
    warps = (warps + l.warp_allocation_granularity - 1) / l.warp_allocation_granularity *
            l.warp_allocation_granularity;
    auto of_warp = l.registers_per_block / std::max<std::int64_t>(warps, 1);
    of_warp = of_warp / l.register_allocation_unit * l.register_allocation_unit;
    return std::clamp<std::int64_t>(of_warp / gpu.warp_threads, 1, l.registers_per_thread);
}

void set_registers(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
                   const std::vector<PointRoles>& roles, const device::Gpu& gpu,
                   const std::map<std::string, int>& measured, KernelShape& shape) {
    if (auto known = measured.find(launch.name); known != measured.end()) {
        shape.registers = known->second;
        shape.registers_measured = true;
        shape.registers_from = "as the assembler says";
        return;
    }
    const Registers estimate(work, launch, memories, roles);
    const auto most = most_registers(gpu, shape.threads);
    shape.registers = static_cast<int>(std::min(estimate.count, most));
    shape.registers_spilled = estimate.count - shape.registers;
    shape.registers_from = estimate.formula;
}

void check_cluster(const device::Device& device, KernelShape& shape) {
    const auto most = device.gpu->limits.blocks_per_cluster;
    if (shape.cluster > 1 && most > 0 && shape.cluster > most)
        shape.refusals.push_back("clusters of " + std::to_string(shape.cluster) + " blocks, and " +
                                 device.name + " allows " + std::to_string(most));
}

void set_waves(const device::Gpu& gpu, KernelShape& shape) {
    const std::int64_t processors = gpu.multiprocessors;
    shape.blocks_at_once = shape.occupancy->blocks * processors;
    shape.waves = (shape.blocks + shape.blocks_at_once - 1) / shape.blocks_at_once;
    shape.last_wave = static_cast<double>(shape.blocks - (shape.waves - 1) * shape.blocks_at_once) /
                      static_cast<double>(shape.blocks_at_once);
    const auto busiest = (shape.blocks + processors - 1) / processors;
    shape.imbalance = static_cast<double>(busiest * processors) / static_cast<double>(shape.blocks);
}

} // namespace

KernelShape kernel_shape(const Work& work, const Launch& launch,
                         const std::vector<Memory>& memories, const std::vector<PointRoles>& roles,
                         const device::Device& device, const std::map<std::string, int>& measured) {
    const auto& gpu = *device.gpu;
    KernelShape shape;
    shape.grid = launch.grid;
    shape.block = launch.block;
    shape.cluster = launch.cluster;
    shape.blocks = launch.blocks();
    shape.threads = launch.threads();
    shape.bound = launch.bound;
    auto rooms = shared_rooms(work, launch, memories, roles);
    shape.shared_bytes = place_rooms(rooms, kSharedAlignment);
    set_registers(work, launch, memories, roles, gpu, measured, shape);
    check_cluster(device, shape);
    device::BlockResources block;
    constexpr std::int64_t kMany = 1 << 30; // of threads: no device has as many
    block.threads = static_cast<int>(std::min(shape.threads, kMany));
    block.registers_per_thread = shape.registers;
    block.shared_bytes = shape.shared_bytes;
    auto occupancy = device::occupancy(device, block);
    if (!occupancy) {
        for (const auto& wrong : occupancy.errors())
            shape.refusals.push_back(wrong.message +
                                     (wrong.remedy.empty() ? "" : "; " + wrong.remedy));
        return shape;
    }
    shape.occupancy = std::move(*occupancy);
    set_waves(gpu, shape);
    return shape;
}

} // namespace loopscope::model::gpu
