#pragma once
// The common start of all models of a GPU schedule: launches, what each takes and does, and the
// parts of an Estimate that do not depend on the model.

#include "tuner/model/estimate_parts.h"
#include "tuner/model/gpu/kernel_work.h"

namespace loopscope::model::gpu {

// A memory, with the bytes that a launch moves between it and what is nearer to the registers.
struct LevelUse {
    std::string name; // kSharedLevel, "L1", "L2", "DRAM", in that order
    double bytes = 0;
    // Bytes in units of the level's full width: more than `bytes` where banks are in conflict, or
    // accesses spread over many lines.
    double busy_bytes = 0;
    std::optional<device::Figure> bandwidth; // absent: not known, and the level takes no part
    bool in_multiprocessor = false;          // each has its own; else all share one
    std::string formula;                     // of the bytes
};

struct Kernel {
    Launch launch;
    KernelShape shape;
    KernelWork work;
    std::vector<LevelUse> levels; // nearest first; those that move something
};

struct Analysis {
    Mapping mapping;
    Work work; // its points and nodes are executed as often as a GPU does it
    std::vector<Memory> memories;
    std::vector<PointRoles> roles;
    std::vector<Kernel> kernels;
    Recomputation recompute;
    double compulsory_bytes = 0;
    std::vector<std::string> refusals; // why the schedule is not runnable; empty: it is
};

// Analyses the launches; the device must be a GPU.
Analysis analyse_launches(const ScheduleTree& tree, const device::Device& device,
                          const EstimateOptions& options);

// An Estimate with everything but seconds, bounds and the terms that a model adds. Its reason says
// why there can be no seconds; empty: there can be.
Estimate start_estimate(const char* model, const device::Device& device, const Analysis& a);

// Closes an estimate whose kernels have seconds: the sum, what it is bound by, the terms of the
// whole, seconds of nodes.
void finish_estimate(Estimate& e, const Analysis& a, const device::Device& device,
                     const char* source);

// Advice: sentences that name a directive.
std::vector<std::string> advice_of(const Analysis& a);

} // namespace loopscope::model::gpu
