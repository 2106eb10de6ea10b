#include "tests/gui/latency.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

namespace loopscope::app::test {

namespace {

constexpr std::size_t kShown = 12;

std::string test_name() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    return info ? std::string(info->test_suite_name()) + "." + info->name() : std::string();
}

} // namespace

LatencyRecorder& LatencyRecorder::instance() {
    static LatencyRecorder recorder;
    return recorder;
}

void LatencyRecorder::begin(const std::string& action) { action_ = action; }

void LatencyRecorder::record(double milliseconds, double busy, const std::string& by) {
    for (Block* block : {&actions_[action_], &worst_})
        if (milliseconds > block->milliseconds)
            *block = {milliseconds, busy, block == &worst_ ? action_ + ": " + by : by, test_name()};
}

void LatencyRecorder::report() const {
    std::vector<std::pair<std::string, Block>> rows(actions_.begin(), actions_.end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return a.second.milliseconds > b.second.milliseconds;
    });
    std::printf("longest times away from the event loop:\n");
    auto list = nlohmann::json::array();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& [action, block] = rows[i];
        if (i < kShown)
            std::printf("%8.1f ms (%.1f busy)  %-28s %s (%s)\n", block.milliseconds, block.busy,
                        action.c_str(), block.by.c_str(), block.test.c_str());
        list.push_back({{"action", action},
                        {"milliseconds", block.milliseconds},
                        {"busy_milliseconds", block.busy},
                        {"by", block.by},
                        {"test", block.test}});
    }
    if (const char* folder = std::getenv("LOOPSCOPE_PICTURES"); folder && *folder)
        std::ofstream(std::string(folder) + "/latency.json") << list.dump(2) << "\n";
}

} // namespace loopscope::app::test
