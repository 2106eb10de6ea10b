#pragma once
// The work of a pipeline, whatever its schedule: the denominators of GFLOP/s and GB/s.

#include "core/base/result.h"
#include "core/ir/pipeline.h"

#include <nlohmann/json_fwd.hpp>

namespace loopscope::worker {

struct WorkCount {
    // By the rule of core/ir/cost.h, each stage computed once over its box: no recomputation. A
    // reduction's or update's step counts with each term. Of a definition with a `where` the points
    // at which it holds count; where data decide that, it counts as if it always held
    // (`flops_exact` is false).
    double flops = 0;
    bool flops_exact = true;
    // Points at which definitions are evaluated: each term of a sum is one, also one that its
    // condition leaves out.
    double points = 0;
    // Compulsory traffic: the region of each input that is read, and each output, once.
    double bytes = 0;
};
// Errors: an index that cannot be bounded.
Result<WorkCount> count_work(const Pipeline& pipeline);
// "flops", "flops_exact", "bytes" of an execution that takes `seconds`, and "gflops",
// "gbytes_per_s" (null where there are none).
void add_rates(nlohmann::json& answer, const WorkCount& work, double seconds);

} // namespace loopscope::worker
