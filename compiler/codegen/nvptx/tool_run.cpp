#include "compiler/codegen/nvptx/tool_run.h"

#include "compiler/protocol/spawn.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

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
    const auto file = directory.file(kOutput);
    const int output = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (output < 0)
        return error("the temporary file " + file + " cannot be written: " + std::strerror(errno));
    auto pid = measure::spawn(program, arguments, {.output = output, .errors = output});
    ::close(output);
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
    return coded_error("time-limit", text.str());
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
