#pragma once
// Estimates: what a model says of (schedule tree, device). Not one number: seconds, each with its
// breakdown and the terms that led to it, so that a view can show why. A model is a pure function
// and never lowers.
//
// What the models assume of a machine is written where it is used: traffic.h (caches), core_time.h
// (instructions), gpu/kernel_work.h (all of a GPU).

#include "core/device/device.h"
#include "core/schedule/tree.h"
#include "tuner/model/gpu/kernel_shape.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::model {

// A named quantity that took part, with its formula in this schedule's values: "why?" is one click
// from every number.
struct Term {
    std::string name; // "T_memory"
    double value = 0;
    std::string unit;    // "s", "bytes", "flop", "" (a ratio)
    std::string formula; // "bytes_memory / bandwidth_memory = 12.3e6 / 18.1e9"
    std::string source;  // "ALCOP V-D", "Williams et al. 2009"
};

// The models' name for shared memory, whatever a script calls it.
inline constexpr const char* kSharedLevel = "shared";

struct LevelTraffic {
    std::string level; // "L1", "L2", "L3", "memory"; of a GPU kSharedLevel, "L1", "L2", "DRAM"
    double bytes = 0;  // moved between this level and the one below it (nearer the core)
    double seconds = 0;
    // FLOP per byte at this level; infinite is not a number: absent traffic has no entry
    double intensity = 0;
};

// A kernel on a CPU: one top-level nest (a stage at root with everything computed inside it). On a
// GPU: one launch.
struct KernelEstimate {
    std::string name; // the stage at root; of a launch its definition, "H.update(0)"
    NodeId node;
    double seconds = 0;
    double flops = 0;              // executed, recomputation included; definition: core/ir/cost.h
    double integer_operations = 0; // likewise, without those of indices
    double compute_seconds = 0;
    std::vector<LevelTraffic> traffic; // innermost first
    std::string bound;       // "compute", "L2", "memory", "overhead"; of a launch also "issue"
    double parallelism = 1;  // threads that work on it at once, on average
    std::vector<Term> terms; // of this kernel alone; on a CPU those of the whole say it
    std::optional<gpu::KernelShape> gpu; // of a launch
};

struct NodeCost {
    double seconds_own = 0; // of the node without its children
    double seconds_subtree = 0;
    double flops = 0;  // of the subtree, all iterations
    double stores = 0; // elements stored by the subtree, all iterations
    // How often the node is executed in all: a loop is started, a point is evaluated
    double trips = 1;
    // Distinct bytes that one execution touches, by stage or input; an upper bound where accesses
    // have gaps. Memory inside a loop below the node counts once.
    std::map<std::string, double> footprint_bytes;
};

struct Estimate {
    std::string model; // "roofline", "bottleneck"
    std::string device;
    // the device is known from its description alone: no measurement here can confirm this
    bool described = false;
    std::optional<double> seconds; // absent: not runnable, or a figure is unknown: see `reason`
    std::string reason;
    std::string bound;
    double flops = 0;
    double useful_flops = 0; // without recomputation
    // flops / useful_flops (by points computed where there are no FLOPs)
    double recompute_factor = 1;
    double stores = 0;           // elements
    double compulsory_bytes = 0; // inputs read + outputs written, once
    std::vector<KernelEstimate> kernels;
    std::vector<Term> terms;
    std::map<std::string, double> stage_recompute; // points computed / points needed, per stage
    std::map<NodeId, NodeCost> nodes;
    std::vector<std::string> advice; // sentences that name a directive
    int threads = 1;
};

struct EstimateOptions {
    int threads = 0; // 0: all of the device's cores; no more than its hardware threads are counted
    // Registers a thread by the name of the launch, as the assembler says: they replace the
    // estimate.
    std::map<std::string, int> registers = {};
};

struct Model {
    const char* name;    // "bottleneck"
    const char* summary; // one sentence, with its source
    Estimate (*estimate)(const ScheduleTree& tree, const device::Device& device,
                         const EstimateOptions& options);
    const char* kind = "cpu"; // of the devices that it is for: "cpu", "gpu"
};
// The models: one a file, with one registration line. A model that a paper describes for both kinds
// of devices has one name.
const std::vector<Model>& models();
const Model* find_model(const std::string& name); // that of processors where there is one
// The models for the device's kind; the first is the default.
std::vector<const Model*> models_for(const device::Device& device);
const Model* find_model(const std::string& name, const device::Device& device);

// The roofline's drawing: ceilings and the kernels' points.
struct Ceiling {
    std::string name; // "f32 FMA, all cores", "L2"
    double value = 0; // FLOP/s, of integers operations/s, or bytes/s for a bandwidth
    bool bandwidth = false;
    std::string source;
    bool integers = false; // of operations on them
};
// `threads`: of a processor.
std::vector<Ceiling> roofline_ceilings(const device::Device& device, int threads);

// {"model", "device", "described", "threads", "seconds" (null: none, see "reason"), "bound",
// "flops", "kernels": [{"name", "node", "seconds", "flops", "bound", "traffic": [{"level", "bytes",
// "seconds", "intensity"}]}], "terms", "nodes", …}; a launch has "gpu" and its own "terms" as well.
nlohmann::json to_json(const Estimate& estimate);

// A directive that would pay by the bottleneck model, tried on the schedule: applicable, and faster
// by `saving`.
struct Advice {
    std::string sentence;  // "`gx` is computed 2.6 times; `gx.compute_at(out, yo)` would save 41 %"
    std::string directive; // the line to append to the script: "gx.compute_at(out, yo)"
    double saving = 0;     // share of the time, 0.41
};
// Candidates are built and estimated one by one: milliseconds each, hence not part of an estimate.
// Best first; none below 3 %. `limit`: at most so many sentences. `cancelled` may be null; once it
// is true the search ends, and what was found until then is returned.
std::vector<Advice> advise(const ScheduleTree& tree, const device::Device& device,
                           const EstimateOptions& options = {}, std::size_t limit = 5,
                           const std::atomic<bool>* cancelled = nullptr);

// Counts that hold whatever the device (the judge compares them with the loop-program
// interpreter's, on the program as compiler/lower/build.h makes it: lanes that a vector masks off
// are no points).
//
// A definition runs once for each point of its region, in each execution of its stage's node: a
// guard of a split tail drops what the split adds, and a producer inside a loop has one extent in
// every iteration, its region moved inside the stage's box. Executions of a node are the product of
// the extents of the loops around it: what is computed inside a guarded loop also runs in the
// iterations that the guard then drops.
struct Counts {
    double flops = 0, stores = 0;
    // by stage or input, over the whole program (definition: distinct.h)
    std::map<std::string, double> distinct_bytes;
    std::map<std::string, bool> distinct_exact; // false: an upper bound
    std::map<NodeId, NodeCost> nodes;           // seconds are zero here
    bool flops_exact = true,
         stores_exact = true; // false: an upper bound (a data-dependent `where` took part)
};
Counts count(const ScheduleTree& tree);

} // namespace loopscope::model
