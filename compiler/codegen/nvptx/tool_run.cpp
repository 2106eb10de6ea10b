#include "compiler/codegen/nvptx/tool_run.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace loopscope::codegen {

Result<PrivateDirectory> PrivateDirectory::make() {
    std::error_code ignored;
    auto parent = std::filesystem::temp_directory_path(ignored);
    auto pattern = (parent.empty() ? std::filesystem::path("/tmp") : parent) / "loopscope-XXXXXX";
    auto path = pattern.string();
    if (!::mkdtemp(path.data()))
        return error("no temporary directory: " + std::string(std::strerror(errno)));
    return PrivateDirectory(path);
}

PrivateDirectory::~PrivateDirectory() {
    std::error_code ignored;
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

Status PrivateDirectory::write(const std::string& name, const std::string& content) const {
    std::ofstream out(file(name), std::ios::binary);
    out << content;
    out.close();
    return out ? success()
               : Status(error("the temporary file " + file(name) + " cannot be written"));
}

Result<std::string> PrivateDirectory::read(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    std::ostringstream content;
    content << in.rdbuf();
    if (!in)
        return error("the temporary file " + file(name) + " cannot be read");
    return content.str();
}

namespace {

constexpr const char* kOutput = "output";

Result<pid_t> start(const std::string& program, const std::vector<std::string>& arguments,
                    const PrivateDirectory& directory) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, directory.file(kOutput).c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    // A group of its own, so that what it starts ends with it; signals as usual, whatever the caller does with them.
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
    std::vector<std::string> texts{program};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (auto& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    pid_t pid = -1;
    const int failed =
        ::posix_spawn(&pid, program.c_str(), &actions, &attributes, pointers.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (failed != 0)
        return error("cannot start " + program + ": " + std::strerror(failed));
    return pid;
}

// The status that waitpid gives; none: the time is over, and it was ended.
Result<int> wait_for(pid_t pid, const std::string& program, double seconds) {
    using namespace std::chrono;
    const auto end = steady_clock::now() + duration<double>(seconds);
    for (auto pause = microseconds(500);; pause = std::min(2 * pause, microseconds(20000))) {
        int status = 0;
        const pid_t ended = ::waitpid(pid, &status, WNOHANG);
        if (ended == pid)
            return status;
        if (ended < 0 && errno != EINTR)
            return error("lost sight of " + program + ": " + std::strerror(errno));
        if (steady_clock::now() > end)
            break;
        std::this_thread::sleep_for(pause);
    }
    ::kill(-pid, SIGKILL);
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    std::ostringstream text;
    text << program << " took more than " << seconds << " s and was ended";
    auto late = error(text.str());
    late.code = "time-limit";
    return late;
}

} // namespace

Result<ToolEnd> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                         const PrivateDirectory& directory, double seconds) {
    auto pid = start(program, arguments, directory);
    if (!pid)
        return pid.errors();
    auto status = wait_for(*pid, program, seconds);
    if (!status)
        return status.errors();
    auto output = directory.read(kOutput);
    if (!output)
        return output.errors();
    return ToolEnd{WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status), *output};
}

} // namespace loopscope::codegen
