#include "tuner/model/gpu/ceilings.h"

namespace loopscope::model::gpu {

namespace {

// Rates of all multiprocessors, from what one does in a clock.
std::optional<device::Figure> per_second(const device::Gpu& gpu, double per_clock,
                                         const std::string& source) {
    const auto clock = clock_hertz(gpu);
    if (!clock)
        return std::nullopt;
    return device::Figure{per_clock * gpu.multiprocessors * clock->value,
                          source + "; clock: " + clock->source};
}

} // namespace

std::optional<device::Figure> unit_peak(const device::Gpu& gpu, Unit unit) {
    auto found = gpu.flops_per_second.find(type_of(unit));
    if (found == gpu.flops_per_second.end() && unit == Unit::I32)
        found = gpu.flops_per_second.find(ScalarType::F32);
    return found == gpu.flops_per_second.end() ? std::nullopt : std::optional(found->second);
}

std::optional<device::Figure> tensor_peak(const device::Gpu& gpu, const std::string& operand) {
    auto found = gpu.tensor_flops_per_second.find(operand);
    return found == gpu.tensor_flops_per_second.end() ? std::nullopt : std::optional(found->second);
}

std::optional<device::Figure> clock_hertz(const device::Gpu& gpu) {
    return gpu.boost_clock_hertz ? gpu.boost_clock_hertz : gpu.base_clock_hertz;
}

std::optional<device::Figure> shared_bytes_per_second(const device::Gpu& gpu) {
    if (!gpu.shared_bytes_per_clock)
        return std::nullopt;
    return per_second(gpu, gpu.shared_bytes_per_clock->value, gpu.shared_bytes_per_clock->source);
}

std::optional<device::Figure> issues_per_second(const device::Gpu& gpu) {
    return per_second(gpu, gpu.limits.warp_allocation_granularity,
                      "one warp instruction a clock and scheduler, " +
                          std::to_string(gpu.limits.warp_allocation_granularity) +
                          " of a multiprocessor");
}

std::vector<Ceiling> roofline_ceilings(const device::Gpu& gpu) {
    std::vector<Ceiling> out;
    for (auto unit : {Unit::F32, Unit::F64, Unit::I32})
        if (auto found = gpu.flops_per_second.find(type_of(unit));
            found != gpu.flops_per_second.end()) {
            const bool floats = unit != Unit::I32;
            out.push_back({std::string(name(unit)) + (floats ? " FMA" : " multiply-add"),
                           found->second.value, false, found->second.source, !floats});
            out.push_back(
                {std::string(name(unit)) + " without " + (floats ? "FMA" : "multiply-add"),
                 found->second.value / 2, false, found->second.source, !floats});
        }
    for (const auto& [operand, figure] : gpu.tensor_flops_per_second)
        out.push_back({operand + " tensor cores", figure.value, false, figure.source,
                       operand.starts_with('i')});
    auto level = [&](const char* name, const std::optional<device::Figure>& figure) {
        if (figure)
            out.push_back({name, figure->value, true, figure->source});
    };
    level(kSharedLevel, shared_bytes_per_second(gpu));
    level("L1", shared_bytes_per_second(gpu));
    level("L2", gpu.l2_bytes_per_second);
    level("DRAM", gpu.dram_bytes_per_second);
    return out;
}

} // namespace loopscope::model::gpu
