#pragma once
// One array of Slurm's: its tasks run one script on nodes with a GPU each, as the queue lets them.

#include "compiler/remote/agent_there.h"

#include <map>

namespace loopscope::remote {

// What Slurm says of one task (squeue's "compact" words are not used: "RUNNING", "PENDING").
struct SlurmTask {
    std::string state;
    std::string reason;    // of one that waits: "Resources", "Priority"
    bool ended() const;    // and will not begin again
    bool hopeless() const; // it waits for what will never be
};

struct SlurmRequest {
    std::string partition;
    std::string folder; // there, which all nodes see; each task's output goes to slurm-N.log in it
    std::string
        script;       // of one task, in one line; $d is the folder, $SLURM_ARRAY_TASK_ID its number
    int tasks = 1;    // kMaxSlurmTasks at most
    int minutes = 10; // after which Slurm ends a task
};
constexpr int kMaxSlurmTasks = 1000; // of an array, as Slurm is set up without more ado

class SlurmJob {
public:
    // Errors: those of Shell::run; there is no Slurm (kCodeTarget); what sbatch says, as of a
    // partition that is not there.
    static Result<SlurmJob> submit(const Shell& shell, const SlurmRequest& request,
                                   const Waiting& waiting);

    const std::string& number() const { return number_; }
    // By their numbers. Those that Slurm has forgotten (minutes after their end) are left out.
    // Errors: those of Shell::run; Slurm does not answer (gpu::kCodeConnection).
    Result<std::map<int, SlurmTask>> tasks(const Waiting& waiting) const;
    // All of its tasks, and the folder goes. Errors: Slurm did not take it.
    Status cancel(const std::string& folder) const;

private:
    SlurmJob(const Shell& shell, std::string number, std::string cluster)
        : shell_(&shell), number_(std::move(number)), cluster_(std::move(cluster)) {}
    std::string of_cluster() const; // an option of Slurm's commands

    const Shell* shell_;
    std::string number_, cluster_; // of several clusters which; empty: the one that there is
};

} // namespace loopscope::remote
