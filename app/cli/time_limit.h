#pragma once
// A limit on the time of what this process does itself, where nothing can be asked to stop.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace loopscope::cli {

// Ends the process with status 4 and a message, unless it is destroyed before so many seconds are
// over. Only for what has written nothing yet that must be whole.
class TimeLimit {
public:
    TimeLimit(std::string doing, double seconds);
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;

private:
    std::mutex mutex_;
    std::condition_variable_any ended_;
    std::jthread watch_; // last: its thread uses the others
};

} // namespace loopscope::cli
