#pragma once
// Follows an array of Slurm's until all of its tasks have ended: files as they appear, the queue as
// it moves, connections that break.

#include "compiler/remote/slurm_job.h"

#include <set>

namespace loopscope::remote {

struct SlurmWatch {
    const Shell& shell;
    const SlurmJob& job;
    std::string folder;               // there
    std::map<std::string, int> files; // that are waited for, and whose task makes each
    std::function<void(const std::string& file, const std::string& bytes)> on_file;
    // A file that its task has not made: how the task ended, and the end of what it said.
    std::function<void(const std::string& file, const std::string& how)> on_missing;
    std::function<void(const std::string& text)> on_progress;
    std::function<Status()> before_the_end; // the last that is wanted of the folder; may be empty
    Waiting waiting;                        // its seconds are of all of it
};

// Its folder goes at the end, and when it is cancelled.
//
// Errors: cancelled, the time is over, or Slurm will never run it: the array is cancelled, and
// where that was not possible, a second error says so. No answer for a quarter of an hour
// (gpu::kCodeConnection): the array goes on.
Status watch(SlurmWatch watch);

} // namespace loopscope::remote
