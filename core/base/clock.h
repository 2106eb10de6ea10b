#pragma once
// The clock by which durations are measured: it never jumps.

#include <chrono>

namespace loopscope {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

} // namespace loopscope
