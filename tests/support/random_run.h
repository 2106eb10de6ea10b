#pragma once
// Runs of random cases: from which seed, how many, and for how long. ./test.sh gives each run a few
// seconds and a seed that differs from commit to commit; a long run (scripts/fuzz.sh) says how many
// it wants.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace loopscope::test {

// Says at the end how many cases there were, in how many seconds, and which seeds repeat them.
//
//     const RandomRun::Limits limits{.seconds = 60, .least = 100};
//     for (RandomRun run("pairs", "LOOPSCOPE_FUZZ_PAIRS", limits); run.more(); run.advance())
//         judge(pair(run.seed()));
class RandomRun {
public:
    struct Limits {
        double seconds = 0;      // after so many no case is begun
        std::uint64_t least = 1; // cases, however slow the machine is: fewer would say nothing
    };
    // `cases`: their name in the plural. `variable`: of the environment, a number of cases that
    // replaces the limits.
    RandomRun(std::string cases, const char* variable, Limits limits);
    ~RandomRun();
    RandomRun(const RandomRun&) = delete;
    RandomRun& operator=(const RandomRun&) = delete;

    bool more() const;
    void advance() { ++count_; }
    std::uint64_t seed() const { return first_ + count_; } // of the case at hand
    std::uint64_t first() const { return first_; }
    std::uint64_t count() const { return count_; } // cases that are done

    // The seed of every run: LOOPSCOPE_FUZZ_SEED, else 1.
    static std::uint64_t first_seed();

private:
    double elapsed() const; // seconds

    std::string cases_;
    Limits limits_;
    std::optional<std::uint64_t> wanted_; // in place of the limits
    std::uint64_t first_, count_ = 0;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

} // namespace loopscope::test
