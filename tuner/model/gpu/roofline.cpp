// The roofline of a GPU (Williams, Waterman, Patterson 2009; with a roof for every memory level,
// Sioutas Fig. 6.9): a lower bound of each launch's time, in which all multiprocessors are at work,
// all lanes of all warps are active, all arithmetic is fused multiply-adds, and no banks are in
// conflict, whatever the schedule does.

#include "tuner/model/gpu/models.h"

#include "tuner/model/gpu/analysis.h"
#include "tuner/model/gpu/ceilings.h"

#include <algorithm>

namespace loopscope::model::gpu {

namespace {

constexpr const char* kRooflineSource = "Williams et al. 2009";

void add_unit(KernelEstimate& out, const std::string& unit, double operations,
              const device::Figure& peak) {
    const double seconds = operations / peak.value;
    out.compute_seconds = std::max(out.compute_seconds, seconds);
    out.terms.push_back({"T_" + unit, seconds, "s",
                         "operations / peak = " + number(operations) + " / " + number(peak.value),
                         peak.source});
}

void estimate_kernel(const Kernel& kernel, const device::Gpu& gpu, KernelEstimate& out) {
    for (auto unit : {Unit::F32, Unit::F64, Unit::I32})
        if (double operations = kernel.work.operations[static_cast<std::size_t>(unit)];
            operations > 0)
            add_unit(out, name(unit), operations, *unit_peak(gpu, unit));
    for (const auto& [operand, flops] : kernel.work.tensor_flops)
        add_unit(out, operand + " tensor", flops, *tensor_peak(gpu, operand));
    out.seconds = out.compute_seconds;
    out.bound = "compute";
    for (const auto& level : kernel.levels) {
        out.terms.push_back(
            {"bytes_" + level.name, level.bytes, "bytes", level.formula, kRooflineSource});
        const double seconds = level.bandwidth ? level.bytes / level.bandwidth->value : 0;
        out.traffic.push_back({level.name, level.bytes, seconds, kernel.work.flops / level.bytes});
        if (!level.bandwidth)
            continue;
        out.terms.push_back({"T_" + level.name, seconds, "s",
                             "bytes_" + level.name + " / bandwidth = " + number(level.bytes) +
                                 " / " + number(level.bandwidth->value),
                             level.bandwidth->source});
        if (seconds > out.seconds) {
            out.seconds = seconds;
            out.bound = level.name;
        }
    }
    out.terms.push_back({"T", out.seconds, "s",
                         "max(T of each unit, T of each level) = " + number(out.seconds),
                         kRooflineSource});
}

Estimate estimate_roofline(const ScheduleTree& tree, const device::Device& device,
                           const EstimateOptions& options) {
    if (!device.gpu)
        return refuse_processor("roofline", device);
    const auto a = analyse_launches(tree, device, options);
    auto e = start_estimate("roofline", device, a);
    if (!e.reason.empty())
        return e;
    for (std::size_t k = 0; k < a.kernels.size(); ++k)
        estimate_kernel(a.kernels[k], *device.gpu, e.kernels[k]);
    finish_estimate(e, a, device, kRooflineSource);
    return e;
}

} // namespace

} // namespace loopscope::model::gpu

namespace loopscope::model {

const Model& gpu_roofline_model() {
    static const Model model{
        "roofline",
        "The least time that operations at the peak of each unit, or bytes at each level's "
        "bandwidth, allow (Williams et al. 2009).",
        gpu::estimate_roofline, "gpu"};
    return model;
}

} // namespace loopscope::model
