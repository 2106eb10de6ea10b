#pragma once
// What a run of random pairs met and found: printed for people, and as lines of "name value" for
// scripts/fuzz.sh, which adds up those of many processes.

#include "tests/fuzz/judge.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/schedule_generator.h"

#include <chrono>
#include <map>
#include <string>

namespace loopscope::fuzz {

// The peak memory of this process, or of the greatest that it started: gcc, and what it made.
long peak_kilobytes();

struct RunSummary {
    std::uint64_t first = 1, pairs = 0;
    int rejected = 0, bad = 0, too_large = 0, bounded = 0, not_held = 0, both = 0, neither = 0,
        interpreted = 0;
    std::size_t exported = 0;
    bool exports = false;
    Coverage coverage;
    Features features;
    std::map<int, int> lengths; // directives of a schedule -> schedules
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

    void add(const Verdict& verdict, bool was_interpreted);
    std::string text() const;
    std::string figures() const; // "pairs 500", "cell split pure 12", "beside fuse tile 3", …
};

} // namespace loopscope::fuzz
