#include "tuner/model/analysis.h"

#include <algorithm>

namespace loopscope::model {

namespace {

std::vector<Level> levels_of(const device::Device& device) {
    std::vector<Level> out;
    auto figure = [](const std::optional<device::Figure>& f) { return f ? &*f : nullptr; };
    for (const auto& cache : device.caches)
        out.push_back(
            {cache.name, figure(cache.bytes_per_second), figure(cache.bytes_per_second_all)});
    out.push_back({"memory", figure(device.memory_bytes_per_second),
                   figure(device.memory_bytes_per_second_all)});
    return out;
}

double launches_below(const Work& work, int n) {
    const auto& node = work.nodes[static_cast<std::size_t>(n)];
    if (node.node->kind == TreeKind::Loop && node.node->loop_kind == LoopKind::Parallel)
        return node.trips; // parallel loops inside run within the tasks that this one starts
    double sum = 0;
    for (int c : node.children)
        sum += launches_below(work, c);
    return sum;
}

void time_kernel(const Analysis& a, Kernel& kernel) {
    kernel.bytes.assign(a.levels.size(), 0);
    kernel.flows.assign(a.levels.size(), nullptr);
    double work = 0, elapsed = 0, points = 0, elapsed_points = 0;
    for (int p : kernel.points) {
        const auto& t = a.times[static_cast<std::size_t>(p)];
        kernel.instructions += t.loads + t.stores;
        kernel.bytes[0] += t.register_bytes;
        double c = t.compute_seconds + (t.loads + t.stores) * a.slot.value_or(0);
        work += c;
        elapsed += c / t.threads;
        points += t.evaluations;
        elapsed_points += t.evaluations / t.threads;
    }
    if (elapsed > 0)
        kernel.threads = work / elapsed;
    else if (elapsed_points > 0)
        kernel.threads = points / elapsed_points;
    if (a.threads > 1)
        kernel.launches = launches_below(a.work, kernel.node);
}

} // namespace

Analysis analyse(const ScheduleTree& tree, const device::Device& device,
                 const EstimateOptions& options) {
    Analysis a;
    const int cores = std::max(device.cores, 1);
    a.threads =
        options.threads > 0 ? std::min(options.threads, std::max(device.threads, cores)) : cores;
    a.work = flatten(tree);
    a.levels = levels_of(device);
    a.slot = slot_seconds(device);
    double line = device.caches.empty() ? 64 : std::max(device.caches[0].line_bytes, 1);
    a.footprints = footprints(a.work, line);
    for (const auto& point : a.work.points)
        a.times.push_back(point_time(a.work, point, device, a.slot.value_or(0), a.threads));
    a.loops = loop_seconds(a.work, a.times, a.slot.value_or(0));
    for (const auto& cache : device.caches)
        a.misses.push_back(cache_traffic(a.work, a.footprints, cache, a.threads));
    for (std::size_t c = 1; c < a.misses.size(); ++c)
        limit_traffic(a.misses[c], a.misses[c - 1]);
    auto nodes = kernel_nodes(a.work);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        Kernel kernel;
        kernel.node = nodes[k];
        const auto& node = a.work.nodes[static_cast<std::size_t>(nodes[k])];
        for (int p = node.first_point; p < node.last_point; ++p) {
            kernel.points.push_back(p);
            const auto& point = a.work.points[static_cast<std::size_t>(p)];
            kernel.flops += point.flops;
            kernel.integer_operations += point.integer_operations;
        }
        time_kernel(a, kernel);
        for (std::size_t c = 0; c < a.misses.size(); ++c) {
            kernel.flows[c + 1] = &a.misses[c][k];
            kernel.bytes[c + 1] = total(a.misses[c][k]);
        }
        a.kernels.push_back(std::move(kernel));
    }
    return a;
}

namespace {

// Why the device's figures do not suffice; empty: they do.
std::string missing_figures(const device::Device& device) {
    auto missing = [&](const std::string& figure) {
        return device.is_host ? "this machine's " + figure + " is not measured yet"
                              : "the " + figure + " of `" + device.name + "` is not known";
    };
    if (device.gpu)
        return "`" + device.name + "` is a GPU, and this model is one of processors";
    if (!slot_seconds(device))
        return missing("peak FLOP/s");
    if (!device.memory_bytes_per_second && !device.memory_bytes_per_second_all)
        return missing("memory bandwidth");
    return "";
}

void add_level_terms(Estimate& e, const Analysis& a) {
    for (std::size_t l = 0; l < a.levels.size(); ++l) {
        double bytes = 0;
        std::string parts;
        for (const auto& kernel : a.kernels) {
            bytes += kernel.bytes[l];
            if (a.kernels.size() <= 4)
                parts += (parts.empty() ? "" : " + ") + number(kernel.bytes[l]);
        }
        std::string meaning = l == 0 ? "loads and stores that registers do not save"
                                     : "whole lines that " + a.levels[l - 1].name +
                                           " misses, for loads and for stores, or writes back";
        e.terms.push_back({"bytes_" + a.levels[l].name, bytes, "bytes",
                           meaning + " = " + (parts.empty() ? number(bytes) : parts),
                           "the footprint of each loop held against the size of each cache; help: "
                           "Estimate"});
    }
}

} // namespace

Estimate start_estimate(const char* model, const device::Device& device, const Analysis& a) {
    auto e = named_estimate(model, device);
    e.threads = a.threads;
    add_counts(e, a.work, a.footprints, recomputation(a.work), compulsory_bytes(a.work));
    add_level_terms(e, a);
    e.reason = missing_figures(device);
    for (const auto& kernel : a.kernels) {
        KernelEstimate k;
        const auto& node = a.work.tree_node(kernel.node);
        k.name = node.id.stage;
        k.node = node.id;
        k.flops = kernel.flops;
        k.integer_operations = kernel.integer_operations;
        k.parallelism = kernel.threads;
        e.kernels.push_back(std::move(k));
    }
    return e;
}

namespace {

// What each point contributes to a kernel's bound, in any unit.
std::vector<double> point_weights(const Analysis& a, const Kernel& kernel, int bound) {
    std::vector<double> out(kernel.points.size(), 0);
    for (std::size_t i = 0; i < kernel.points.size(); ++i) {
        const auto& t = a.times[static_cast<std::size_t>(kernel.points[i])];
        if (bound < 0)
            out[i] = t.compute_seconds / t.threads;
        else if (bound == 0)
            out[i] = (t.loads + t.stores) / t.threads;
    }
    if (bound <= 0)
        return out;
    // Traffic belongs to buffers: it is shared among the points that access one by how often they
    // do.
    for (const auto& flow : *kernel.flows[static_cast<std::size_t>(bound)]) {
        std::vector<double> uses(kernel.points.size(), 0);
        double sum = 0;
        for (std::size_t i = 0; i < kernel.points.size(); ++i) {
            const auto& point = a.work.points[static_cast<std::size_t>(kernel.points[i])];
            for (const auto& access : point.accesses)
                if (access.buffer == flow.buffer)
                    uses[i] += point.points * access.loads *
                               ((access.read ? 1 : 0) + (access.write ? 1 : 0));
            sum += uses[i];
        }
        for (std::size_t i = 0; i < uses.size() && sum > 0; ++i)
            out[i] += (flow.in + flow.out) * uses[i] / sum;
    }
    return out;
}

} // namespace

void distribute_seconds(Estimate& estimate, const Analysis& a, const Kernel& kernel, double seconds,
                        double overhead, int bound) {
    std::vector<double> own(a.work.nodes.size(), 0);
    auto weights = point_weights(a, kernel, bound);
    double sum = 0;
    for (double w : weights)
        sum += w;
    double loops = 0;
    auto first = static_cast<std::size_t>(kernel.node);
    auto last = first;
    while (last < a.work.nodes.size() &&
           (last == first || a.work.nodes[last].parent >= kernel.node))
        ++last;
    if (bound < 0)
        for (std::size_t n = first; n < last; ++n)
            if (a.work.nodes[n].node->kind == TreeKind::Loop) {
                own[n] = a.loops[n] / kernel.threads;
                loops += own[n];
            }
    double rest = seconds - overhead;
    double scale = sum + loops > 0 ? rest / (sum + loops) : 0;
    for (std::size_t n = first; n < last; ++n)
        own[n] *= scale;
    for (std::size_t i = 0; i < kernel.points.size(); ++i) {
        auto node = static_cast<std::size_t>(
            a.work.points[static_cast<std::size_t>(kernel.points[i])].node);
        own[node] +=
            sum + loops > 0 ? weights[i] * scale : rest / static_cast<double>(kernel.points.size());
    }
    if (overhead > 0)
        for (std::size_t n = first; n < last; ++n) {
            const auto& node = a.work.nodes[n];
            if (node.node->kind != TreeKind::Loop || node.node->loop_kind != LoopKind::Parallel)
                continue;
            bool inside = false;
            for (int up = node.parent; up >= kernel.node;
                 up = a.work.nodes[static_cast<std::size_t>(up)].parent)
                inside = inside || a.work.tree_node(up).loop_kind == LoopKind::Parallel;
            if (!inside)
                own[n] += overhead * node.trips / kernel.launches;
        }
    set_seconds(estimate, a.work, own, first, last);
    estimate.nodes[a.work.nodes[0].node->id].seconds_subtree += seconds;
}

std::optional<double> rate(const device::Figure* one, const device::Figure* all, double threads,
                           int cores) {
    if (!one && !all)
        return std::nullopt;
    if (!one)
        return all->value * std::min(1.0, threads / std::max(cores, 1));
    double sum = one->value * threads;
    return all ? std::min(sum, std::max(all->value, one->value)) : sum;
}

std::optional<double> peak_flops(const device::Device& device, ScalarType type, double threads) {
    auto find = [&](const std::map<ScalarType, device::Figure>& in) -> const device::Figure* {
        auto it = in.find(type);
        return it == in.end() ? nullptr : &it->second;
    };
    return rate(find(device.flops_per_second), find(device.flops_per_second_all), threads,
                device.cores);
}

std::optional<double> level_seconds(const Level& level, double bytes, double threads, int cores) {
    auto bandwidth = rate(level.one, level.all, threads, cores);
    if (!bandwidth || *bandwidth <= 0)
        return std::nullopt;
    return bytes / *bandwidth;
}

} // namespace loopscope::model
