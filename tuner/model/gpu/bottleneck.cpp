// The bottleneck model: ALCOP V-D, where the time of an operator is the greatest of its compute,
// shared-memory and device-memory times at full utilisation. What a schedule decides enters each:
// idle lanes of warps, multiplications and additions that are not fused, instructions that compute
// nothing, conflicts of banks, accesses spread over lines, sectors read again. Latency does not:
// nothing waits for anything, which is what ALCOP's own model adds.
//
// What full utilisation leaves out of blocks that no multiple of the multiprocessors is stands
// apart, as T_waves:
//
//     T       = max(T_inside * imbalance, T_warp, T_outside) = max(T_inside, T_outside) + T_waves
//     T_inside  = max(T_compute, T_issue, T_shared, T_L1)    what each multiprocessor has
//     T_outside = max(T_L2, T_DRAM)                          what all share
//     imbalance = ceil(blocks / multiprocessors) * multiprocessors / blocks
//     T_warp    = waves * instructions of one warp / clock   one after another, at one a clock
//
// The last, partial wave occupies ceil(its blocks / multiprocessors) of each: with the whole ones
// that makes the imbalance. Blocks that stay have iterations in place of waves, of which the
// busiest multiprocessor's count (kernel_shape.cpp).

#include "tuner/model/gpu/models.h"

#include "tuner/model/gpu/analysis.h"
#include "tuner/model/gpu/ceilings.h"

#include <algorithm>

namespace loopscope::model::gpu {

namespace {

constexpr const char* kBottleneckSource =
    "bottleneck analysis, as in the ALCOP paper on pipelining, section V-D";
constexpr double kOperationsOfInstruction = 2; // of a multiply-add, for which peaks are given

class KernelTimer {
public:
    KernelTimer(const Kernel& kernel, const device::Gpu& gpu, KernelEstimate& out)
        : kernel_(kernel), gpu_(gpu), out_(out) {}

    void run() {
        compute();
        issue();
        for (const auto& level : kernel_.levels)
            add_level(level);
        waves();
    }

private:
    void candidate(const std::string& bound, double seconds, bool inside) {
        greatest_ = std::max(greatest_, seconds);
        const double all = inside ? seconds * kernel_.shape.imbalance : seconds;
        if (all <= out_.seconds)
            return;
        out_.seconds = all;
        out_.bound = bound;
    }

    void compute() {
        out_.bound = "compute";
        auto add = [&](const std::string& unit, double operations, double lanes,
                       const device::Figure& peak) {
            const double seconds =
                std::max(operations, kOperationsOfInstruction * lanes) / peak.value;
            out_.compute_seconds = std::max(out_.compute_seconds, seconds);
            out_.terms.push_back(
                {"T_" + unit, seconds, "s",
                 kOperationsOfInstruction * lanes >= operations
                     ? "2 × instructions of lanes, idle ones too / peak = 2 × " + number(lanes) +
                           " / " + number(peak.value)
                     : "operations / peak = " + number(operations) + " / " + number(peak.value),
                 peak.source});
        };
        const auto& work = kernel_.work;
        for (auto unit : {Unit::F32, Unit::F64, Unit::I32}) {
            const auto u = static_cast<std::size_t>(unit);
            const auto peak = unit_peak(gpu_, unit);
            if (peak && (work.operations[u] > 0 || work.lane_instructions[u] > 0))
                add(name(unit), work.operations[u], work.lane_instructions[u], *peak);
        }
        for (const auto& [operand, flops] : work.tensor_flops)
            add(operand + " tensor", flops, 0, *tensor_peak(gpu_, operand));
        candidate("compute", out_.compute_seconds, true);
    }

    void issue() {
        const auto rate = issues_per_second(gpu_);
        if (!rate)
            return;
        const double count = kernel_.work.warp_instructions, seconds = count / rate->value;
        out_.terms.push_back({"T_issue", seconds, "s",
                              "instructions of warps / rate of all schedulers = " + number(count) +
                                  " / " + number(rate->value),
                              rate->source});
        candidate("issue", seconds, true);
    }

    void add_level(const LevelUse& level) {
        out_.terms.push_back(
            {"bytes_" + level.name, level.bytes, "bytes", level.formula, kBottleneckSource});
        const double seconds = level.bandwidth ? level.busy_bytes / level.bandwidth->value : 0;
        out_.traffic.push_back(
            {level.name, level.bytes, seconds, kernel_.work.flops / level.bytes});
        if (!level.bandwidth) {
            out_.terms.push_back(
                {"bytes_unused_" + level.name, level.bytes, "bytes",
                 "the bandwidth of " + level.name + " is not known: this level takes no part",
                 kBottleneckSource});
            return;
        }
        const std::string what = level.name == kSharedLevel ? "passes × width of the banks"
                                 : level.name == "L1"       ? "lines × bytes of one"
                                                            : "bytes_" + level.name;
        out_.terms.push_back({"T_" + level.name, seconds, "s",
                              what + " / bandwidth = " + number(level.busy_bytes) + " / " +
                                  number(level.bandwidth->value),
                              level.bandwidth->source});
        candidate(level.name, seconds, level.in_multiprocessor);
    }

    void waves() {
        const auto& shape = kernel_.shape;
        const auto clock = clock_hertz(gpu_);
        const double warp = clock ? static_cast<double>(shape.waves) *
                                        kernel_.work.longest_instructions / clock->value
                                  : 0;
        candidate_of_warp(warp);
        const double more = out_.seconds - greatest_;
        out_.terms.push_back({"T_waves", more, "s",
                              "max(T inside multiprocessors × " + number(shape.imbalance) + ", " +
                                  number(static_cast<double>(shape.waves)) +
                                  " waves × instructions of a warp / clock = " + number(warp) +
                                  ", T of L2 and DRAM) - max of all T = " + number(out_.seconds) +
                                  " - " + number(greatest_),
                              "blocks over multiprocessors, rounded up"});
        out_.terms.push_back({"T", out_.seconds, "s",
                              "max(T_compute, T_issue, T of each level) + T_waves = " +
                                  number(greatest_) + " + " + number(more),
                              kBottleneckSource});
    }

    // Not part of what full utilisation takes: of warps that run one after another.
    void candidate_of_warp(double seconds) {
        if (seconds <= out_.seconds)
            return;
        out_.seconds = seconds;
        out_.bound = "issue";
    }

    const Kernel& kernel_;
    const device::Gpu& gpu_;
    KernelEstimate& out_;
    double greatest_ = 0; // at full utilisation
};

Estimate estimate_bottleneck(const ScheduleTree& tree, const device::Device& device,
                             const EstimateOptions& options) {
    if (!device.gpu)
        return refuse_processor("bottleneck", device);
    const auto a = analyse_launches(tree, device, options);
    auto e = start_estimate("bottleneck", device, a);
    if (!e.reason.empty())
        return e;
    for (std::size_t k = 0; k < a.kernels.size(); ++k)
        KernelTimer(a.kernels[k], *device.gpu, e.kernels[k]).run();
    finish_estimate(e, a, device, kBottleneckSource);
    return e;
}

} // namespace

} // namespace loopscope::model::gpu

namespace loopscope::model {

const Model& gpu_bottleneck_model() {
    static const Model model{
        "bottleneck",
        "The greatest of compute time and of each memory level's transfer time (ALCOP V-D), with "
        "what a GPU schedule decides: lanes, banks, sectors, waves.",
        gpu::estimate_bottleneck, "gpu"};
    return model;
}

} // namespace loopscope::model
