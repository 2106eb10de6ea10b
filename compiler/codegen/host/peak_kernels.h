#pragma once
// Measured ceilings of this machine: what fused multiply-adds and what plain streams reach at best,
// by kernels that the same code generator makes. The roofline's lines come from here.

#include "core/base/result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace loopscope::codegen {

struct ProbeOptions {
    std::vector<int> thread_counts; // empty: 1, and all processors
    // bytes per thread, all arrays of a kernel together; at least 4 KiB
    std::vector<std::int64_t> working_sets;
    int repetitions = 7; // of each point; the median is reported
    double seconds_per_repetition = 0.01;
    // Told after each part which share of the whole is done, from 0 to 1, by the times that parts
    // are expected to take. False: the probe ends with an error.
    std::function<bool(double share)> on_progress = {};
};

// What a probe is expected to take, for a bar of several probes.
double expected_seconds(const ProbeOptions& options);

// Per second, over the repetitions.
struct Rate {
    double median = 0;
    double least = 0;
    double greatest = 0;
};

// Bytes that the program reads and writes, per second; fetches of lines before they are written do
// not count.
struct BandwidthProbe {
    std::int64_t working_set = 0; // bytes per thread, as asked for
    Rate read;                    // s += a[i]
    Rate copy;                    // a[i] = b[i]
    Rate streamed;                // the same by streaming stores, before which nothing is fetched
};

// All threads together, each with arrays of its own.
struct ThreadsProbe {
    int threads = 1;
    Rate flops_f32; // a fused multiply-add counts as 2
    Rate flops_f64;
    std::vector<BandwidthProbe> bandwidth;
};

struct ProbeResult {
    std::string cpu;
    int vector_bits = 0;
    bool fused = true; // false: no fma instruction; a multiplication and an addition instead
    std::vector<ThreadsProbe> threads;
};

// Takes about (2 + 3 * working sets) * thread counts * repetitions * seconds_per_repetition, and
// what it takes to write each working set once.
// Errors: a working set that is too small or cannot be allocated, a thread count below 1;
// `on_progress` ended it.
Result<ProbeResult> probe_peaks(const ProbeOptions& options);

} // namespace loopscope::codegen
