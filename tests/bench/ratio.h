#pragma once
// Two timings taken in turns, so that whatever else the machine does falls on both; reported as the
// median of the ratios with its quartiles, never as one run.

#include <benchmark/benchmark.h>

#include <functional>
#include <vector>

namespace loopscope::bench {

struct Spread {
    double median = 0, lower = 0, upper = 0; // quartiles
};
Spread spread_of(std::vector<double> samples);

struct Turns {
    std::vector<double> ours, peer; // seconds, in pairs
};
// Runs both `rounds` times in turns after one warm-up each.
Turns in_turns(int rounds, const std::function<void()>& ours, const std::function<void()>& peer);
double seconds_of(const std::function<void()>& work);

// Counters "NAME", "NAME_low", "NAME_high".
void report(benchmark::State& state, const char* name, const Spread& spread);

} // namespace loopscope::bench
