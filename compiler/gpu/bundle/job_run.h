#pragma once
// One job of a bundle on the GPU at hand: all of its checks, and then, if they hold, its times.

#include "compiler/gpu/bundle/bundle.h"
#include "compiler/gpu/session.h"

namespace loopscope::gpu {

struct JobOptions {
    bool warm = true, cold = true; // which times; neither: the checks alone
    double budget_seconds = 2;     // of each
    double kernel_seconds = 20;
    int device = 0;
};

// The answer: "name", "status" ("right"|"wrong"; of a run on somebody's own arrays "done", without
// checks and times, and its outputs are files then), "gpu", "architecture", "kernels", "checks"
// [{"kind", "status", "outputs" [{"output", "type", "offset", "extents", "status" ("equal"|"within
// bound"|"WRONG"), "different", "beyond", "allowed" (the greatest |out - ref| within its bounds;
// null: every bit counts), "max_abs_error", "max_ulp", "conclusive" (false: its bounds tell too
// little), "first_difference"}]}], "seconds_run", "times" [as to_json(PlanTiming), with "gflops",
// "gbytes_per_s" and "kernels_s", each kernel's median]. A part that is compared by its hash, and
// differs, has null figures and no first difference; a wrong result has no times.
// Errors: no driver; the GPU cannot hold it; a file of the bundle is not what the manifest says;
// faults and hangs.
Result<nlohmann::json> run_job(const Bundle& bundle, const BundleJob& job,
                               const JobOptions& options);

} // namespace loopscope::gpu
