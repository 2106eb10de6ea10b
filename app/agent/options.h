#pragma once
// The agent's command line.

#include "core/base/result.h"

#include <string>
#include <vector>

namespace loopscope::agent {

struct Options {
    enum class Verb { Run, Job, Devices, Help, Version } verb = Verb::Help;
    std::string folder;
    std::string out = "results.json"; // --out; "-": standard output, a line for each job
    std::vector<std::string> jobs;    // --job, --jobs-from; empty: all. Of Verb::Job exactly one
    std::string cache = "both";       // --cache
    double budget_seconds = 2;        // --budget, of each time
    double kernel_seconds = 20;       // --kernel-timeout
    double job_seconds = 300;         // --job-timeout
    double heartbeat_seconds = 0;     // --heartbeat; 0: it needs none
    int device = 0;                   // --device
    bool measure = false;             // devices --measure

    // For a child that runs one job.
    std::vector<std::string> job_arguments(const std::string& job) const;
};

Result<Options> parse(const std::vector<std::string>& arguments);
const char* help();

} // namespace loopscope::agent
