#pragma once
// Times a plan by events of the device.
//
// One execution is all of the plan's kernels, in order. After a warm-up, samples are taken until
// the median's 95 % confidence interval is within 2 % on either side, or the budget ends (the rule
// of measurements on the CPU). A sample is
// - cold: one execution, behind a fill of twice the size of the L2 that leaves nothing of the
//   arrays there. The kernels are in the stream before the fill has ended, so that no launch is
//   waited for (many of them as one graph);
// - warm, of long executions: one execution;
// - warm, of executions below 50 µs a kernel: the mean of many, replayed as one graph, so that what
//   is timed is the device and not how fast it is given work.

#include "compiler/gpu/nvml.h"
#include "compiler/gpu/plan_run.h"

#include <functional>

namespace loopscope::gpu {

struct TimingOptions {
    double budget_seconds = 5;
    bool cold = false;
    bool each_kernel = false; // times them one by one as well
    Watch watch;
    // Reports what is known so far, now and then, on the calling thread.
    std::function<void(std::size_t samples, double median_seconds, double fraction)> report;
};

struct PlanTiming {
    std::vector<double> samples; // seconds of one execution
    int executions_per_sample = 1;
    bool graph = false;
    bool cold = false;
    // Medians of each of the plan's kernels, where they were asked for: in executions beside the
    // samples, with events between the kernels. Of one kernel that of the samples.
    std::vector<double> kernel_seconds;
    std::optional<Clocks> before, after; // the clocks when timing began, and right behind its end
};

// The plan's inputs must be there. Errors: those of GpuSession::wait, which name all of the plan's
// kernels.
Result<PlanTiming> time_plan(const PlanRun& run, const TimingOptions& options);

// "median_s", "min_s", "ci95_s", "samples", "executions_per_sample", "graph", "cache", "clocks"
// {"before", "after"}.
nlohmann::json to_json(const PlanTiming& timing);

} // namespace loopscope::gpu
