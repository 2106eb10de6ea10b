#pragma once
// The worker's verbs and their arguments, and readers of its answers. Keys are stable.
//
// Every verb that works on a program takes `program_json`'s keys:
//   "pipeline": {"name", "text"}, "params": {N: V}, "schedule": {"name", "text"} (absent: the
//   default schedule), "vector_bits": what `native` and lowering count with (absent: the host's)
// and of the following what it needs (answers of those that compile have "warnings" where
// vectorised loops run element by element all the same: text, a line each):
//   ("threads" is 0, for all, to kMaxThreads; seconds are above 0; "vector_bits" is a power of two
//   from 64 to 2048, "seed" below 2^64, "tolerance" 0 or more; another value is refused by name)
//   check    "target" ("cpu", "simt", "opencl", "opencl:1", "cuda", "cuda:1"), "seed", "tolerance",
//            "threads", "timeout_s" (what the client allows for all: kernels of "opencl" get a
//            little less, and their end is then an answer)
//            -> "status" "right"|"wrong", "max_abs_error", "max_ulp", "seed", "method",
//               "reassociates", "approximates", "whole_numbers" "equal"|"differ"|"not compared"
//               (where one of the two is true), "first_difference", "difference" (the same by
//               "array", "at", "is" and "reference"), "windows" (only parts of large outputs were
//               compared), "conclusive" (false: too little was compared to show some output to be
//               wrong), "device" (of "opencl" and "cuda"),
//               "outputs": [{"name" ("S.0" of a tuple), "type", "extents", "status"
//               "equal"|"within bound"|"WRONG"|"not compared", "allowed" (the greatest |out - ref|
//               within its bounds; null: every bit), "unbounded" (how many elements have no bounds,
//               or no finite ones), "different", "max_abs_error", "max_ulp"}]
//   run      "target", "threads", "inputs": {NAME: FILE}, "outputs": {NAME: FILE}, "seed",
//            "random" (true: inputs without a file are as check makes them), "stage" (of "cpu": a
//            stage, by its definition, under the default schedule, in place of the outputs)
//            -> "params": {N: V}, "inputs": [{"name", "extents", "type", "file" or "seed" (of
//               random_buffer)}], "outputs": [{"name", "file", "extents", "type", of a stage
//               "begin": [its box's least indices]}], "seconds", "device" (as of check)
//   measure  "target", "threads", "budget_s", "seed", "check" (bool; of GPUs always), "cache"
//            ("warm"|"cold"; of "cuda" only)
//            -> "median_s", "min_s", "ci95_s": [low, high]|null, "samples", "gflops",
//               "gbytes_per_s", "threads", "device", "flops", "bytes", …; of "cpu" also
//               "other_work_cores" (other_work.h; null: not known); of "cuda" also "kernels"
//               (of each also "launch", as the tree's "H.update(0)", and "median_s"), "cache",
//               "graph", "clocks"; where it was checked "check", and where that says wrong
//               "median_s" is null
//            All three take for "cuda" "kernel_timeout_s", after which a kernel is taken to hang.
//   bundle   "name", "folder", "architectures" [text], "seed", "peer": one job of a bundle
//            (compiler/worker/bundle_job.h)
//   gpus     "measure" (bool), "number" (of the one that is measured; absent: all)
//            -> "gpus": [{"name", "architecture", "limits", …, with "measure" "ceilings"}]
//   emit     "as": a form of core/base/output_forms.def, or "after:PASS"; "target" ("cpu", "simt",
//            …, or "auto": a GPU where the schedule binds loops), "main" (bool) and "arch"
//            ("sm_80"), of the forms that take them
//            -> "text", "lines": [node id|null, …], "as", for halide and tvm as "warnings" also
//               directives that they do not have
//   probe    -> the host's device description with its figures measured
//   info     -> "version", "protocol", "targets", "cpu", "features", "vector_bits", "threads",
//            "passes", "libraries": [{"name", "version"}] (that it links and others do not)

#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::measure {

constexpr int kMaxThreads = 4096; // that a program runs with

// A program as a person has it: two texts with the names under which messages speak of them.
struct ProgramText {
    std::string name; // "blur.loop"
    std::string text;
    std::map<std::string, std::int64_t> params;
    bool has_schedule = false;
    std::string schedule_name; // "blur.cpu.sched"
    std::string schedule;
    int vector_bits = 0; // 0: the host's
};

nlohmann::json program_json(const ProgramText& program);

// A kernel of a measurement on a GPU: what its driver made of it.
struct MeasuredKernel {
    std::string launch; // of the tree's: "H.update(0)"
    std::optional<double> median_s;
    int registers = 0, local_bytes = 0; // of a thread
    int blocks_per_multiprocessor = 0;  // that run at once
};

// The answer of `measure`. Seconds are of one whole execution.
struct Measurement {
    double median_s = 0;
    double min_s = 0;
    std::optional<std::pair<double, double>> ci95_s;
    // FLOPs of the definitions as written (no recomputation) per second, 1e9
    std::optional<double> gflops;
    // compulsory traffic (inputs read + outputs written, once) per second, 1e9
    std::optional<double> gbytes_per_s;
    int threads = 1;
    int samples = 0;
    std::string device;                  // the processor's or the GPU's name
    std::vector<MeasuredKernel> kernels; // of a GPU, in their order
    std::optional<double> clock_hertz;   // of its multiprocessors, when timing ended
    bool cold = false;                   // its L2 cache was emptied before each run
    // Of a processor: cores that other work kept busy meanwhile; absent: not known.
    std::optional<double> other_work_cores;
};
// Errors: a key is missing or of another type.
Result<Measurement> measurement_from_json(const nlohmann::json& answer);

// An element that is not what it has to be, with both values as text.
struct CheckDifference {
    std::string array;            // "C", of a tuple "C.1"
    std::vector<std::int64_t> at; // its index in the whole output
    std::string is, reference;
};

// What was compared of one output: all of it, or a part.
struct CheckedArray {
    std::string name, status; // as the answer has them
    double elements = 0, different = 0, unbounded = 0;
    std::optional<double> allowed;       // absent: every bit counts
    std::optional<double> max_abs_error; // absent: not finite, or not known
};

// The answer of `check`.
struct CheckResult {
    bool right = false;
    std::optional<double> max_abs_error; // absent: not finite
    std::optional<double> max_ulp;
    std::uint64_t seed = 0;
    std::string method;           // a sentence: what was compared, and how
    std::string first_difference; // empty: none
    // Absent where the answer does not tell an element.
    std::optional<CheckDifference> difference;
    std::vector<CheckedArray> outputs;
    bool reassociates = false, approximates = false; // as far as the answer says
    std::string whole_numbers;                       // "equal", "differ"; else not compared
    bool conclusive = true, windows = false;
};
Result<CheckResult> check_from_json(const nlohmann::json& answer);

} // namespace loopscope::measure
