// Directives that are refused: each refusal is justified, or is one of a documented list
// (refusals.h).

#include "tests/fuzz/expert_lines.h"
#include "tests/fuzz/judge.h"
#include "tests/fuzz/refusals.h"
#include "tests/fuzz/schedule_generator.h"

#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <map>
#include <regex>
#include <string>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace test_refusals {

constexpr int kLinesEach = 25;

struct Tally {
    int wrong = 0, impossible = 0, harmless = 0, unjudged = 0;
};

class Refusals {
public:
    explicit Refusals(std::uint64_t seed) : seed_(seed), random_(seed ^ 0x4ef5) {
        auto pair = random_pair(seed);
        pipeline_ =
            load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline), {})->pipeline;
        text_ = pair.pipeline + "---\n";
        auto schedule = parse_schedule(std::make_shared<SourceFile>("pair.sched", pair.schedule),
                                       pipeline_.get());
        state_ = ScheduleState::initial(pipeline_);
        // Part of the pair's schedule: what comes late in one may be refused for what stands before
        // it.
        for (const auto& directive : schedule->directives) {
            if (random_.chance(20))
                break;
            if (apply_line(state_, *directive, {}))
                text_ += directive->text() + "\n";
        }
    }

    void judge(std::map<std::string, Tally>& tallies) {
        int fresh = 1000;
        std::vector<std::string> lines;
        for (int i = 0; i < kLinesEach; ++i)
            lines.push_back(random_line(state_, random_, fresh));
        for (int i = 0; i < 3; ++i)
            for (auto& line : expert_lines(state_, random_, fresh))
                lines.push_back(std::move(line));
        for (const auto& line : lines)
            judge(line, tallies);
    }

    int followed() const { return followed_; } // remedies that say what to write first

private:
    // A line that a remedy says to write first applies, and is none that stands already: behind it
    // the same line is refused no longer, or needs another one.
    void follow(const Diagnostic& refusal, const Directive& line) {
        static const std::regex first(
            R"re((?:^first |together first: |it is computed: )(\w+(?:\.update\(\d+\))?\.\w+\((?:[^()]|\(\d+\))*\)))re");
        std::smatch found;
        if (!std::regex_search(refusal.remedy, found, first))
            return;
        const auto remedy = parse_directive(found.str(1));
        ASSERT_TRUE(remedy) << refusal.remedy;
        auto state = state_;
        const auto applied = apply_line(state, **remedy, {});
        EXPECT_TRUE(applied) << "seed " << seed_ << ": " << line.text() << "\n"
                             << format(refusal) << (applied ? "" : format(applied.errors()))
                             << text_;
        const auto again = apply_line(state, line, {});
        const auto same =
            !again && again.errors()[0].message == refusal.message &&
            again.errors()[0].remedy == refusal.remedy; // one of several steps has another
        EXPECT_FALSE(same) << "seed " << seed_ << ": " << line.text() << "\n"
                           << format(refusal) << text_;
        ++followed_;
    }

    void judge(const std::string& line, std::map<std::string, Tally>& tallies) {
        auto directive = parse_directive(line);
        auto copy = state_;
        if (!directive)
            return;
        auto status = apply_line(copy, **directive, {});
        if (status)
            return;
        const auto& diagnostic = status.errors()[0];
        follow(diagnostic, **directive);
        const auto judged = judge_refusal(pipeline_, state_, **directive, seed_);
        const auto* rule = rule_of(diagnostic, judged);
        auto& tally = tallies[std::string((*directive)->verb()) + ", " + diagnostic.code];
        switch (judged.outcome) {
        case Refusal::Wrong: ++tally.wrong; return;
        case Refusal::Impossible: ++tally.impossible; return;
        case Refusal::Unjudged: ++tally.unjudged; return;
        case Refusal::Harmless: ++tally.harmless; break;
        }
        if (rule)
            ++tallies[std::string("rule: ") + rule->name].harmless;
        else
            ADD_FAILURE() << "seed " << seed_ << ": refused, and harmless: " << line << "\n"
                          << format(status.errors()) << text_;
    }

    std::uint64_t seed_;
    int followed_ = 0;
    Random random_;
    PipelinePtr pipeline_;
    ScheduleState state_;
    std::string text_;
};

TEST(Refusals, AreJustifiedOrDocumented) {
    if (!std::getenv("LOOPSCOPE_FUZZ_REFUSALS")) {
        LOOPSCOPE_TEST_IN_TURN(1, 3);
    }
    const auto count = test::setting("LOOPSCOPE_FUZZ_REFUSALS", 200);
    std::map<std::string, Tally> tallies;
    int followed = 0;
    for (std::uint64_t seed = 500000; seed < 500000 + count; ++seed) {
        Refusals refusals(seed);
        refusals.judge(tallies);
        followed += refusals.followed();
    }
    std::cout << "                                 wrong  impossible  harmless  not judged\n";
    for (const auto& [name, t] : tallies)
        std::cout << std::left << std::setw(30) << name << std::right << std::setw(8) << t.wrong
                  << std::setw(12) << t.impossible << std::setw(10) << t.harmless << std::setw(12)
                  << t.unjudged << "\n";
    if (count < 200)
        return;
    // That all are justified says something only of what was judged.
    std::map<std::string, int> judged;
    int wrong = 0;
    for (const auto& [name, t] : tallies) {
        judged[name.substr(0, name.find(','))] += t.wrong + t.impossible + t.harmless;
        wrong += t.wrong;
    }
    for (const auto& verb : forced_verbs())
        EXPECT_GT(judged[verb], 0) << "no refusal of " << verb << " was judged";
    EXPECT_GT(wrong, 100);
    EXPECT_GT(followed, 20);
}

TEST(Refusals, TheRulesAreDocumented) {
    const auto readme = test::read_file(test::source_path("tests/fuzz/README.md"));
    for (const auto& rule : conservative_rules()) {
        const auto row = readme.find("\n| " + std::string(rule.name) + " |");
        ASSERT_NE(row, std::string::npos) << rule.name;
        const auto text = readme.substr(row + 1, readme.find('\n', row + 1) - row);
        EXPECT_NE(text.find("`" + std::string(rule.code) + "`"), std::string::npos)
            << rule.name << " has the code " << rule.code << ", and not only: " << text;
    }
    for (const auto& verb : forced_verbs())
        EXPECT_NE(readme.find("`" + verb + "`"), std::string::npos) << verb;
}

} // namespace test_refusals
