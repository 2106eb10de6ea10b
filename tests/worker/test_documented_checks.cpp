// What the reference of schedules says that `check` prints is what it prints.
#include "compiler/worker/check.h"

#include "tests/support/support.h"
#include "tests/worker/programs.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace loopscope::worker {
namespace {

struct Block {
    std::string mark, text;
};

std::vector<Block> blocks(const std::string& page) {
    std::vector<Block> out;
    std::istringstream in(page);
    bool inside = false;
    for (std::string line; std::getline(in, line);) {
        if (line.rfind("```", 0) == 0) {
            inside = !inside;
            if (inside)
                out.push_back({line.substr(3), ""});
        } else if (inside) {
            out.back().text += line + "\n";
        }
    }
    return out;
}

std::string printed(const std::string& pipeline, const std::string& schedule) {
    const std::atomic<bool> never = false;
    auto arguments = test::arguments(pipeline, schedule);
    if (auto target = check_target(arguments); !target) {
        const auto& refused = target.errors().front();
        return refused.message + "; " + refused.remedy + "\n";
    }
    auto loaded = load_program(arguments).value();
    auto code = compile_program(loaded).value();
    auto answer =
        check_program(loaded, code, {}, Context([](const measure::Progress&) {}, never)).value();
    EXPECT_EQ(answer.at("conclusive"), true);
    return answer.at("status").get<std::string>() + ": " + answer.at("method").get<std::string>() +
           "\n";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(DocumentedChecks, PrintWhatTheReferenceOfSchedulesSays) {
    int checked = 0;
    std::map<std::string, std::string> pipelines; // by their first lines' names
    auto all = blocks(test::read_file(test::source_path("resources/help/schedules.md")));
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].mark == "loop")
            pipelines[first_line(all[i].text).substr(sizeof "pipeline")] = all[i].text;
        if (all[i].mark != "check")
            continue;
        ASSERT_TRUE(i > 0 && all[i - 1].mark == "sched");
        auto pipeline = pipelines.at(first_line(all[i - 1].text).substr(sizeof "schedule for"));
        EXPECT_EQ(printed(pipeline, all[i - 1].text), all[i].text) << all[i - 1].text;
        ++checked;
    }
    EXPECT_GE(checked, 3);
}

} // namespace
} // namespace loopscope::worker
