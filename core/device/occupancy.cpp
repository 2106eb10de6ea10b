#include "core/device/occupancy.h"

#include "core/base/integer_division.h"

#include <algorithm>

namespace loopscope::device {

namespace {

std::int64_t warps_of(const Gpu& gpu, std::int64_t threads) {
    return round_up(threads, gpu.warp_threads) / gpu.warp_threads;
}

// What a block is given.
struct Allocation {
    std::int64_t warps = 0;
    std::int64_t registers_per_warp = 0;
    std::int64_t registers_checked = 0; // that the hardware asks whether a block may have
    std::int64_t shared_bytes = 0;
};

// Registers are given to warps, in units. Whether a block may be launched is decided as if its
// warps were spread evenly over the parts of the register file, hence with their number rounded up.
Allocation allocate(const Gpu& gpu, const BlockResources& block) {
    const auto& l = gpu.limits;
    Allocation a;
    a.warps = warps_of(gpu, block.threads);
    a.registers_per_warp = round_up(std::int64_t{block.registers_per_thread} * gpu.warp_threads,
                                    l.register_allocation_unit);
    a.registers_checked = a.registers_per_warp * round_up(a.warps, l.warp_allocation_granularity);
    // A request for more than a multiprocessor has counts as one byte too many, so that no sum
    // overflows.
    const auto asked = std::min(block.shared_bytes, l.shared_bytes_per_multiprocessor + 1);
    a.shared_bytes =
        round_up(asked + l.shared_bytes_reserved_per_block, l.shared_allocation_unit_bytes);
    return a;
}

// The least size of shared memory that holds `bytes`; the greatest where none does.
std::int64_t carveout(const GpuLimits& limits, std::int64_t bytes) {
    const auto& sizes = limits.shared_carveouts_bytes;
    auto found = std::lower_bound(sizes.begin(), sizes.end(), bytes);
    return found == sizes.end() ? limits.shared_bytes_per_multiprocessor : *found;
}

std::int64_t configured_bytes(const GpuLimits& limits, const BlockResources& block,
                              std::int64_t block_bytes) {
    const auto wished = carveout(limits, limits.shared_bytes_per_multiprocessor *
                                             block.carveout_percent.value_or(100) / 100);
    return wished >= block_bytes ? wished : carveout(limits, block_bytes);
}

// More than a block may have is an error, not a number of blocks.
Diagnostics check(const Device& device, const BlockResources& block, const Allocation& a) {
    const auto& gpu = *device.gpu;
    const auto& l = gpu.limits;
    Diagnostics wrong;
    auto above = [&](std::int64_t has, const std::string& what, std::int64_t most,
                     const std::string& remedy) {
        wrong.push_back(error("a block has " + std::to_string(has) + " " + what + ", and " +
                                  device.name + " allows " + std::to_string(most),
                              remedy));
    };
    if (block.threads < 1)
        wrong.push_back(error("a block has no thread", "it has at least one"));
    if (block.registers_per_thread < 0 || block.shared_bytes < 0 || block.barriers < 0)
        wrong.push_back(error("a block has less than nothing of a resource", "count from 0"));
    if (auto percent = block.carveout_percent; percent && (*percent < 0 || *percent > 100))
        wrong.push_back(error("a carve-out of " + std::to_string(*percent) + " percent",
                              "it is from 0 to 100"));
    if (!wrong.empty())
        return wrong;
    if (block.threads > l.threads_per_block)
        above(block.threads, "threads", l.threads_per_block,
              "bind loops of smaller extents to threads");
    if (block.registers_per_thread > l.registers_per_thread)
        above(block.registers_per_thread, "registers a thread", l.registers_per_thread,
              "compute less in one thread");
    else if (block.threads <= l.threads_per_block && a.registers_checked > l.registers_per_block)
        above(a.registers_checked,
              "registers (" + std::to_string(block.threads) + " threads with " +
                  std::to_string(block.registers_per_thread) + " each, in whole units)",
              l.registers_per_block,
              "bind fewer threads, or keep to " +
                  std::to_string(most_registers(gpu, block.threads)) + " registers a thread");
    if (a.shared_bytes > l.shared_bytes_per_block + l.shared_bytes_reserved_per_block)
        above(block.shared_bytes, "bytes of shared memory", l.shared_bytes_per_block,
              "stage smaller tiles, or fewer of them at once");
    if (block.barriers > l.barriers_per_block)
        above(block.barriers, "barriers", l.barriers_per_block, "let fewer parts of it wait apart");
    return wrong;
}

} // namespace

std::int64_t most_registers(const Gpu& gpu, std::int64_t threads) {
    const auto& l = gpu.limits;
    const auto warps = std::max<std::int64_t>(warps_of(gpu, threads), 1);
    auto of_warp = l.registers_per_block / round_up(warps, l.warp_allocation_granularity);
    of_warp = of_warp / l.register_allocation_unit * l.register_allocation_unit;
    return std::min<std::int64_t>(of_warp / gpu.warp_threads, l.registers_per_thread);
}

Result<Occupancy> occupancy(const Device& device, const BlockResources& block) {
    if (!device.gpu)
        return error(device.name + " is no GPU, and runs no blocks", "name a GPU");
    const auto& gpu = *device.gpu;
    const auto& l = gpu.limits;
    const auto a = allocate(gpu, block);
    if (auto wrong = check(device, block, a); !wrong.empty())
        return wrong;

    Occupancy o;
    o.warps_per_block = static_cast<int>(a.warps);
    o.most_warps = l.warps_per_multiprocessor;
    o.registers_per_block = static_cast<int>(a.registers_per_warp * a.warps);
    o.shared_bytes_per_block = a.shared_bytes;
    o.shared_bytes = configured_bytes(l, block, a.shared_bytes);
    auto limit = [&](const char* name, std::optional<std::int64_t> blocks) {
        o.limits.push_back(
            {name, blocks ? std::optional(static_cast<int>(*blocks)) : std::nullopt, false});
    };
    limit("warps", o.most_warps / a.warps);
    // Each part of the register file has whole warps only.
    const auto parts = l.warp_allocation_granularity;
    if (a.registers_per_warp > 0)
        limit("registers",
              l.registers_per_multiprocessor / parts / a.registers_per_warp * parts / a.warps);
    else
        limit("registers", std::nullopt);
    limit("shared memory",
          a.shared_bytes > 0 ? std::optional(o.shared_bytes / a.shared_bytes) : std::nullopt);
    limit("blocks", l.blocks_per_multiprocessor);
    if (l.barriers_per_multiprocessor > 0 && block.barriers > 0)
        limit("barriers", l.barriers_per_multiprocessor / block.barriers);
    else
        limit("barriers", std::nullopt);

    o.blocks = l.blocks_per_multiprocessor;
    for (const auto& one : o.limits)
        o.blocks = std::min(o.blocks, one.blocks.value_or(o.blocks));
    for (auto& one : o.limits)
        one.reached = one.blocks == o.blocks;
    o.active_warps = o.blocks * o.warps_per_block;
    return o;
}

} // namespace loopscope::device
