#include "compiler/remote/slurm_job.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/remote/folder_there.h"
#include "core/base/printable.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace loopscope::remote {

namespace {

constexpr int kNoProgram = 127; // a shell's status
constexpr double kCancelSeconds = 10;
// Of clusters that put Slurm on the path where only a login shell looks.
const char* const kSlurmThere = "command -v sbatch >/dev/null || . /etc/profile >/dev/null 2>&1; ";

Diagnostic refused(const Shell& shell, const std::string& partition, const ShellEnd& end) {
    if (end.status == kNoProgram)
        return coded_error(measure::kCodeTarget, "there is no Slurm on " + shell.name(),
                           "slurm:PARTITION,ssh:LOGIN names a machine that has sbatch");
    return coded_error(measure::kCodeTarget,
                       "Slurm takes no job for the partition " + partition + ": " + said_by(end),
                       "`sinfo` there lists partitions, and which have GPUs");
}

} // namespace

bool SlurmTask::ended() const {
    for (const auto* end : {"COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "BOOT_FAIL",
                            "OUT_OF_MEMORY", "PREEMPTED", "DEADLINE", "REVOKED"})
        if (state == end)
            return true;
    return false;
}

bool SlurmTask::hopeless() const {
    for (const auto* never : {"PartitionTimeLimit", "BadConstraints", "PartitionNodeLimit"})
        if (state == "PENDING" && reason.starts_with(never))
            return true;
    return false;
}

Result<SlurmJob> SlurmJob::submit(const Shell& shell, const SlurmRequest& request,
                                  const Waiting& waiting) {
    ShellRun run;
    // A name of its own: a job whose number never came back can be ended by that.
    const auto name =
        shell_word("loopscope-" + request.folder.substr(request.folder.rfind('/') + 1));
    const auto script = "d=" + shell_word(request.folder) + "; " + request.script;
    run.script = std::string(kSlurmThere) + "d=" + shell_word(request.folder) +
                 "; cd \"$d\" && sbatch --parsable --job-name=" + name +
                 " --no-requeue --gres=gpu:1 --partition=" + shell_word(request.partition) +
                 " --array=0-" + std::to_string(request.tasks - 1) +
                 " --time=" + std::to_string(request.minutes) +
                 " --output=\"$d/slurm-%a.log\" --wrap=" + shell_word(script);
    run.waiting = waiting;
    auto end = shell.run(run);
    if (!end) {
        ShellRun cancel;
        cancel.script = kSlurmThere + ("scancel --name=" + name);
        cancel.waiting = {kCancelSeconds, nullptr};
        static_cast<void>(shell.run(cancel));
        return end.errors();
    }
    // "123" or "123;cluster"
    const auto line = end->output.substr(0, end->output.find('\n'));
    const auto number = line.substr(0, line.find(';'));
    if (end->status != 0 || number.empty() ||
        !std::all_of(number.begin(), number.end(),
                     [](unsigned char c) { return std::isdigit(c) != 0; }))
        return refused(shell, request.partition, *end);
    return SlurmJob(shell, number,
                    number.size() < line.size() ? line.substr(number.size() + 1) : "");
}

std::string SlurmJob::of_cluster() const {
    return cluster_.empty() ? "" : " -M " + shell_word(cluster_);
}

Result<std::map<int, SlurmTask>> SlurmJob::tasks(const Waiting& waiting) const {
    ShellRun run;
    run.script = std::string(kSlurmThere) + "squeue" + of_cluster() + " -h -r -t all -j " +
                 number_ + " -o '%K %T %r'";
    run.waiting = waiting;
    auto end = shell_->run(run);
    if (!end)
        return end.errors();
    std::map<int, SlurmTask> tasks;
    if (end->status != 0 && end->errors.find("Invalid job id") != std::string::npos)
        return tasks; // all have ended, and are forgotten
    if (end->status != 0)
        return coded_error(gpu::kCodeConnection,
                           "Slurm on " + shell_->name() + " does not answer: " + said_by(*end));
    std::istringstream lines(end->output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        int number = 0;
        SlurmTask task;
        if (words >> number >> task.state) {
            std::getline(words >> std::ws, task.reason);
            task.reason = printable_text(task.reason, 60);
            tasks[number] = std::move(task);
        }
    }
    return tasks;
}

Status SlurmJob::cancel(const std::string& folder) const {
    ShellRun run;
    run.script = std::string(kSlurmThere) + "scancel" + of_cluster() + " " + number_ +
                 " && rm -rf " + shell_word(folder);
    run.waiting = {kCancelSeconds, nullptr};
    auto end = shell_->run(run);
    if (end && end->status == 0)
        return success();
    return coded_error(gpu::kCodeConnection,
                       "the job " + number_ + " may still be in the queue of " + shell_->name(),
                       "`scancel " + number_ + "` there ends it; its folder is " +
                           printable_text(folder, 300));
}

} // namespace loopscope::remote
