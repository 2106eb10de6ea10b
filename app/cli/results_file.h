#pragma once
// What an agent and peer.py have written, read as a stranger's: texts as a terminal may get them.

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::cli {

struct JobTime {
    std::string cache; // the state of the L2
    double median_s = 0;
    std::optional<double> gflops, gbytes_per_s;
};

struct JobKernel {
    std::int64_t registers = 0, local_bytes = 0; // of a thread
};

struct JobResult {
    std::string name;
    std::string status; // "right", "wrong", "failed"
    std::string reason; // of a failure; may be empty
    std::string gpu;    // name and architecture; empty: none answered
    std::vector<JobTime> times;
    std::vector<JobKernel> kernels;
};

struct Results {
    std::string agent;
    std::vector<JobResult> jobs;
    nlohmann::json json; // all of it
};

// Seconds by job and state of the L2.
struct PeerResults {
    std::map<std::pair<std::string, std::string>, double> median_s;
    nlohmann::json json;
};

// Errors: what cannot be read; what is not as those programs write it, by its path.
Result<Results> read_results(const std::string& file);
Result<PeerResults> read_peer_results(const std::string& file);

} // namespace loopscope::cli
