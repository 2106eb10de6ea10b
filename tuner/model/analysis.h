#pragma once
// The common start of all models of a CPU schedule: counts, footprints, traffic and core times of
// one (tree, device), and the parts of an Estimate that do not depend on the model.

#include "tuner/model/core_time.h"
#include "tuner/model/estimate_parts.h"
#include "tuner/model/traffic.h"

namespace loopscope::model {

// A place that data come from: a cache or memory, with the levels between it and the core.
struct Level {
    std::string name;                    // "L1", "memory"
    const device::Figure* one = nullptr; // bytes per second of one core; null: unknown
    const device::Figure* all = nullptr; // of all cores together; null: unknown
};

struct Kernel {
    int node = 0; // of Work::nodes: the Stage node at root
    std::vector<int> points;
    double flops = 0, integer_operations = 0;
    double threads = 1;              // at work, on average
    double launches = 0;             // starts of parallel loops
    double instructions = 0;         // loads and stores, all points
    std::vector<double> bytes;       // per level: moved between it and the level nearer the core
    std::vector<const Flows*> flows; // per level, by buffer; null for the innermost (registers)
};

struct Analysis {
    Work work;
    std::vector<NodeFootprints> footprints;
    // per point; all seconds are zero when the device has no measured peak
    std::vector<PointTime> times;
    std::vector<double> loops;              // per node: seconds of its bookkeeping on one thread
    std::vector<std::vector<Flows>> misses; // per cache, per kernel
    std::vector<Level> levels;              // innermost first, memory last
    std::vector<Kernel> kernels;
    std::optional<double> slot; // seconds
    int threads = 1;
};

Analysis analyse(const ScheduleTree& tree, const device::Device& device,
                 const EstimateOptions& options);

// An Estimate with everything but seconds, bounds and the terms that a model adds. Its reason says
// why there can be no seconds; empty: there can be.
Estimate start_estimate(const char* model, const device::Device& device, const Analysis& a);

// Distributes each kernel's seconds over its nodes, in proportion to their part in its bound.
// `bound`: index of a level, or -1 for compute; `overhead`: seconds of starting parallel loops,
// within `seconds`.
void distribute_seconds(Estimate& estimate, const Analysis& a, const Kernel& kernel, double seconds,
                        double overhead, int bound);

// The seconds of a kernel at a level, from the bytes that it moves there; nullopt: the level has no
// measured bandwidth.
std::optional<double> level_seconds(const Level& level, double bytes, double threads, int cores);

// A rate for `threads` threads on average: one core's times threads, at most all cores' together
// where that is known. nullopt: neither is known.
std::optional<double> rate(const device::Figure* one, const device::Figure* all, double threads,
                           int cores);

// The peak of a type for `threads` threads; nullopt: not measured.
std::optional<double> peak_flops(const device::Device& device, ScalarType type, double threads);

} // namespace loopscope::model
