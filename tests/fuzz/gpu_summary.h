#pragma once
// What a run of random pairs for GPUs met: printed for people, and as lines of "name value" for
// scripts/fuzz.sh.

#include "tests/fuzz/judge.h"

#include <chrono>
#include <map>
#include <string>

namespace loopscope::fuzz {

class GpuSummary {
public:
    void add(const Pair& pair, const Verdict& verdict);

    int pairs = 0, bad = 0, agree = 0;
    int tensor = 0, tensor_agree = 0; // with a tensor instruction
    int persistent_agree = 0;         // with blocks that stay

    std::string text() const;
    std::string figures() const;

private:
    std::map<std::string, int> outcomes_; // "not runnable" -> pairs
    std::map<std::string, int> agreeing_; // by what the schedule has
    std::map<std::string, int> refused_;  // why pairs are not runnable, names and numbers left out
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace loopscope::fuzz
