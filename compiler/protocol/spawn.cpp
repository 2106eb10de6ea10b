#include "compiler/protocol/spawn.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace loopscope::measure {

namespace {

std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
    std::vector<std::string> merged = changes;
    for (char** entry = environ; *entry; ++entry) {
        std::string text = *entry;
        auto name = text.substr(0, text.find('=') + 1);
        bool replaced = false;
        for (const auto& change : changes)
            replaced = replaced || change.compare(0, name.size(), name) == 0;
        if (!replaced)
            merged.push_back(text);
    }
    return merged;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> list;
    for (auto& text : texts)
        list.push_back(text.data());
    list.push_back(nullptr);
    return list;
}

void add_stream(posix_spawn_file_actions_t& actions, int descriptor, int stream) {
    if (descriptor >= 0)
        posix_spawn_file_actions_adddup2(&actions, descriptor, stream);
    else
        posix_spawn_file_actions_addopen(&actions, stream, "/dev/null",
                                         stream == STDIN_FILENO ? O_RDONLY : O_WRONLY, 0);
}

} // namespace

Result<pid_t> spawn(const std::string& program, const std::vector<std::string>& arguments,
                    const SpawnStreams& streams, const std::vector<std::string>& environment) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    add_stream(actions, streams.input, STDIN_FILENO);
    add_stream(actions, streams.output, STDOUT_FILENO);
    add_stream(actions, streams.errors, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);

    std::vector<std::string> argument_texts{program};
    argument_texts.insert(argument_texts.end(), arguments.begin(), arguments.end());
    auto environment_texts = merged_environment(environment);
    pid_t pid = -1;
    const int failed =
        ::posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers(argument_texts).data(),
                      pointers(environment_texts).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0)
        return error("cannot start " + program + ": " + std::strerror(failed));
    return pid;
}

std::optional<ProcessEnd> end_of(pid_t pid, double seconds) {
    using namespace std::chrono;
    const auto latest = steady_clock::now() + duration<double>(seconds);
    ProcessEnd end;
    int status = 0;
    pid_t ended = 0;
    for (auto pause = microseconds(500);; pause = std::min(2 * pause, microseconds(5000))) {
        ended = ::waitpid(pid, &status, end.in_time ? WNOHANG : 0);
        if (ended == pid || (ended < 0 && errno != EINTR))
            break;
        if (end.in_time && steady_clock::now() >= latest) {
            ::kill(-pid, SIGKILL);
            end.in_time = false;
        } else if (end.in_time) {
            std::this_thread::sleep_for(pause);
        }
    }
    if (ended < 0)
        return std::nullopt;
    end.by_signal = WIFSIGNALED(status);
    if (end.by_signal)
        end.signal = WTERMSIG(status);
    else
        end.status = WEXITSTATUS(status);
    return end;
}

std::string ProcessEnd::text() const {
    if (!by_signal)
        return "ended with status " + std::to_string(status);
    const char* abbreviation = ::sigabbrev_np(signal);
    const char* description = ::sigdescr_np(signal);
    std::string text = "was ended by signal " + std::to_string(signal);
    if (abbreviation)
        text += std::string(" SIG") + abbreviation;
    return description ? text + " (" + description + ")" : text;
}

} // namespace loopscope::measure
