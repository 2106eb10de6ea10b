#pragma once
// GPUs that are attached, as `devices` lists them.

#include "app/cli/command.h"
#include "core/base/result.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

struct AttachedGpus {
    // as the worker's verb `gpus` gives them, with kept ceilings
    nlohmann::json list = nlohmann::json::array();
    std::string none; // why the list is empty
};

// Asks a worker. With --probe their ceilings are measured and kept in the user's cache folder; else
// those kept are shown. Errors: what the driver says, but that there is none, which `none` says.
Result<AttachedGpus> attached_gpus(const Options& options, const Console& console);

// The same of the machine that --on names; what they are called there is kept, so that scripts can
// name them.
Result<AttachedGpus> gpus_elsewhere(const Options& options, const Console& console);

void print_gpus(const AttachedGpus& gpus, std::ostream& out);

} // namespace loopscope::cli
