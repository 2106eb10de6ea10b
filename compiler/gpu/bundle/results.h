#pragma once
// The results of a bundle's jobs, as a file that is whole at any time (docs/bundles.md).

#include "compiler/gpu/bundle/bundle.h"

namespace loopscope::gpu {

inline constexpr const char* kResultsFormat = "loopscope-results/1";

class ResultsFile {
public:
    // Nothing is written yet. A file that is there already has to be one that may be written over:
    // not a part of the bundle, and not a folder. `keep`: it has to be results of the same bundle,
    // which are taken, but for those that failed.
    // Errors: another file; what cannot be written.
    static Result<ResultsFile> open(const std::string& path, const Bundle& bundle, bool keep);

    bool has(const std::string& job) const; // a result that is no failure
    // "name", "status" and all else that a job's result has; written at once.
    Status add(nlohmann::json result);
    const nlohmann::json& content() const { return json_; }

private:
    std::string path_;
    nlohmann::json json_;
};

// "right, warm 12.30 us, cold 15.00 us", "failed: …": for people, of a result from anywhere.
std::string line_of(const nlohmann::json& result);
// The exit status that a result means: right, or done where nothing was to be checked; wrong;
// a failure, and what is no result, is a limit reached.
int exit_status_of(const nlohmann::json& result);

} // namespace loopscope::gpu
