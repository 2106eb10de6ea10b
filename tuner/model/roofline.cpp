// The roofline (Williams, Waterman, Patterson 2009): attainable FLOP/s = min(peak, arithmetic
// intensity × bandwidth), with a roof for every memory level (Sioutas Fig. 6.9). As a model it is a
// lower bound of the time: all threads, full vectors and fused multiply-adds are taken for granted,
// whatever the schedule does.

#include "tuner/model/analysis.h"

#include "tuner/model/gpu/ceilings.h"
#include "tuner/model/models.h"

namespace loopscope::model {

namespace {

// The type of a point's arithmetic: f64 where the stage, or most of its work, is.
ScalarType arithmetic_type(const Point& point) {
    return point.type == ScalarType::F64 ||
                   point.operations.arithmetic[3] > point.operations.arithmetic[2]
               ? ScalarType::F64
               : ScalarType::F32;
}

std::optional<double> peak(const device::Device& device, ScalarType type, int threads) {
    if (auto found = peak_flops(device, type, threads))
        return found;
    return peak_flops(device, type == ScalarType::F64 ? ScalarType::F32 : ScalarType::F64, threads);
}

Estimate estimate_roofline(const ScheduleTree& tree, const device::Device& device,
                           const EstimateOptions& options) {
    auto a = analyse(tree, device, options);
    auto e = start_estimate("roofline", device, a);
    if (!e.reason.empty())
        return e;
    double seconds = 0, compute_sum = 0;
    std::vector<double> level_sum(a.levels.size(), 0);
    for (std::size_t k = 0; k < a.kernels.size(); ++k) {
        const auto& kernel = a.kernels[k];
        auto& out = e.kernels[k];
        for (int p : kernel.points) {
            const auto& point = a.work.points[static_cast<std::size_t>(p)];
            if (point.flops > 0)
                out.compute_seconds +=
                    point.flops / peak(device, arithmetic_type(point), a.threads).value_or(1);
        }
        out.parallelism = a.threads;
        out.seconds = out.compute_seconds;
        int bound = -1;
        for (std::size_t l = 0; l < a.levels.size(); ++l) {
            if (kernel.bytes[l] <= 0)
                continue;
            auto time = level_seconds(a.levels[l], kernel.bytes[l], a.threads, device.cores);
            out.traffic.push_back({a.levels[l].name, kernel.bytes[l], time.value_or(0),
                                   kernel.flops / kernel.bytes[l]});
            level_sum[l] += time.value_or(0);
            if (time && *time > out.seconds) {
                out.seconds = *time;
                bound = static_cast<int>(l);
            }
        }
        compute_sum += out.compute_seconds;
        out.bound = bound < 0 ? "compute" : a.levels[static_cast<std::size_t>(bound)].name;
        seconds += out.seconds;
        distribute_seconds(e, a, kernel, out.seconds, 0, bound);
    }
    e.seconds = seconds;
    e.bound = overall_bound(e);
    const char* source = "Williams et al. 2009";
    e.terms.push_back({"T_compute", compute_sum, "s",
                       "FLOPs / peak = " + number(e.flops) + " / " +
                           number(compute_sum > 0 ? e.flops / compute_sum : 0),
                       source});
    for (std::size_t l = 0; l < a.levels.size(); ++l) {
        double bytes = 0;
        for (const auto& kernel : a.kernels)
            bytes += kernel.bytes[l];
        if (level_sum[l] > 0)
            e.terms.push_back({"T_" + a.levels[l].name, level_sum[l], "s",
                               "bytes_" + a.levels[l].name + " / bandwidth = " + number(bytes) +
                                   " / " + number(bytes / level_sum[l]),
                               source});
    }
    e.terms.push_back({"T", seconds, "s",
                       "sum over kernels of max(T_compute, T of each level) = " + number(seconds),
                       source});
    return e;
}

} // namespace

const Model& roofline_model() {
    static const Model model{
        "roofline",
        "The least time that FLOPs at the peak, or bytes at each level's bandwidth, allow "
        "(Williams et al. 2009).",
        estimate_roofline};
    return model;
}

std::vector<Ceiling> roofline_ceilings(const device::Device& device, int threads) {
    if (device.gpu)
        return gpu::roofline_ceilings(*device.gpu);
    if (threads <= 0)
        threads = std::max(device.cores, 1);
    std::vector<Ceiling> out;
    std::string who = threads == 1              ? "one core"
                      : threads >= device.cores ? "all cores"
                                                : std::to_string(threads) + " cores";
    auto source_of = [&](const auto& one, const auto& all) {
        return threads > 1 && all ? all->source : one ? one->source : all->source;
    };
    std::map<ScalarType, std::pair<const device::Figure*, const device::Figure*>> peaks;
    for (const auto& [type, figure] : device.flops_per_second)
        peaks[type].first = &figure;
    for (const auto& [type, figure] : device.flops_per_second_all)
        peaks[type].second = &figure;
    for (const auto& [type, figures] : peaks) {
        auto peak = rate(figures.first, figures.second, threads, device.cores);
        if (!peak)
            continue;
        std::string type_name = name(type);
        std::string source = source_of(figures.first, figures.second);
        out.push_back({type_name + " FMA, " + who, *peak, false, source});
        out.push_back({type_name + " vectors without FMA, " + who, *peak / 2, false,
                       source + ", half of the peak"});
        // Vectors of integers have as many lanes as their width gives, and do one operation in the
        // place of a fused multiply-add.
        if (type == ScalarType::F32)
            for (auto integers :
                 {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64})
                out.push_back({std::string(name(integers)) + " vectors, " + who,
                               *peak / 2 * bits(type) / bits(integers), false,
                               source + ", half of the f32 peak for each lane of " +
                                   std::to_string(bits(integers)) + " bits",
                               true});
        int lanes = device.lanes(type);
        if (lanes > 1)
            out.push_back({type_name + " scalar FMA, " + who, *peak / lanes, false,
                           source + ", 1/" + std::to_string(lanes) + " of the peak"});
    }
    auto bandwidth = [&](const std::string& level, const std::optional<device::Figure>& one,
                         const std::optional<device::Figure>& all) {
        if (auto value = rate(one ? &*one : nullptr, all ? &*all : nullptr, threads, device.cores))
            out.push_back({level + ", " + who, *value, true, source_of(one, all)});
    };
    for (const auto& cache : device.caches)
        bandwidth(cache.name, cache.bytes_per_second, cache.bytes_per_second_all);
    bandwidth("memory", device.memory_bytes_per_second, device.memory_bytes_per_second_all);
    return out;
}

} // namespace loopscope::model
