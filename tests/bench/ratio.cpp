#include "tests/bench/ratio.h"

#include <algorithm>
#include <chrono>
#include <string>

namespace loopscope::bench {

Spread spread_of(std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    auto at = [&](double share) {
        return samples[static_cast<std::size_t>(share * static_cast<double>(samples.size() - 1) +
                                                0.5)];
    };
    return {at(0.5), at(0.25), at(0.75)};
}

double seconds_of(const std::function<void()>& work) {
    auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Turns in_turns(int rounds, const std::function<void()>& ours, const std::function<void()>& peer) {
    Turns turns;
    ours();
    peer();
    for (int i = 0; i < rounds; ++i) {
        turns.ours.push_back(seconds_of(ours));
        turns.peer.push_back(seconds_of(peer));
    }
    return turns;
}

void report(benchmark::State& state, const char* name, const Spread& spread) {
    state.counters[name] = spread.median;
    state.counters[std::string(name) + "_low"] = spread.lower;
    state.counters[std::string(name) + "_high"] = spread.upper;
}

} // namespace loopscope::bench
