#pragma once
// loopscope-agent: runs a bundle (docs/bundles.md) on a machine that has a driver and nothing else.
// Each job runs in a process of its own: a fault, a hang or a crash ends that job, and the next one
// begins.

#include "compiler/gpu/exit_status.h"

#include <ostream>
#include <string>
#include <vector>

namespace loopscope::agent {

// The exit status.
int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

} // namespace loopscope::agent
