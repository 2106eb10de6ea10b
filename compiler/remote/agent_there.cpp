#include "compiler/remote/agent_there.h"

#include "compiler/gpu/exit_status.h"
#include "compiler/protocol/paths.h"
#include "compiler/protocol/protocol.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/remote/folder_there.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"

#include <fstream>
#include <sstream>

#include <sys/utsname.h>

namespace loopscope::remote {

const char* const kHeartbeatOption = " --heartbeat 30";
const char* const kFolderThere = "umask 077; b=\"${XDG_CACHE_HOME:-$HOME/.cache}/loopscope\"; ";

namespace {

struct AgentHere {
    std::string bytes;
    std::string hash;
};
Result<AgentHere> agent_here() {
    const auto path = measure::executable_folder() + "/loopscope-agent";
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    if (!file || bytes.view().empty())
        return coded_error(measure::kCodeMissing, "cannot read " + path,
                           "it belongs beside this program: build or install all of Loopscope");
    return AgentHere{bytes.str(), hash_text(hash_of(bytes.view()))};
}

std::string folder_of(const std::string& hash) { return "\"$b/agent-" + hash + "\""; }

// A test of the shell.
std::string is_whole(const std::string& file, const AgentHere& agent) {
    return "test \"$(wc -c < " + file + ")\" -eq " + std::to_string(agent.bytes.size());
}

Status same_system(const Shell& shell, const std::string& there) {
    utsname here{};
    ::uname(&here);
    const auto ours = std::string(here.sysname) + " " + here.machine;
    if (there == ours)
        return success();
    return coded_error(measure::kCodeTarget,
                       shell.name() + " is " + printable_text(there, 80) +
                           ", and this program's agent is for " + ours,
                       "choose a machine of this kind");
}

Status copy(const Shell& shell, const AgentHere& agent, const Waiting& waiting) {
    const auto folder = folder_of(agent.hash);
    ShellRun run;
    // Under another name until it is whole: a connection that breaks ends its input as if that were
    // all. What older versions and broken runs left goes.
    run.script = std::string(kFolderThere) + "mkdir -p " + folder + " && n=" + folder +
                 "/new.$$ && cat > \"$n\" && " + is_whole("\"$n\"", agent) +
                 " && chmod 700 \"$n\" && mv \"$n\" " + folder +
                 "/loopscope-agent || { rm -f \"$n\"; exit 1; }; find \"$b\" -maxdepth 1 -name "
                 "'agent-*' -mtime +60 -exec rm -rf {} + "
                 "2>/dev/null; exit 0";
    run.input = agent.bytes;
    run.waiting = waiting;
    auto end = shell.run(run);
    if (!end)
        return end.errors();
    if (end->status == 0)
        return success();
    return not_written(shell, "the agent", *end);
}

} // namespace

Result<AgentThere> find_agent(const Shell& shell, const Waiting& waiting, bool anew) {
    auto here = agent_here();
    if (!here)
        return here.errors();
    const auto program = folder_of(here->hash) + "/loopscope-agent";
    ShellRun look;
    look.script = std::string(kFolderThere) + "uname -sm; test -x " + program + " && " +
                  is_whole(program, *here) + " || exit 1";
    look.waiting = waiting;
    auto end = shell.run(look);
    if (!end)
        return end.errors();
    if (auto same = same_system(shell, end->output.substr(0, end->output.find('\n'))); !same)
        return same.errors();
    if (end->status != 0 || anew)
        if (auto copied = copy(shell, *here, waiting); !copied)
            return copied.errors();
    return AgentThere{program, here->hash};
}

Result<nlohmann::json> devices_of(const std::string& where, const ShellEnd& end,
                                  const std::string& hash) {
    auto answer = json_or_null(end.output);
    if (end.status != 0 || !answer.is_object() || !answer.contains("agent")) {
        const bool none = end.status == kNoTarget;
        return coded_error(
            none ? measure::kCodeTarget : measure::kCodeProtocol,
            where + (none ? " has no GPU to run on: " : ": the agent there does not answer: ") +
                said_by(end),
            none ? "is NVIDIA's driver installed there?" : "");
    }
    if (text_or(answer["agent"], "hash", "") != hash)
        return coded_error(measure::kCodeProtocol,
                           "the agent on " + where + ", of version " +
                               printable_text(text_or(answer["agent"], "version", "?"), 20) +
                               ", is not this program's, of version " + measure::kProgramVersion,
                           "remove ~/.cache/loopscope/agent-" + hash + " there");
    return answer;
}

} // namespace loopscope::remote
