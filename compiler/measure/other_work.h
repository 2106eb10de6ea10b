#pragma once
// What else a machine did while something was timed there: a time on a busy machine is longer than
// the schedule's.

#include <chrono>
#include <optional>

namespace loopscope::measure {

class OtherWork {
public:
    OtherWork(); // from here on
    // Cores that other processes, or other virtual machines, kept busy meanwhile, on average.
    // Nothing: the system does not say, or hardly any time has passed.
    std::optional<double> cores() const;

private:
    std::chrono::steady_clock::time_point begin_;
    std::optional<double> busy_; // seconds of all cores until then
    double own_ = 0;             // of this process
};

// Cores from which on a measurement is said to be of a busy machine.
constexpr double kDisturbingCores = 0.25;

} // namespace loopscope::measure
