#include "compiler/remote/agent_options.h"

#include "core/base/number_text.h"

namespace loopscope::remote {

std::string agent_options(const BundleRun& run) {
    return " --cache " + run.cache + " --budget " + general_text(run.budget_seconds, 9) +
           " --kernel-timeout " + general_text(run.kernel_seconds, 9) + " --job-timeout " +
           general_text(run.job_seconds, 9);
}

} // namespace loopscope::remote
