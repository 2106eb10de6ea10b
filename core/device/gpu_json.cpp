#include "core/device/gpu_json.h"

#include "core/device/figure_json.h"

namespace loopscope::device {

using nlohmann::json;

namespace {

json limits_json(const GpuLimits& l) {
    json object{{"source", l.source},
                {"threads_per_block", l.threads_per_block},
                {"threads_per_multiprocessor", l.threads_per_multiprocessor},
                {"warps_per_multiprocessor", l.warps_per_multiprocessor},
                {"blocks_per_multiprocessor", l.blocks_per_multiprocessor},
                {"barriers_per_block", l.barriers_per_block},
                {"registers_per_multiprocessor", l.registers_per_multiprocessor},
                {"registers_per_block", l.registers_per_block},
                {"registers_per_thread", l.registers_per_thread},
                {"register_allocation_unit", l.register_allocation_unit},
                {"warp_allocation_granularity", l.warp_allocation_granularity},
                {"shared_bytes_per_multiprocessor", l.shared_bytes_per_multiprocessor},
                {"shared_bytes_per_block", l.shared_bytes_per_block},
                {"shared_bytes_per_block_static", l.shared_bytes_per_block_static},
                {"shared_bytes_reserved_per_block", l.shared_bytes_reserved_per_block},
                {"shared_allocation_unit_bytes", l.shared_allocation_unit_bytes},
                {"shared_carveouts_bytes", l.shared_carveouts_bytes},
                {"shared_banks", l.shared_banks},
                {"shared_bank_bytes", l.shared_bank_bytes},
                {"grid_extents", l.grid_extents},
                {"block_extents", l.block_extents}};
    if (l.barriers_per_multiprocessor > 0)
        object["barriers_per_multiprocessor"] = l.barriers_per_multiprocessor;
    if (l.blocks_per_cluster > 0)
        object["blocks_per_cluster"] = l.blocks_per_cluster;
    return object;
}

} // namespace

json gpu_json(const Gpu& gpu) {
    json object{{"architecture", gpu.architecture},          {"source", gpu.source},
                {"multiprocessors", gpu.multiprocessors},    {"warp_threads", gpu.warp_threads},
                {"limits", limits_json(gpu.limits)},         {"capabilities", gpu.capabilities},
                {"tensor_intrinsics", gpu.tensor_intrinsics}};
    if (!gpu.driver_names.empty())
        object["driver_names"] = gpu.driver_names;
    put(object, "base_clock_hertz", gpu.base_clock_hertz);
    put(object, "boost_clock_hertz", gpu.boost_clock_hertz);
    put(object, "dram_bytes_per_second", gpu.dram_bytes_per_second);
    put(object, "l2_bytes", gpu.l2_bytes);
    put(object, "l2_bytes_per_second", gpu.l2_bytes_per_second);
    put(object, "shared_bytes_per_clock", gpu.shared_bytes_per_clock);
    put(object, "flops_per_second", gpu.flops_per_second);
    put(object, "tensor_flops_per_second", gpu.tensor_flops_per_second);
    put(object, "dram_latency_clocks", gpu.dram_latency_clocks);
    put(object, "l2_latency_clocks", gpu.l2_latency_clocks);
    put(object, "shared_latency_clocks", gpu.shared_latency_clocks);
    return object;
}

json own_levels_json(const Device& device) {
    json list = json::array();
    for (const auto& own : device.levels)
        list.push_back({{"name", own}, {"unit", name(device.gpu->level(own)->numbers.unit)}});
    return list;
}

json own_scopes_json(const Device& device) {
    json list = json::array();
    for (const auto& own : device.scopes)
        list.push_back({{"name", own}, {"shared_by", name(device.gpu->scope(own)->shared_by)}});
    return list;
}

} // namespace loopscope::device
