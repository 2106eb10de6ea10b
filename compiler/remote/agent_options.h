#pragma once
// How a bundle's run is told to the agent.

#include "compiler/remote/bundle_run.h"

namespace loopscope::remote {

// " --cache warm --budget 2 …", of one job or all.
std::string agent_options(const BundleRun& run);

} // namespace loopscope::remote
