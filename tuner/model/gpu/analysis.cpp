#include "tuner/model/gpu/analysis.h"

#include "core/schedule/gpu/persistence.h"
#include "core/schedule/gpu/runnable.h"
#include "tuner/model/gpu/ceilings.h"
#include "tuner/model/gpu/models.h"
#include "tuner/model/gpu/warp_access.h"

#include <algorithm>

namespace loopscope::model::gpu {

namespace {

std::vector<LevelUse> levels_of(const KernelWork& work, const device::Gpu& gpu) {
    const double load_sectors = work.sum(&BufferWork::load_sectors),
                 store_sectors = work.sum(&BufferWork::store_sectors);
    double shared = 0;
    for (const auto& buffer : work.buffers)
        if (buffer.memory == Memory::Shared)
            shared += buffer.load_bytes + buffer.store_bytes;
    shared += work.reduction_bytes;
    const double width = gpu.limits.shared_banks * gpu.limits.shared_bank_bytes;
    const auto of_multiprocessors = shared_bytes_per_second(gpu);
    std::vector<LevelUse> out;
    auto add = [&](const char* name, double bytes, double busy, std::optional<device::Figure> rate,
                   bool local, const std::string& formula) {
        if (bytes > 0)
            out.push_back({name, bytes, busy, std::move(rate), local, formula});
    };
    const double passes = work.sum(&BufferWork::passes) + work.reduction_passes;
    add(kSharedLevel, shared, passes * width, of_multiprocessors, true,
        "bytes that threads load and store = " + number(shared) + ", in " + number(passes) +
            " passes, of at least " +
            number(work.sum(&BufferWork::passes_least) + work.reduction_passes));
    const double lines = work.sum(&BufferWork::lines);
    add("L1", (load_sectors + store_sectors) * kSectorBytes, lines * kLineBytes, of_multiprocessors,
        true,
        "sectors of each access of a warp × 32 = (" + number(load_sectors) + " + " +
            number(store_sectors) + ") × 32, in " + number(lines) + " lines");
    const double l2_loads = work.sum(&BufferWork::l2_load_bytes),
                 l2_stores = work.sum(&BufferWork::l2_store_bytes);
    add("L2", l2_loads + l2_stores, l2_loads + l2_stores, gpu.l2_bytes_per_second, false,
        "sectors that blocks read + sectors that warps write = " + number(l2_loads) + " + " +
            number(l2_stores));
    const double dram_loads = work.sum(&BufferWork::dram_load_bytes),
                 dram_stores = work.sum(&BufferWork::dram_store_bytes);
    add("DRAM", dram_loads + dram_stores, dram_loads + dram_stores, gpu.dram_bytes_per_second,
        false,
        "sectors read, again by waves that L2 has no room for, + written = " + number(dram_loads) +
            " + " + number(dram_stores));
    return out;
}

// What the tree says, or, where only registers or clusters are too many, what occupancy does.
std::vector<std::string> refusals_of(const Analysis& a, const ScheduleTree& tree,
                                     const device::Gpu& gpu) {
    std::vector<std::string> out;
    for (const auto& reason : not_runnable(tree, a.mapping, gpu))
        out.push_back(reason.message + (reason.remedy.empty() ? "" : "; " + reason.remedy));
    if (!out.empty())
        return out;
    for (const auto& kernel : a.kernels)
        for (const auto& refusal : kernel.shape.refusals)
            out.push_back("`" + kernel.launch.name + "`: " + refusal);
    return out;
}

// Why the device's figures do not suffice; empty: they do.
std::string missing_figures(const Analysis& a, const device::Device& device) {
    const auto& gpu = *device.gpu;
    auto missing = [&](const std::string& figure) {
        return "the " + figure + " of `" + device.name + "` is not known";
    };
    if (!gpu.dram_bytes_per_second)
        return missing("bandwidth of DRAM");
    for (auto unit : {Unit::F32, Unit::F64, Unit::I32})
        for (const auto& kernel : a.kernels)
            if (kernel.work.operations[static_cast<std::size_t>(unit)] > 0 && !unit_peak(gpu, unit))
                return missing(std::string("peak of ") + name(unit));
    for (const auto& kernel : a.kernels)
        for (const auto& [operand, flops] : kernel.work.tensor_flops)
            if (!tensor_peak(gpu, operand))
                return missing("peak of " + operand + " on tensor cores");
    return "";
}

KernelEstimate kernel_estimate(const Analysis& a, const Kernel& kernel) {
    KernelEstimate out;
    out.name = kernel.launch.name;
    out.node = a.work.tree_node(kernel.launch.stage).id;
    out.flops = kernel.work.flops;
    out.integer_operations = kernel.work.integer_operations;
    const auto waves = std::max<std::int64_t>(kernel.shape.waves, 1);
    out.parallelism = static_cast<double>(kernel.shape.blocks) *
                      static_cast<double>(kernel.shape.threads) / static_cast<double>(waves);
    out.gpu = kernel.shape;
    return out;
}

// What each point contributes to what its kernel is bound by, in any unit.
double weight(const PointWork& point, const std::string& bound) {
    if (bound == kSharedLevel)
        return point.passes;
    if (bound == "L1")
        return point.lines;
    return bound == "L2" || bound == "DRAM" ? point.l2_bytes : point.instructions;
}

void distribute_seconds(Estimate& e, const Analysis& a) {
    std::vector<double> own(a.work.nodes.size(), 0);
    for (std::size_t k = 0; k < a.kernels.size(); ++k) {
        const auto& points = a.kernels[k].work.points;
        double sum = 0;
        for (const auto& point : points)
            sum += weight(point, e.kernels[k].bound);
        for (const auto& point : points)
            own[static_cast<std::size_t>(
                a.work.points[static_cast<std::size_t>(point.point)].node)] +=
                e.kernels[k].seconds * (sum > 0 ? weight(point, e.kernels[k].bound) / sum
                                                : 1 / static_cast<double>(points.size()));
    }
    set_seconds(e, a.work, own, 0, own.size());
}

// The terms of the whole: of one launch its own; of several their sums.
void add_kernel_terms(Estimate& e, const char* source) {
    std::vector<Term> sums;
    for (const auto& kernel : e.kernels)
        for (const auto& term : kernel.terms) {
            auto known = std::find_if(sums.begin(), sums.end(),
                                      [&](const Term& sum) { return sum.name == term.name; });
            if (known == sums.end())
                sums.push_back(term);
            else
                known->value += term.value;
        }
    for (auto& sum : sums) {
        if (sum.name == "T")
            continue;
        if (e.kernels.size() > 1) {
            sum.formula = "sum over kernels = " + number(sum.value);
            sum.source = source;
        }
        e.terms.push_back(std::move(sum));
    }
}

} // namespace

Analysis analyse_launches(const ScheduleTree& tree, const device::Device& device,
                          const EstimateOptions& options) {
    const auto& gpu = *device.gpu;
    Analysis a;
    a.mapping = map_to_gpu(tree);
    a.work = flatten(tree);
    a.compulsory_bytes = compulsory_bytes(a.work);
    a.memories = memories(a.work, a.mapping);
    a.roles.resize(a.work.points.size());
    auto all = launches(a.work, a.mapping);
    for (const auto& launch : all)
        add_roles(a.work, launch, a.memories, a.mapping, a.roles);
    const auto persistent = persistent_blocks(a.mapping, device);
    count_executions(a.work, a.roles);
    a.recompute = recomputation(a.work);
    for (auto& launch : all) {
        Kernel kernel;
        kernel.shape = kernel_shape(a.work, launch, a.memories, a.roles, device,
                                    {persistent, options.registers});
        kernel.work = kernel_work(a.work, launch, a.memories, a.roles, kernel.shape, device);
        kernel.levels = levels_of(kernel.work, gpu);
        kernel.launch = std::move(launch);
        a.kernels.push_back(std::move(kernel));
    }
    a.refusals = refusals_of(a, tree, gpu);
    return a;
}

Estimate refuse_processor(const char* model, const device::Device& device) {
    auto e = named_estimate(model, device);
    e.reason = "`" + device.name + "` is no GPU, and this model is one of GPUs";
    return e;
}

Estimate start_estimate(const char* model, const device::Device& device, const Analysis& a) {
    auto e = named_estimate(model, device);
    add_counts(e, a.work, footprints(a.work, kSectorBytes), a.recompute, a.compulsory_bytes);
    double registers = 0;
    e.threads = 0;
    for (const auto& kernel : a.kernels) {
        registers += kernel.work.register_bytes;
        e.kernels.push_back(kernel_estimate(a, kernel));
        const auto& s = kernel.shape;
        const auto blocks = s.runnable() ? std::min(s.blocks, s.blocks_at_once) : s.blocks;
        constexpr double kMaxCount = 1 << 30;
        e.threads = std::max(e.threads, static_cast<int>(std::min(
                                            static_cast<double>(blocks * s.threads), kMaxCount)));
    }
    e.terms.push_back({"bytes_registers", registers, "bytes",
                       "values that points read and write = " + number(registers),
                       "counted from the definitions"});
    for (const auto& refusal : a.refusals)
        e.reason += (e.reason.empty() ? "" : "; ") + refusal;
    if (e.reason.empty())
        e.reason = missing_figures(a, device);
    e.advice = advice_of(a);
    return e;
}

void finish_estimate(Estimate& e, const Analysis& a, const device::Device& device,
                     const char* source) {
    distribute_seconds(e, a);
    double seconds = 0;
    for (const auto& kernel : e.kernels)
        seconds += kernel.seconds;
    add_kernel_terms(e, source);
    e.bound = overall_bound(e);
    if (device.parallel_overhead_seconds) {
        const double each = device.parallel_overhead_seconds->value;
        const double launches = static_cast<double>(e.kernels.size());
        seconds += launches * each;
        e.terms.push_back({"T_launch", launches * each, "s",
                           "launches × seconds of one = " + number(launches) + " × " + number(each),
                           device.parallel_overhead_seconds->source});
    }
    e.seconds = seconds;
    e.terms.push_back({"T", seconds, "s",
                       device.parallel_overhead_seconds
                           ? "sum over kernels + T_launch = " + number(seconds)
                           : "sum over kernels = " + number(seconds),
                       source});
}

} // namespace loopscope::model::gpu
