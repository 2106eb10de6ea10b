#pragma once

#include <chrono>

namespace loopscope::codegen {

// Seconds since the last call.
class Stopwatch {
public:
    double lap() {
        auto now = std::chrono::steady_clock::now();
        double seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
        return seconds;
    }

private:
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace loopscope::codegen
