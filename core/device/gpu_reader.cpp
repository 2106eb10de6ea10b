#include "core/device/gpu_reader.h"

#include <algorithm>
#include <functional>

namespace loopscope::device {

namespace {

// What a GPU may have: from what the smallest have, or from 1, to far above any that exists.
constexpr Range<int> kMultiprocessors{1, 65536}, kWarpThreads{1, 1024};
constexpr Range<int> kGpuThreads{1, 1 << 20}, kWarps{1, 1 << 16}, kBlocks{1, 1 << 16};
constexpr Range<int> kBarriers{1, 1 << 16}, kBlocksPerCluster{1, 1024};
constexpr Range<int> kRegisters{1, 1 << 28}, kAllocationUnit{1, 65536}, kParts{1, 1024};
constexpr Range<int> kBanks{1, 4096}, kBankBytes{1, 64};
constexpr WholeRange kSharedBytes{1024, std::int64_t{1} << 32}, kReservedBytes{0, 1 << 20};
constexpr WholeRange kSharedUnit{1, 65536}, kCarveout{0, std::int64_t{1} << 32};
constexpr WholeRange kExtent{1, std::int64_t{1} << 40};
constexpr Range<std::size_t> kCarveouts{1, 64}, kAxes{3, 3};
constexpr std::size_t kMaxNames = 64; // levels, and scopes, of its own

constexpr FigureRange kHertz{1e6, 1e11}, kPerSecond{1e3, 1e18}, kL2Bytes{1024, 1e12};
constexpr FigureRange kBytesPerClock{1, 65536}, kClocks{1, 1e6};

std::string listed(const std::vector<Unit>& units) {
    std::string text;
    for (auto unit : units)
        text += (text.empty() ? "" : ", ") + std::string(name(unit));
    return text;
}

GpuLimits read_limits(JsonObject& object) {
    GpuLimits l;
    l.source = object.text("source", true);
    l.threads_per_block = object.whole("threads_per_block", kGpuThreads, true);
    l.threads_per_multiprocessor = object.whole("threads_per_multiprocessor", kGpuThreads, true);
    l.warps_per_multiprocessor = object.whole("warps_per_multiprocessor", kWarps, true);
    l.blocks_per_multiprocessor = object.whole("blocks_per_multiprocessor", kBlocks, true);
    l.barriers_per_block =
        object.whole("barriers_per_block", kBarriers, false, l.barriers_per_block);
    l.barriers_per_multiprocessor = object.whole("barriers_per_multiprocessor", kBarriers, false);
    l.blocks_per_cluster = object.whole("blocks_per_cluster", kBlocksPerCluster, false);
    l.registers_per_multiprocessor = object.whole("registers_per_multiprocessor", kRegisters, true);
    l.registers_per_block = object.whole("registers_per_block", kRegisters, true);
    l.registers_per_thread = object.whole("registers_per_thread", kRegisters, true);
    l.register_allocation_unit = object.power_of_two("register_allocation_unit", kAllocationUnit,
                                                     false, l.register_allocation_unit);
    l.warp_allocation_granularity = object.power_of_two("warp_allocation_granularity", kParts,
                                                        false, l.warp_allocation_granularity);
    l.shared_bytes_per_multiprocessor =
        object.whole("shared_bytes_per_multiprocessor", kSharedBytes, true);
    l.shared_bytes_per_block = object.whole("shared_bytes_per_block", kSharedBytes, true);
    l.shared_bytes_per_block_static = object.whole("shared_bytes_per_block_static", kSharedBytes,
                                                   false, l.shared_bytes_per_block_static);
    l.shared_bytes_reserved_per_block =
        object.whole("shared_bytes_reserved_per_block", kReservedBytes, false);
    l.shared_allocation_unit_bytes =
        object.whole("shared_allocation_unit_bytes", kSharedUnit, true);
    l.shared_carveouts_bytes = object.wholes("shared_carveouts_bytes", kCarveout, kCarveouts, true);
    l.shared_banks = object.power_of_two("shared_banks", kBanks, false, l.shared_banks);
    l.shared_bank_bytes =
        object.power_of_two("shared_bank_bytes", kBankBytes, false, l.shared_bank_bytes);
    auto extents = [&](const char* key, std::array<std::int64_t, 3>& to) {
        auto read = object.wholes(key, kExtent, kAxes, false);
        if (!read.empty())
            std::copy(read.begin(), read.end(), to.begin());
    };
    extents("grid_extents", l.grid_extents);
    extents("block_extents", l.block_extents);
    object.finish();
    return l;
}

void read_figures(JsonObject& object, Gpu& gpu) {
    gpu.base_clock_hertz = object.figure("base_clock_hertz", kHertz);
    gpu.boost_clock_hertz = object.figure("boost_clock_hertz", kHertz);
    gpu.dram_bytes_per_second = object.figure("dram_bytes_per_second", kPerSecond);
    gpu.l2_bytes = object.figure("l2_bytes", kL2Bytes);
    gpu.l2_bytes_per_second = object.figure("l2_bytes_per_second", kPerSecond);
    gpu.shared_bytes_per_clock = object.figure("shared_bytes_per_clock", kBytesPerClock);
    gpu.flops_per_second = object.figures_by_type("flops_per_second", kPerSecond);
    gpu.tensor_flops_per_second = object.figures_by_name("tensor_flops_per_second", kPerSecond);
    gpu.dram_latency_clocks = object.figure("dram_latency_clocks", kClocks);
    gpu.l2_latency_clocks = object.figure("l2_latency_clocks", kClocks);
    gpu.shared_latency_clocks = object.figure("shared_latency_clocks", kClocks);
}

// Rows of the device's own, behind those that all have: {"name", PROPERTY}, the latter one of
// `units`; `row` makes them.
template <typename Row>
void read_rows(JsonObject& object, const char* key, const char* property,
               const std::vector<Unit>& units, Row row(const std::string&, Unit),
               std::vector<Row>& table, std::vector<std::string>& names) {
    for (auto& element : object.objects(key, kMaxNames)) {
        const auto name = element.text("name", true), written = element.text(property, true);
        element.finish();
        if (std::any_of(table.begin(), table.end(),
                        [&](const Row& other) { return other.name == name; }))
            element.problem("name", "is \"" + name + "\", which is there already",
                            "names of its own come beside those of the schedule language");
        const auto unit = unit_named(written);
        if (!written.empty() &&
            (!unit || std::find(units.begin(), units.end(), *unit) == units.end()))
            element.problem(property, "is \"" + written + "\"", "units are " + listed(units));
        names.push_back(name);
        table.push_back(row(name, unit.value_or(Unit::Thread)));
    }
}

MemoryScope own_scope(const std::string& name, Unit shared_by) { return {name, shared_by}; }

void check_limits(const GpuLimits& l, int warp_threads, JsonObject& object) {
    auto wrong = [&](const char* key, const std::string& message) {
        object.problem_at({"gpu", "limits", key}, message);
    };
    auto at_most = [&](const char* key, std::int64_t value, const char* other, std::int64_t most) {
        if (value > most)
            wrong(key,
                  "is " + std::to_string(value) + ", above " + other + ", " + std::to_string(most));
    };
    at_most("threads_per_block", l.threads_per_block, "threads_per_multiprocessor",
            l.threads_per_multiprocessor);
    if (std::int64_t{l.warps_per_multiprocessor} * warp_threads != l.threads_per_multiprocessor)
        wrong("warps_per_multiprocessor",
              "is not threads_per_multiprocessor divided by the threads of a warp");
    at_most("registers_per_block", l.registers_per_block, "registers_per_multiprocessor",
            l.registers_per_multiprocessor);
    at_most("register_allocation_unit", l.register_allocation_unit,
            "registers_per_block divided by warp_allocation_granularity",
            l.registers_per_block / l.warp_allocation_granularity);
    if (l.barriers_per_multiprocessor > 0)
        at_most("barriers_per_block", l.barriers_per_block, "barriers_per_multiprocessor",
                l.barriers_per_multiprocessor);
    at_most("shared_bytes_per_block_static", l.shared_bytes_per_block_static,
            "shared_bytes_per_block", l.shared_bytes_per_block);
    at_most("shared_bytes_per_block", l.shared_bytes_per_block,
            "shared_bytes_per_multiprocessor without what is reserved of a block",
            l.shared_bytes_per_multiprocessor - l.shared_bytes_reserved_per_block);
    const auto& sizes = l.shared_carveouts_bytes;
    if (std::adjacent_find(sizes.begin(), sizes.end(), std::greater_equal<>()) != sizes.end())
        wrong("shared_carveouts_bytes", "is not ascending");
    else if (sizes.back() != l.shared_bytes_per_multiprocessor)
        wrong("shared_carveouts_bytes", "does not end with shared_bytes_per_multiprocessor, " +
                                            std::to_string(l.shared_bytes_per_multiprocessor));
}

} // namespace

void read_gpu(JsonObject& object, Device& device) {
    Gpu gpu;
    if (auto own = object.object("gpu", true)) {
        gpu.architecture = own->text("architecture", true);
        if (!gpu.architecture.empty() && !compute_capability(gpu.architecture))
            own->problem("architecture", "is \"" + gpu.architecture + "\"",
                         "write sm_80, or sm_90a");
        gpu.source = own->text("source", true);
        gpu.driver_names = own->texts("driver_names");
        gpu.multiprocessors = own->whole("multiprocessors", kMultiprocessors, true, 1);
        gpu.warp_threads = own->power_of_two("warp_threads", kWarpThreads, false, gpu.warp_threads);
        if (auto limits = own->object("limits", true))
            gpu.limits = read_limits(*limits);
        gpu.capabilities = own->texts("capabilities");
        gpu.tensor_intrinsics = own->texts("tensor_intrinsics");
        read_figures(*own, gpu);
        own->finish();
    }
    read_rows(object, "levels", "unit", level_units(), own_level, gpu.levels, device.levels);
    read_rows(object, "scopes", "shared_by", scope_units(), own_scope, gpu.scopes, device.scopes);
    device.gpu = std::move(gpu);
}

void check_gpu(const Device& device, JsonObject& object) {
    const auto& gpu = *device.gpu;
    check_limits(gpu.limits, gpu.warp_threads, object);
    if (gpu.base_clock_hertz && gpu.boost_clock_hertz &&
        gpu.base_clock_hertz->value > gpu.boost_clock_hertz->value)
        object.problem_at({"gpu", "base_clock_hertz"}, "is above boost_clock_hertz");
}

} // namespace loopscope::device
