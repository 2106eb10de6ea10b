#pragma once
// The parts of `bundle`.

#include "app/cli/command.h"

#include "core/base/result.h"

#include <nlohmann/json.hpp>

namespace loopscope::cli {

struct BundleJobRequest {
    std::string name;
    std::string pipeline, schedule; // files; no schedule: the default one
    FileKind kind = FileKind::Any;  // of those
    std::map<std::string, std::int64_t> params;
    // that its schedule is for; none: those that --arch says
    std::vector<std::string> architectures;
    nlohmann::json peer; // null: none
};

// The jobs of --job and --jobs. Errors: what cannot be read; a name twice, or one that is none of a
// file; no job at all.
Result<std::vector<BundleJobRequest>> bundle_jobs(const Options& options);

// bundle FOLDER --on PLACE.
int run_bundle_elsewhere(const Options& options, const Console& console);

// bundle --results.
int show_results(const Options& options, const Console& console);

} // namespace loopscope::cli
