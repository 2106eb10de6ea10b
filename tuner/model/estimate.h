#pragma once
// Estimates: what a model says of (schedule tree, device). Not one number: seconds, each with its breakdown and the
// terms that led to it, so that a view can show why. A model is a pure function and never lowers.

#include "core/device/device.h"
#include "core/schedule/tree.h"

#include <nlohmann/json_fwd.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::model {

// A named quantity that took part, with its formula in this schedule's values: "why?" is one click from every number.
struct Term {
    std::string name;      // "T_memory"
    double value = 0;
    std::string unit;      // "s", "bytes", "flop", "" (a ratio)
    std::string formula;   // "bytes_memory / bandwidth_memory = 12.3e6 / 18.1e9"
    std::string source;    // "ALCOP V-D", "Williams et al. 2009"
};

struct LevelTraffic {
    std::string level;       // "L1", "L2", "L3", "memory"
    double bytes = 0;        // moved between this level and the one below it (nearer the core)
    double seconds = 0;
    double intensity = 0;    // FLOP per byte at this level; infinite is not a number: absent traffic has no entry
};

// A kernel on a CPU: one top-level nest (a stage at root with everything computed inside it).
struct KernelEstimate {
    std::string name;        // the stage at root
    NodeId node;
    double seconds = 0;
    double flops = 0;        // executed, recomputation included; definition: core/ir/cost.h
    double compute_seconds = 0;
    std::vector<LevelTraffic> traffic; // innermost first
    std::string bound;       // "compute", "L2", "memory", "overhead"
    double parallelism = 1;  // threads that work on it at once, on average
};

struct NodeCost {
    double seconds_own = 0;      // of the node without its children
    double seconds_subtree = 0;
    double flops = 0;            // of the subtree, all iterations
    double stores = 0;           // elements stored by the subtree, all iterations
    double trips = 1;            // how often the node is executed in all
    std::map<std::string, double> footprint_bytes; // distinct bytes that one execution touches, by stage or input
};

struct Estimate {
    std::string model;               // "roofline", "bottleneck"
    std::string device;
    std::optional<double> seconds;   // absent: not runnable, or a figure is unknown; `reason` says why
    std::string reason;
    std::string bound;
    double flops = 0;
    double useful_flops = 0;         // without recomputation
    double recompute_factor = 1;     // flops / useful_flops (by points computed where there are no FLOPs)
    double stores = 0;               // elements
    double compulsory_bytes = 0;     // inputs read + outputs written, once
    std::vector<KernelEstimate> kernels;
    std::vector<Term> terms;
    std::map<std::string, double> stage_recompute; // points computed / points needed, per stage
    std::map<NodeId, NodeCost> nodes;
    std::vector<std::string> advice; // sentences that name a directive
    int threads = 1;
};

struct EstimateOptions {
    int threads = 0; // 0: all of the device's cores
};

struct Model {
    const char* name;    // "bottleneck"
    const char* summary; // one sentence, with its source
    Estimate (*estimate)(const ScheduleTree& tree, const device::Device& device, const EstimateOptions& options);
};
const std::vector<Model>& models();         // one performance model a file, one registration line
const Model* find_model(const std::string& name);

// What the roofline draws: ceilings and the kernels' points.
struct Ceiling {
    std::string name;   // "f32 FMA, all cores", "L2"
    double value = 0;   // FLOP/s, or bytes/s for a bandwidth
    bool bandwidth = false;
    std::string source;
};
std::vector<Ceiling> roofline_ceilings(const device::Device& device, int threads);

nlohmann::json to_json(const Estimate& estimate);

// Counts that hold whatever the device (the judge compares them with the loop-program interpreter's).
struct Counts {
    double flops = 0, stores = 0;
    std::map<std::string, double> distinct_bytes; // by stage or input, over the whole program
    std::map<NodeId, NodeCost> nodes;             // seconds are zero here
    bool flops_exact = true, stores_exact = true; // false: an upper bound (a data-dependent `where` took part)
};
Counts count(const ScheduleTree& tree);

} // namespace loopscope::model
