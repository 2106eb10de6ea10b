#pragma once
// A measured time as views show it beside an estimate.

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace loopscope::views {

// What a GPU's driver made of a kernel.
struct MeasuredKernel {
    std::string name;                  // as the estimate's
    std::optional<double> seconds;     // median
    int registers = 0;                 // of a thread
    int local_bytes = 0;               // of a thread, in memory: what registers did not hold
    int blocks_per_multiprocessor = 0; // that run at once
    bool operator==(const MeasuredKernel&) const = default;
};

struct MeasuredTime {
    double median_seconds = 0;
    // half the 95 % confidence interval; absent: too few samples
    std::optional<double> interval_seconds = {};
    bool stale = false; // of an earlier schedule
    int samples = 0;
    QString schedule = {}; // what the earlier one is called
    // The pinned schedule's median on the same machine; absent: not measured, or it is this one's
    // own.
    std::optional<double> baseline_seconds = {};
    std::vector<MeasuredKernel> kernels = {}; // of a GPU
    std::optional<double> clock_hertz = {};   // of a GPU's multiprocessors, when timing ended
    bool cold = false;                        // a GPU's L2 cache was emptied before each run
    double busy_cores = 0; // that other work kept busy meanwhile, where that is worth a word

    // Null: none of that name was measured, or what was is of an earlier schedule.
    const MeasuredKernel* kernel(const std::string& name) const {
        for (const auto& each : kernels)
            if (!stale && each.name == name)
                return &each;
        return nullptr;
    }
    bool operator==(const MeasuredTime&) const = default;
};

} // namespace loopscope::views
