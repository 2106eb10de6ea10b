#pragma once
// What the runs of random pairs share: settings, the pair under judgement, and what is said of a
// bad one. README.md says what the variables are.

#include "tests/fuzz/shrink.h"

#include <string>
#include <vector>

namespace loopscope::fuzz {

std::string text_setting(const char* name);
std::vector<std::string> list_setting(const char* name); // names with commas between

// The pair under judgement as files, so that what ends the process leaves it behind.
class RunningPair {
public:
    RunningPair();
    ~RunningPair();
    RunningPair(const RunningPair&) = delete;
    // `pair`: empty while it is being drawn.
    void begin(const Pair& pair) const;
    // Waiting for exported C is no part of its time: that may be of fifty pairs, and has a limit of
    // its own.
    void end() const;

private:
    std::string path_;
};

// Prints a bad pair, shrunk, and saves it where that is asked for. `variables`: what else repeats
// it, "NAME=VALUE ".
void tell(const Pair& pair, const Judge& judge, const std::string& test,
          const std::string& variables = {});

} // namespace loopscope::fuzz
