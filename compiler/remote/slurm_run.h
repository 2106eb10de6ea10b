#pragma once
// Bundles on a cluster: an array of jobs, as many at once as there are free GPUs.

#include "compiler/remote/bundle_run.h"

namespace loopscope::remote {

// Runs the jobs as tasks of one array; a thousand and more share tasks. The connection is not
// needed meanwhile: one that breaks is made anew.
//
// A job whose task dies, or that Slurm ends, is a failed result; its reason is what the task said
// last. Errors: those of send_folder and SlurmJob. Cancelled, the array is too.
Status run_by_slurm(const Shell& shell, const AgentThere& agent, const std::string& partition,
                    const BundleRun& run);

// What `loopscope-agent devices` says on some node of the partition: its answer, as devices_of has
// it.
Result<nlohmann::json> slurm_devices(const Shell& shell, const AgentThere& agent,
                                     const std::string& partition, bool measure,
                                     const std::function<void(const std::string&)>& on_progress,
                                     const Waiting& waiting);

} // namespace loopscope::remote
