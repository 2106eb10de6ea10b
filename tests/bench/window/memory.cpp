#include "tests/bench/window/memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace loopscope::bench {

namespace {

// A line of /proc/PROCESS/status; 0: there is none, or the process has ended.
double figure(const std::string& process, const std::string& name) {
    std::ifstream status("/proc/" + process + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind(name + ":", 0) == 0)
            return std::stod(line.substr(name.size() + 1));
    return 0;
}

} // namespace

double greatest_megabytes(const std::string& process) {
    return figure(process, "VmHWM") * 1024 / 1e6; // the kernel counts in units of 2^10
}

double greatest_child_megabytes() {
    double greatest = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc"))
        if (const auto process = entry.path().filename().string();
            process.find_first_not_of("0123456789") == std::string::npos &&
            figure(process, "PPid") == getpid())
            greatest = std::max(greatest, greatest_megabytes(process));
    return greatest;
}

} // namespace loopscope::bench
