#include "compiler/remote/bundle_run.h"

#include "compiler/gpu/exit_status.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/remote/agent_options.h"
#include "compiler/remote/folder_there.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"

#include <algorithm>

namespace loopscope::remote {

using nlohmann::json;

namespace {

// Takes the lines that the agent says: a result each.
class Results {
public:
    explicit Results(const BundleRun& run) : run_(run), left_(run.jobs) {}

    void take(const std::string& line) {
        auto result = json_or_null(line);
        const auto name = result.is_object() ? text_or(result, "name", "") : "";
        const auto found = std::find(left_.begin(), left_.end(), name);
        if (found == left_.end()) {
            nonsense_ = nonsense_.empty() ? printable_text(line, 100) : nonsense_;
            return;
        }
        left_.erase(found);
        run_.on_progress(std::to_string(run_.jobs.size() - left_.size()) + " of " +
                         std::to_string(run_.jobs.size()) + " jobs are done");
        run_.on_result(std::move(result));
    }

    // Of the agent's end.
    Status judged(const Shell& shell, const ShellEnd& end) const {
        if (!nonsense_.empty())
            return coded_error(measure::kCodeProtocol, shell.name() +
                                                           ": the agent there says what is no "
                                                           "result: " +
                                                           nonsense_);
        if (left_.empty())
            return success();
        const char* code = end.status == kNoTarget   ? measure::kCodeTarget
                           : end.status == kBadInput ? measure::kCodeProtocol
                                                     : measure::kCodeCrash;
        return coded_error(code, shell.name() + ": the agent ended before " + left_.front() +
                                     " was done: " + said_by(end));
    }

private:
    const BundleRun& run_;
    std::vector<std::string> left_;
    std::string nonsense_;
};

} // namespace

Status run_by_ssh(const Shell& shell, const AgentThere& agent, int gpu, const BundleRun& run) {
    run.on_progress("sending the kernels to " + shell.name());
    auto there = send_folder(shell, run.folder, run.jobs, run.waiting);
    if (!there)
        return there.errors();
    run.on_progress("running on " + shell.name());
    Results results(run);
    ShellRun shell_run;
    shell_run.script = std::string(kFolderThere) + "d=" + shell_word(*there) + "; trap '" +
                       (run.fetch.empty() ? "" : "[ $? = 0 ] || ") +
                       "rm -rf \"$d\"' EXIT; trap 'exit 143' HUP INT TERM PIPE; " + agent.command +
                       " run \"$d\" --out -" + kHeartbeatOption + " --device " +
                       std::to_string(gpu) + " --jobs-from \"$d/" + kJobsThere + "\"" +
                       agent_options(run);
    shell_run.heartbeat = true;
    shell_run.on_line = [&](const std::string& line) { results.take(line); };
    shell_run.waiting = run.waiting;
    auto end = shell.run(shell_run);
    if (!end) {
        remove_folder(shell, *there); // where its script had not begun
        return end.errors();
    }
    auto judged = results.judged(shell, *end);
    if (judged && end->status == 0 && !run.fetch.empty()) {
        judged = fetch(shell, *there, run);
        remove_folder(shell, *there);
    }
    return judged;
}

Status fetch(const Shell& shell, const std::string& there, const BundleRun& run) {
    Status done = success();
    for (const auto& [file, bytes] : run.fetch) {
        auto content = fetch_file(shell, there, file, bytes, run.waiting);
        done = content ? run.on_fetched(file, std::move(*content)) : Status(content.errors());
        if (!done)
            break;
    }
    return done;
}

} // namespace loopscope::remote
