#include "compiler/remote/slurm_run.h"

#include "compiler/protocol/worker_client.h"
#include "compiler/remote/agent_options.h"
#include "compiler/remote/folder_there.h"
#include "compiler/remote/slurm_watch.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <cmath>

namespace loopscope::remote {

using nlohmann::json;

namespace {

constexpr const char* kDevices = "devices.json";
constexpr double kStartSeconds = 120; // of a task, before its first job
constexpr int kDeviceMinutes = 10;

json failed(const std::string& job, const char* code, const std::string& message) {
    return {{"name", job},
            {"status", "failed"},
            {"errors", {{{"message", message}, {"remedy", ""}, {"code", code}}}}};
}

std::string file_of(const std::string& job) { return "result-" + job + ".json"; }

// The one job in a file of results.
json result_in(const std::string& bytes, const std::string& job) {
    const auto results = json_or_null(bytes, {64, 8 << 20});
    if (results.is_object())
        for (const auto& one : list_or_none(results, "jobs"))
            if (one.is_object() && text_or(one, "name", "") == job)
                return one;
    return failed(job, measure::kCodeProtocol, "the agent's file of results is none");
}

SlurmRequest request_of(const AgentThere& agent, const std::string& partition,
                        const std::string& folder, const BundleRun& run) {
    SlurmRequest request;
    request.partition = partition;
    request.folder = folder;
    const int jobs = static_cast<int>(run.jobs.size());
    request.tasks = std::min(jobs, kMaxSlurmTasks);
    const int each = (jobs + request.tasks - 1) / request.tasks;
    request.minutes = static_cast<int>(std::ceil((kStartSeconds + each * run.job_seconds) / 60));
    // An agent that was killed ends the task as a failure, and not as one that has done its work.
    request.script = std::string(kFolderThere) +
                     "awk -v i=\"$SLURM_ARRAY_TASK_ID\" -v n=" + std::to_string(request.tasks) +
                     " '(NR - 1) % n == i' \"$d/" + kJobsThere + "\" | while read -r j; do " +
                     agent.command + " run \"$d\" --job \"$j\" --out \"$d/result-$j.json\"" +
                     agent_options(run) + " </dev/null; s=$?; test $s -lt 128 || exit $s; done";
    return request;
}

} // namespace

Status run_by_slurm(const Shell& shell, const AgentThere& agent, const std::string& partition,
                    const BundleRun& run) {
    run.on_progress("sending the kernels to " + shell.name());
    auto folder = send_folder(shell, run.folder, run.jobs, run.waiting);
    if (!folder)
        return folder.errors();
    const auto request = request_of(agent, partition, *folder, run);
    auto job = SlurmJob::submit(shell, request, run.waiting);
    if (!job) {
        remove_folder(shell, *folder);
        return job.errors();
    }
    std::map<std::string, std::string> jobs; // of the files
    SlurmWatch watching{shell, *job, *folder, {}, {}, {}, run.on_progress, {}, run.waiting};
    for (std::size_t i = 0; i < run.jobs.size(); ++i) {
        const auto file = file_of(run.jobs[i]);
        jobs[file] = run.jobs[i];
        watching.files[file] = static_cast<int>(i) % request.tasks;
    }
    bool made_files = true;
    auto take = [&](json result) {
        made_files = made_files && text_or(result, "status", "") == "done";
        run.on_result(std::move(result));
    };
    watching.on_file = [&](const std::string& file, const std::string& bytes) {
        take(result_in(bytes, jobs.at(file)));
    };
    watching.on_missing = [&](const std::string& file, const std::string& how) {
        take(failed(jobs.at(file), measure::kCodeCrash, how));
    };
    watching.before_the_end = [&] { return made_files ? fetch(shell, *folder, run) : success(); };
    return watch(std::move(watching));
}

Result<json> slurm_devices(const Shell& shell, const AgentThere& agent,
                           const std::string& partition, bool measure,
                           const std::function<void(const std::string&)>& on_progress,
                           const Waiting& waiting) {
    ShellRun make;
    make.script = std::string(kFolderThere) + "mkdir -p \"$b\" && mktemp -d \"$b/run-XXXXXXXX\"";
    make.waiting = waiting;
    auto made = shell.run(make);
    if (!made)
        return made.errors();
    if (made->status != 0 || !made->output.starts_with('/'))
        return not_written(shell, "a file", *made);
    SlurmRequest request;
    request.partition = partition;
    request.folder = made->output.substr(0, made->output.find('\n'));
    request.minutes = kDeviceMinutes;
    // Its status stands behind the answer, which is there at once.
    request.script = std::string(kFolderThere) + agent.command + " devices" +
                     (measure ? " --measure" : "") + " >\"$d/devices\" 2>\"$d/errors\"; " +
                     "echo $? >\"$d/status\"; (cat \"$d/status\" \"$d/errors\" \"$d/devices\") "
                     ">\"$d/all\" && mv \"$d/all\" \"$d/" +
                     kDevices + "\"";
    auto job = SlurmJob::submit(shell, request, waiting);
    if (!job) {
        remove_folder(shell, request.folder);
        return job.errors();
    }
    ShellEnd end;
    std::string died;
    SlurmWatch watching{shell,       *job, request.folder, {{kDevices, 0}}, {}, {},
                        on_progress, {},   waiting};
    watching.on_file = [&](const std::string&, const std::string& bytes) {
        const auto line = bytes.find('\n'), begin = bytes.find("{\n");
        end.status = std::atoi(bytes.c_str());
        end.output = begin == std::string::npos ? "" : bytes.substr(begin);
        end.errors = line == std::string::npos ? "" : bytes.substr(line + 1);
    };
    watching.on_missing = [&](const std::string&, const std::string& how) { died = how; };
    if (auto done = watch(std::move(watching)); !done)
        return done.errors();
    if (!died.empty())
        return coded_error(measure::kCodeCrash, "slurm:" + partition + ": " + died);
    return devices_of("slurm:" + partition, end, agent.hash);
}

} // namespace loopscope::remote
