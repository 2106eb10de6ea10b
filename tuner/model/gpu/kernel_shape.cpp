#include "tuner/model/gpu/kernel_shape.h"

#include "tuner/model/gpu/allocations.h"
#include "tuner/model/gpu/live_values.h"
#include "tuner/model/gpu/roles.h"

#include <algorithm>
#include <set>

namespace loopscope::model::gpu {

namespace {

// The alignment of shared allocations, in bytes, as lowering places them
// (compiler/lower/gpu/launch.h).
constexpr std::int64_t kSharedAlignment = 128;

std::int64_t words(double bytes) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes) / 4);
}

// What a point holds in registers while it is evaluated: what it reads, and what it accumulates
// outside of a thread's own memory.
std::int64_t operands(const Work& work, const Point& point, const PointRoles& roles,
                      const std::vector<Memory>& memories) {
    std::int64_t out = 0;
    for (const auto& access : point.accesses) {
        const auto memory = memories[static_cast<std::size_t>(access.buffer)];
        if (memory == Memory::Private || memory == Memory::Fragment || roles.together)
            continue;
        if (!access.read && point.role == ComputeRole::Init)
            continue;
        out += live_elements(work, point, roles, access) *
               words(work.buffers[static_cast<std::size_t>(access.buffer)].element_bytes);
    }
    return out;
}

// Registers of a private allocation that are in use at once in code without loops.
std::int64_t live(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
                  const std::vector<PointRoles>& roles, const Allocation& room) {
    const auto* state = work.tree->state.find(room.stage);
    const auto buffer = std::find_if(work.buffers.begin(), work.buffers.end(),
                                     [&](const Buffer& each) { return each.name == room.stage; });
    // what is loaded ahead stays
    if (buffer == work.buffers.end() || (state && state->pipeline > 1))
        return room.size;
    const auto index = static_cast<std::size_t>(buffer - work.buffers.begin());
    if (memories[index] != Memory::Private)
        return room.size;
    const auto elements = live_of_memory(work, launch, roles, static_cast<int>(index));
    return elements ? *elements * words(buffer->element_bytes) * room.threads : room.size;
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
        auto allocations = private_allocations(work, launch, memories);
        for (auto& room : allocations)
            room.size = std::min(room.size, live(work, launch, memories, roles, room));
        const auto held = place_allocations(allocations, 1);
        const auto addresses = static_cast<std::int64_t>(addressed.size());
        count = kBaseRegisters + kAddressRegisters * addresses + held + most;
        formula = std::to_string(kBaseRegisters) + " + " + std::to_string(addresses) + " × " +
                  std::to_string(kAddressRegisters) + " + " + std::to_string(held) +
                  " of own memory + " + std::to_string(most) + " operands";
    }

    std::int64_t count = 0;
    std::string formula;
};

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
    // What is beyond lies in memory.
    const auto most = std::max<std::int64_t>(device::most_registers(gpu, shape.threads), 1);
    shape.registers = static_cast<int>(std::min(estimate.count, most));
    shape.registers_spilled = estimate.count - shape.registers;
    shape.registers_from = estimate.formula;
}

void check_cluster(const device::Device& device, KernelShape& shape) {
    const auto most = device.gpu->limits.blocks_per_cluster;
    const auto blocks = shape.cluster_blocks();
    if (blocks > 1 && most > 0 && blocks > most)
        shape.refusals.push_back("clusters of " + std::to_string(blocks) + " blocks, and " +
                                 device.name + " allows " + std::to_string(most));
}

void set_launched(const Launch& launch, const std::map<NodeId, std::int64_t>& persistent,
                  KernelShape& shape) {
    shape.launched = shape.grid;
    shape.persistent = !launch.mapping->persistent.empty();
    for (const auto* loop : launch.mapping->persistent)
        shape.launched[static_cast<std::size_t>(loop->numbers.axis)] = persistent.at(loop->id);
}

// Along one dimension, of a block that stays: how many iterations it takes.
std::int64_t turns_of(std::int64_t iterations, std::int64_t blocks, std::int64_t block) {
    return (iterations - 1 - block) / blocks + 1;
}

// Iterations of the multiprocessor that has most, blocks being dealt to them in order.
std::int64_t busiest(const KernelShape& shape, std::int64_t processors) {
    std::vector<std::int64_t> taken(static_cast<std::size_t>(processors));
    std::size_t at = 0;
    for (std::int64_t z = 0; z < shape.launched[2]; ++z)
        for (std::int64_t y = 0; y < shape.launched[1]; ++y) {
            const auto row = turns_of(shape.grid[2], shape.launched[2], z) *
                             turns_of(shape.grid[1], shape.launched[1], y);
            for (std::int64_t x = 0; x < shape.launched[0]; ++x) {
                taken[at] += row * turns_of(shape.grid[0], shape.launched[0], x);
                at = at + 1 == taken.size() ? 0 : at + 1;
            }
        }
    return *std::max_element(taken.begin(), taken.end());
}

// Blocks that stay have no waves but their own iterations, of which the first ones may have one
// more than others.
void set_turns(const device::Gpu& gpu, KernelShape& shape) {
    const std::int64_t processors = gpu.multiprocessors, running = shape.launched_blocks();
    shape.blocks_at_once = std::min(shape.blocks_at_once, running);
    std::int64_t turns = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto most = turns_of(shape.grid[axis], shape.launched[axis], 0);
        turns *= most;
        shape.last_wave *=
            static_cast<double>(shape.grid[axis] - (most - 1) * shape.launched[axis]) /
            static_cast<double>(shape.launched[axis]);
    }
    shape.waves = turns * ((running + shape.blocks_at_once - 1) / shape.blocks_at_once);
    // Beside a dimension of very many blocks that do not stay all multiprocessors have about as
    // many.
    constexpr std::int64_t kCounted = 1 << 16;
    if (running <= kCounted)
        shape.imbalance = static_cast<double>(busiest(shape, processors) * processors) /
                          static_cast<double>(shape.blocks);
}

void set_waves(const device::Gpu& gpu, KernelShape& shape) {
    const std::int64_t processors = gpu.multiprocessors;
    shape.blocks_at_once = shape.occupancy->blocks * processors;
    if (shape.persistent)
        return set_turns(gpu, shape);
    // A cluster's blocks all run at once, or none does.
    shape.blocks_at_once -= shape.blocks_at_once % shape.cluster_blocks();
    shape.blocks_at_once = std::max(shape.blocks_at_once, shape.cluster_blocks());
    shape.waves = (shape.blocks + shape.blocks_at_once - 1) / shape.blocks_at_once;
    shape.last_wave = static_cast<double>(shape.blocks - (shape.waves - 1) * shape.blocks_at_once) /
                      static_cast<double>(shape.blocks_at_once);
    const auto busiest = (shape.blocks + processors - 1) / processors;
    shape.imbalance = static_cast<double>(busiest * processors) / static_cast<double>(shape.blocks);
}

} // namespace

KernelShape kernel_shape(const Work& work, const Launch& launch,
                         const std::vector<Memory>& memories, const std::vector<PointRoles>& roles,
                         const device::Device& device, const KnownOfKernels& known) {
    const auto& gpu = *device.gpu;
    KernelShape shape;
    shape.grid = launch.grid;
    shape.block = launch.block;
    shape.cluster = launch.cluster;
    shape.blocks = launch.blocks();
    shape.threads = launch.threads() + launch.producers;
    shape.producers = launch.producers;
    shape.bound = launch.bound;
    set_launched(launch, known.persistent, shape);
    auto allocations = shared_allocations(work, launch, memories, roles);
    shape.shared_bytes = place_allocations(allocations, kSharedAlignment);
    set_registers(work, launch, memories, roles, gpu, known.registers, shape);
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
