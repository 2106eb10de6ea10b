#include "tests/fuzz/running_pair.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <sstream>

namespace loopscope::fuzz {

namespace {

constexpr unsigned kSecondsEach = 300; // for a pair, with its shrinking

} // namespace

std::string text_setting(const char* name) {
    const char* text = std::getenv(name);
    return text ? text : "";
}

std::vector<std::string> list_setting(const char* name) {
    std::vector<std::string> names;
    std::istringstream text(text_setting(name));
    for (std::string part; std::getline(text, part, ',');)
        names.push_back(part);
    return names;
}

RunningPair::RunningPair() {
    if (const auto folder = text_setting("LOOPSCOPE_FUZZ_SAVE"); !folder.empty()) {
        std::filesystem::create_directories(folder);
        path_ = folder + "/running-" + text_setting("LOOPSCOPE_FUZZ_SEED");
    }
}

RunningPair::~RunningPair() {
    end();
    for (const auto* end : {".loop", ".sched"})
        if (!path_.empty())
            std::filesystem::remove(path_ + end);
}

void RunningPair::begin(const Pair& pair) const {
    if (!path_.empty()) {
        save_pair(path_, pair, {});
        alarm(kSecondsEach); // what does not end is left behind too
    }
    if (std::getenv("LOOPSCOPE_FUZZ_TRACE") && !pair.pipeline.empty())
        std::cerr << report(pair, {}) << std::flush;
}

void RunningPair::end() const { alarm(0); }

void tell(const Pair& pair, const Judge& judge, const std::string& test,
          const std::string& variables) {
    const auto small = shrink(pair, judge);
    const auto verdict = judge(small);
    auto again = variables + "LOOPSCOPE_FUZZ_SEED=" + std::to_string(pair.seed) +
                 " LOOPSCOPE_FUZZ_PAIRS=1 build/bin/test_fuzz --gtest_filter=" + test;
    if (const auto folder = text_setting("LOOPSCOPE_FUZZ_SAVE"); !folder.empty()) {
        const auto path = folder + "/" + std::to_string(pair.seed);
        std::filesystem::create_directories(folder);
        save_pair(path, small, verdict);
        again += "\nshrunk, as files: " + repeating_command(path);
    }
    ADD_FAILURE() << "seed " << pair.seed << ": " << report(small, verdict) << again;
}

} // namespace loopscope::fuzz
