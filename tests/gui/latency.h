#pragma once
// How long the window did not answer: for each action of a test, the longest time that the GUI
// thread was away from its event loop. Recorded, printed and written down, never asserted: a shared
// machine takes its time.

#include <map>
#include <string>

#include <time.h>

namespace loopscope::app::test {

class LatencyRecorder {
public:
    static LatencyRecorder& instance();

    // What is done from now on, until the next action: "key P".
    void begin(const std::string& action);
    // `busy`: of the milliseconds, those in which the thread had a core: what a quiet machine would
    // have taken.
    void record(double milliseconds, double busy, const std::string& by);
    // Forgets the worst of this run of actions, to look at a few alone.
    void restart() { worst_ = {}; }
    double worst() const { return worst_.milliseconds; } // since restart()
    const std::string& worst_by() const { return worst_.by; }
    // The worst actions, longest first; also as latency.json in the folder that LOOPSCOPE_PICTURES
    // names.
    void report() const;

private:
    struct Block {
        double milliseconds = 0, busy = 0;
        std::string by, test;
    };
    std::string action_ = "start";
    std::map<std::string, Block> actions_;
    Block worst_;
};

// Wall clock and processor time of this thread, in milliseconds.
class Stopwatch {
public:
    Stopwatch() : wall_(now(CLOCK_MONOTONIC)), busy_(now(CLOCK_THREAD_CPUTIME_ID)) {}
    double wall() const { return now(CLOCK_MONOTONIC) - wall_; }
    double busy() const { return now(CLOCK_THREAD_CPUTIME_ID) - busy_; }

private:
    static double now(clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }
    double wall_, busy_;
};

// Times a call that a test makes itself, outside of any event.
class Timed {
public:
    explicit Timed(const std::string& action) { LatencyRecorder::instance().begin(action); }
    ~Timed() {
        LatencyRecorder::instance().record(watch_.wall(), watch_.busy(), "the call itself");
    }
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

private:
    Stopwatch watch_;
};

} // namespace loopscope::app::test
