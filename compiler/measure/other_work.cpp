#include "compiler/measure/other_work.h"

#include "core/base/clock.h"

#include <algorithm>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

namespace loopscope::measure {

namespace {

constexpr double kLeastSeconds = 0.1; // the system counts in hundredths

// All cores' seconds of work, this system's and what was stolen from it; /proc/stat counts them in
// ticks: user, nice, system, idle, iowait, irq, softirq, steal.
std::optional<double> busy_seconds() {
    std::ifstream stat("/proc/stat");
    std::string cpu;
    double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0;
    if (!(stat >> cpu >> user >> nice >> system >> idle >> wait >> irq >> softirq >> steal) ||
        cpu != "cpu")
        return std::nullopt;
    return (user + nice + system + irq + softirq + steal) /
           static_cast<double>(::sysconf(_SC_CLK_TCK));
}

double own_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

OtherWork::OtherWork() : begin_(Clock::now()), busy_(busy_seconds()), own_(own_seconds()) {}

std::optional<double> OtherWork::cores() const {
    const double elapsed = seconds_since(begin_);
    const auto busy = busy_seconds();
    if (!busy || !busy_ || elapsed < kLeastSeconds)
        return std::nullopt;
    return std::max(0.0, (*busy - *busy_ - (own_seconds() - own_)) / elapsed);
}

} // namespace loopscope::measure
