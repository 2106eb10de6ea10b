#pragma once
// A bundle (docs/bundles.md) run at a place, and its results as they come.

#include "compiler/remote/agent_there.h"
#include "compiler/remote/place.h"

namespace loopscope::remote {

struct BundleRun {
    std::string folder;            // of the bundle, here
    std::vector<std::string> jobs; // of it, in its order
    std::string cache = "both";    // as the agent's --cache
    double budget_seconds = 2;     // of each time
    double kernel_seconds = 20;    // after which a kernel is taken to hang
    double job_seconds = 300;      // after which a job's process is ended
    // A job of `loopscope-results/1`, once for each, in any order, on the calling thread.
    std::function<void(nlohmann::json result)> on_result;
    std::function<void(const std::string& text)> on_progress; // for people
    // Files that the jobs make there, below the bundle's folder, with their bytes: they are brought
    // once all jobs have ended.
    std::map<std::string, std::size_t> fetch;
    std::function<Status(const std::string& file, std::string bytes)> on_fetched;
    Waiting waiting; // its seconds are of all of it
};

// Runs the jobs one after another, on one GPU of the machine.
// Errors: those of Shell::run and send_folder. No job is left running there; those that have a
// result keep it. A job that failed is a result.
Status run_by_ssh(const Shell& shell, const AgentThere& agent, int gpu, const BundleRun& run);

// Brings what `run` asks for out of the folder there.
Status fetch(const Shell& shell, const std::string& there, const BundleRun& run);

} // namespace loopscope::remote
