#include "compiler/codegen/nvptx/tool_run.h"

#include "compiler/protocol/spawn.h"

#include <cerrno>
#include <cstring>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

namespace loopscope::codegen {

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

} // namespace

Result<ToolEnd> run_tool(const std::string& program, const std::vector<std::string>& arguments,
                         const PrivateDirectory& directory, double seconds) {
    auto pid = start(program, arguments, directory);
    if (!pid)
        return pid.errors();
    const auto end = measure::end_of(*pid, seconds);
    if (!end)
        return error("lost sight of " + program + ": " + std::strerror(errno));
    if (!end->in_time) {
        std::ostringstream text;
        text << program << " took more than " << seconds << " s and was ended";
        return coded_error("time-limit", text.str());
    }
    auto output = directory.read(kOutput);
    if (!output)
        return output.errors();
    return ToolEnd{end->by_signal ? 128 + end->signal : end->status, *output};
}

} // namespace loopscope::codegen
