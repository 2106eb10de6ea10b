#include "compiler/remote/ssh_command.h"

#include "compiler/gpu/codes.h"
#include "compiler/protocol/paths.h"
#include "compiler/protocol/worker_client.h"
#include "compiler/protocol/worker_process.h"
#include "compiler/remote/shell.h"
#include "core/base/printable.h"

#include <cstdlib>
#include <map>
#include <mutex>

#include <sys/stat.h>
#include <unistd.h>

namespace loopscope::remote {

namespace {

// A connection is given up after three questions without an answer: 15 s. What a person has set up
// for a terminal (a command, forwarded ports) is none of ours.
const char* const kOptions[] = {
    "BatchMode=yes",  "ConnectTimeout=10",       "ServerAliveInterval=5", "ServerAliveCountMax=3",
    "LogLevel=ERROR", "ClearAllForwardings=yes", "RemoteCommand=none"};

// The folder of the sockets by which commands share a connection: nobody else's. Empty: there is
// none, and each command makes a connection of its own.
std::string socket_folder() {
    const char* runtime = std::getenv("XDG_RUNTIME_DIR");
    const auto folder = runtime && runtime[0] == '/'
                            ? std::string(runtime) + "/loopscope"
                            : "/tmp/loopscope-" + std::to_string(::getuid());
    ::mkdir(folder.c_str(), 0700);
    struct stat about{};
    const bool ours = ::lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
                      about.st_uid == ::getuid() && (about.st_mode & 077) == 0;
    // A socket's path may have 107 bytes: a slash, a hash of 40 and a suffix of ssh's own follow.
    constexpr std::size_t kMaxFolder = 49;
    return ours && folder.size() <= kMaxFolder ? folder : "";
}

// Does the person's own configuration share connections? Then theirs may be the only one that needs
// no password.
bool shares_already(const std::string& program, const std::string& host) {
    static std::mutex mutex;
    static std::map<std::string, bool> known;
    const std::lock_guard lock(mutex);
    if (const auto found = known.find(host); found != known.end())
        return found->second;
    auto asked = measure::WorkerProcess::start(program, {"-G", "--", host}, {});
    if (!asked)
        return false;
    std::string settings;
    char bytes[4096];
    for (ssize_t n; (n = ::read((*asked)->output(), bytes, sizeof bytes)) > 0;)
        settings.append(bytes, static_cast<std::size_t>(n));
    (*asked)->finish(false);
    const auto at = settings.find("\ncontrolpath ");
    const bool shares = at != std::string::npos && settings.compare(at + 13, 5, "none\n") != 0;
    return known[host] = shares;
}

std::vector<std::string> sharing(const std::string& program, const std::string& host) {
    if (shares_already(program, host))
        return {};
    const auto folder = socket_folder();
    if (folder.empty())
        return {"-o", "ControlPath=none"};
    return {"-o", "ControlMaster=auto",           "-o", "ControlPersist=60",
            "-o", "ControlPath=" + folder + "/%C"};
}

struct Meaning {
    const char* said;
    const char* message;
    const char* remedy;
};
constexpr Meaning kMeanings[] = {
    {"Could not resolve hostname", "no such host is known",
     "compare the name with ~/.ssh/config; `ssh HOST` in a terminal has to work"},
    {"Permission denied", "the host does not let you in without a question",
     "give ssh a key that it accepts, in ~/.ssh/config or by ssh-add: `ssh -o BatchMode=yes HOST "
     "true` in a terminal has to work"},
    {"Host key verification failed", "ssh does not know the host's key, or another one",
     "connect once with `ssh HOST` in a terminal, and compare the key"},
    {"Connection refused", "no ssh server answers there", "is sshd running, and the port right?"},
    {"timed out", "the host does not answer", "is it on, and reachable from here?"},
    {"No route to host", "the host cannot be reached from here", "is the network there?"},
    {"Network is unreachable", "there is no network", "is the network there?"},
    {"Too many authentication failures", "ssh offered too many keys",
     "name the right one by IdentityFile and IdentitiesOnly in ~/.ssh/config"},
};

// The last line that is not empty.
std::string last_line(const std::string& text) {
    auto end = text.find_last_not_of("\r\n ");
    if (end == std::string::npos)
        return {};
    auto begin = text.find_last_of("\r\n", end);
    return text.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

} // namespace

Result<CommandLine> command_of(const std::string& host, const std::string& script) {
    if (host.empty())
        return CommandLine{"/bin/sh", {"-c", script}};
    const char* named = std::getenv("LOOPSCOPE_SSH");
    const auto program = named && *named ? std::string(named) : measure::find_program("ssh");
    if (program.empty())
        return coded_error(measure::kCodeTarget, "there is no ssh here",
                           "install OpenSSH's client");
    CommandLine command{program, {"-T", "-a", "-x"}};
    for (const auto* option : kOptions)
        command.arguments.insert(command.arguments.end(), {"-o", option});
    const auto shared = sharing(program, host);
    command.arguments.insert(command.arguments.end(), shared.begin(), shared.end());
    command.arguments.insert(command.arguments.end(),
                             {"--", host, "exec /bin/sh -c " + shell_word(script)});
    return command;
}

Diagnostic ssh_failure(const std::string& host, const std::string& said) {
    const auto line = printable_text(last_line(said), 300);
    for (const auto& meaning : kMeanings)
        if (line.find(meaning.said) != std::string::npos) {
            std::string remedy = meaning.remedy;
            if (auto at = remedy.find("HOST"); at != std::string::npos)
                remedy.replace(at, 4, host);
            return coded_error(measure::kCodeTarget,
                               host + ": " + meaning.message + " (" + line + ")", remedy);
        }
    return coded_error(gpu::kCodeConnection,
                       host + ": the connection broke" + (line.empty() ? "" : " (" + line + ")"),
                       "what came back before is kept; try again");
}

} // namespace loopscope::remote
