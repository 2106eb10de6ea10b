// The bottleneck model: ALCOP V-D, where the time of an operator is the greatest of its compute,
// shared-memory and device-memory times at full utilisation; here the levels are a CPU's, and what
// a CPU schedule decides enters the times: vector width, contraction, accumulators in flight,
// balance of parallel tasks, cost of starting them.

#include "tuner/model/analysis.h"

#include "tuner/model/models.h"

namespace loopscope::model {

namespace {

struct Times {
    double compute = 0;  // arithmetic and loops
    double overhead = 0; // starting parallel loops
    std::vector<std::optional<double>> levels;
    int bound = -1; // of `levels`; -1: compute
    double greatest = 0;
};

// Rate of T threads together, in units of one alone: below T where all cores together run slower.
double speed_up(const device::Device& device, double threads) {
    auto together = peak_flops(device, ScalarType::F32, threads),
         alone = peak_flops(device, ScalarType::F32, 1);
    return together && alone && *alone > 0 ? std::max(*together / *alone, 1.0) : threads;
}

Times kernel_times(const Analysis& a, const Kernel& kernel, const device::Device& device) {
    Times t;
    for (int p : kernel.points) {
        const auto& time = a.times[static_cast<std::size_t>(p)];
        t.compute += time.compute_seconds / speed_up(device, time.threads);
    }
    for (std::size_t n = static_cast<std::size_t>(kernel.node); n < a.work.nodes.size(); ++n) {
        const auto& node = a.work.nodes[n];
        if (n != static_cast<std::size_t>(kernel.node) && node.parent < kernel.node)
            break;
        t.compute += a.loops[n] / speed_up(device, kernel.threads);
    }
    if (device.parallel_overhead_seconds)
        t.overhead = kernel.launches * device.parallel_overhead_seconds->value;
    for (std::size_t l = 0; l < a.levels.size(); ++l) {
        // A scalar load occupies the innermost cache as long as a vector does.
        double bytes = l == 0 ? kernel.instructions * device.vector_bits / 8 : kernel.bytes[l];
        t.levels.push_back(level_seconds(a.levels[l], bytes, kernel.threads, device.cores));
    }
    t.greatest = t.compute;
    for (std::size_t l = 0; l < t.levels.size(); ++l)
        if (t.levels[l] && *t.levels[l] > t.greatest) {
            t.greatest = *t.levels[l];
            t.bound = static_cast<int>(l);
        }
    return t;
}

// Where a level's bandwidths come from: one core's, then all cores' where that is another figure.
std::string sources(const Level& level) {
    if (!level.one || !level.all)
        return level.one ? level.one->source : level.all->source;
    bool same = level.one->value == level.all->value || level.one->source == level.all->source;
    return same ? level.all->source : level.one->source + "; all cores: " + level.all->source;
}

void add_time_terms(Estimate& e, const Analysis& a, const device::Device& device,
                    const std::vector<Times>& times) {
    const char* source = "bottleneck analysis, as in the ALCOP paper on pipelining, section V-D";
    double compute = 0, overhead = 0, slots = 0, launches = 0;
    for (std::size_t k = 0; k < times.size(); ++k) {
        compute += times[k].compute;
        overhead += times[k].overhead;
        launches += a.kernels[k].launches;
    }
    double loops = 0;
    for (const auto& t : a.times)
        slots += t.compute_seconds / *a.slot;
    for (double l : a.loops)
        loops += l;
    double threads = compute > 0 ? (slots * *a.slot + loops) / compute : 1;
    e.terms.push_back(
        {"T_slot", *a.slot, "s",
         "2 × lanes / FLOP/s of one core = " + number(*a.slot) + " for one vector instruction",
         device.flops_per_second.begin()->second.source});
    e.terms.push_back({"T_compute", compute, "s",
                       "(slots of instructions × T_slot + loops) / speed-up of the threads = (" +
                           number(slots) + " × " + number(*a.slot) + " + " + number(loops) +
                           ") / " + number(threads),
                       source});
    for (std::size_t l = 0; l < a.levels.size(); ++l) {
        const auto& level = a.levels[l];
        double seconds = 0, bytes = 0;
        bool known = true;
        for (std::size_t k = 0; k < times.size(); ++k) {
            known = known && times[k].levels[l].has_value();
            seconds += times[k].levels[l].value_or(0);
            bytes +=
                l == 0 ? a.kernels[k].instructions * device.vector_bits / 8 : a.kernels[k].bytes[l];
        }
        if (!known) {
            e.terms.push_back(
                {"bytes_unused_" + level.name, bytes, "bytes",
                 "the bandwidth of " + level.name + " is not known: this level takes no part",
                 source});
            continue;
        }
        std::string what = l == 0 ? "loads and stores × vector width" : "bytes_" + level.name;
        e.terms.push_back({"T_" + level.name, seconds, "s",
                           what + " / bandwidth_" + level.name + " = " + number(bytes) + " / " +
                               number(seconds > 0 ? bytes / seconds : 0),
                           sources(level)});
    }
    if (launches > 0)
        e.terms.push_back(
            {"T_overhead", overhead, "s",
             device.parallel_overhead_seconds
                 ? "starts of parallel loops × seconds each = " + number(launches) + " × " +
                       number(device.parallel_overhead_seconds->value)
                 : number(launches) +
                       " starts of parallel loops; what one costs is not known, and not counted",
             device.parallel_overhead_seconds ? device.parallel_overhead_seconds->source : source});
    std::string sum;
    for (std::size_t k = 0; k < times.size() && k < 6; ++k)
        sum += (k ? " + " : "") + number(times[k].greatest + times[k].overhead);
    e.terms.push_back({"T", e.seconds.value_or(0), "s",
                       "sum over kernels of max(T_compute, T of each level) + T_overhead = " + sum +
                           (times.size() > 6 ? " + …" : ""),
                       source});
}

Estimate estimate_bottleneck(const ScheduleTree& tree, const device::Device& device,
                             const EstimateOptions& options) {
    auto a = analyse(tree, device, options);
    auto e = start_estimate("bottleneck", device, a);
    if (!e.reason.empty())
        return e;
    std::vector<Times> times;
    double seconds = 0;
    for (std::size_t k = 0; k < a.kernels.size(); ++k) {
        const auto& kernel = a.kernels[k];
        auto t = kernel_times(a, kernel, device);
        auto& out = e.kernels[k];
        out.seconds = t.greatest + t.overhead;
        out.compute_seconds = t.compute;
        for (std::size_t l = 0; l < a.levels.size(); ++l) {
            if (kernel.bytes[l] <= 0)
                continue;
            out.traffic.push_back({a.levels[l].name, kernel.bytes[l], t.levels[l].value_or(0),
                                   kernel.flops / kernel.bytes[l]});
        }
        out.bound = t.overhead > t.greatest ? "overhead"
                    : t.bound < 0           ? "compute"
                                            : a.levels[static_cast<std::size_t>(t.bound)].name;
        seconds += out.seconds;
        distribute_seconds(e, a, kernel, out.seconds, t.overhead, t.bound);
        times.push_back(std::move(t));
    }
    e.seconds = seconds;
    e.bound = overall_bound(e);
    add_time_terms(e, a, device, times);
    return e;
}

} // namespace

const Model& bottleneck_model() {
    static const Model model{
        "bottleneck",
        "The greatest of compute time and of each memory level's transfer time (ALCOP V-D), with "
        "what a CPU schedule decides: vectors, accumulators, balance of tasks.",
        estimate_bottleneck};
    return model;
}

} // namespace loopscope::model
