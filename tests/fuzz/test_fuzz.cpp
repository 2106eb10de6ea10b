// The bounded run of differential fuzzing that CI makes; README.md says what its variables are. For
// a long one: scripts/fuzz.sh.

#include "tests/fuzz/c_judge.h"
#include "tests/fuzz/judge.h"
#include "tests/fuzz/run_summary.h"
#include "tests/fuzz/running_pair.h"
#include "tests/fuzz/simpler_text.h"

#include "core/language/loop_parser.h"
#include "tests/support/random_run.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <iostream>
#include <utility>

using namespace loopscope;
using namespace loopscope::fuzz;
using loopscope::test::setting;

namespace test_fuzz {

bool export_too() { return can_judge_c() && !std::getenv("LOOPSCOPE_FUZZ_WITHOUT_C"); }

// For a close look at them: verbs that most directives shall have.
std::vector<std::string> favoured() { return list_setting("LOOPSCOPE_FUZZ_FAVOUR"); }

// Every how manieth pair is interpreted as a loop program too; 0: none.
bool interpreted(std::uint64_t seed) {
    const auto every = setting("LOOPSCOPE_FUZZ_INTERPRET", 4);
    return every > 0 && seed % every == 0;
}

constexpr double kSeconds = 10;             // of ./test.sh
constexpr std::size_t kExportedAtOnce = 25; // pairs in one C file

void tell(const Pair& pair, const Judge& judge) {
    const auto verbs = text_setting("LOOPSCOPE_FUZZ_FAVOUR");
    fuzz::tell(pair, judge, "Fuzz.PairsAgree",
               verbs.empty() ? "" : "LOOPSCOPE_FUZZ_FAVOUR=" + verbs + " ");
}

// The pairs that wait for the judge of exported C, which works on one batch while the next is
// drawn.
class Exports {
public:
    void add(ExportedPair pair) { waiting_.push_back(std::move(pair)); }
    // Sends off a full batch; `all`: and what there is, and waits for it. How many of those judged
    // since were bad.
    int judge(bool all) {
        int bad = 0;
        if (waiting_.size() >= kExportedAtOnce || (all && !waiting_.empty())) {
            bad += collect();
            judged_ += waiting_.size();
            running_ = std::async(std::launch::async,
                                  [batch = std::exchange(waiting_, {})] { return judge_c(batch); });
        }
        return bad + (all ? collect() : 0);
    }
    std::size_t judged() const { return judged_; }

private:
    int collect() {
        if (!running_.valid())
            return 0;
        auto failures = running_.get();
        for (const auto& failure : failures)
            tell(random_pair(failure.seed),
                 [](const Pair& pair) { return judge_with_c(pair, {}); });
        return static_cast<int>(failures.size());
    }

    std::vector<ExportedPair> waiting_;
    std::future<std::vector<ExportFailure>> running_;
    std::size_t judged_ = 0;
};

int directives_of(const Pair& pair) {
    int count = -1; // the header
    for (const auto& line : lines_of(pair.schedule))
        count += !line.starts_with("#");
    return count;
}

void write_figures(const RunSummary& summary) {
    if (const auto file = text_setting("LOOPSCOPE_FUZZ_FIGURES"); !file.empty())
        std::ofstream(file) << summary.figures();
}

TEST(Fuzz, PairsAgree) {
    const auto most_bad = setting("LOOPSCOPE_FUZZ_MOST_BAD", 10);
    test::RandomRun run("pairs", "LOOPSCOPE_FUZZ_PAIRS", {.seconds = kSeconds, .least = 100});
    RunSummary summary;
    summary.first = run.first();
    summary.exports = export_too();
    Exports exports;
    RunningPair running;
    for (; run.more() && static_cast<std::uint64_t>(summary.bad) < most_bad; run.advance()) {
        const auto seed = run.seed();
        running.begin({"", "", seed});
        auto pair = random_pair(seed, &summary.rejected, &summary.coverage, favoured());
        const auto directives = directives_of(pair);
        EXPECT_GE(directives, kMinDirectives) << report(pair, {});
        ++summary.lengths[directives];
        auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline), {});
        count_features(*loaded->pipeline, summary.features);
        JudgeOptions options;
        options.interpret = interpreted(seed);
        options.without = list_setting("LOOPSCOPE_FUZZ_WITHOUT");
        running.begin(pair);
        if (summary.exports)
            options.exported = [&](ExportedPair exported) { exports.add(std::move(exported)); };
        auto verdict = judge(pair, options);
        running.end();
        summary.add(verdict, options.interpret);
        summary.bad += exports.judge(false);
        options.exported = nullptr;
        if (verdict.bad()) {
            running.begin(pair);
            tell(pair, [&](const Pair& other) { return judge(other, options); });
            running.end();
        }
        // of a process that ends early, most of it
        if (seed % 50 == 0)
            write_figures(summary);
    }
    summary.bad += exports.judge(true);
    summary.exported = exports.judged();
    write_figures(summary);
    std::cout << summary.text();
    // What nothing was said of is little, and exported C is judged where there is a compiler.
    const auto pairs = run.count();
    if (pairs >= 100 && favoured().empty()) {
        EXPECT_LE(static_cast<std::uint64_t>(summary.too_large + summary.neither) * 20, pairs);
        EXPECT_TRUE(!summary.exports || summary.exported * 2 > pairs) << summary.exported;
    }
}

// Enough pairs, drawn alone, accept every directive on every kind of definition that it can apply
// to, and have all that the language has.
TEST(Fuzz, PairsCoverBothLanguages) {
    LOOPSCOPE_TEST_IN_TURN(0, 3);
    constexpr std::uint64_t kPairs = 1500;
    RunSummary summary;
    for (std::uint64_t seed = 1; seed <= kPairs; ++seed) {
        const auto pair = random_pair(seed, &summary.rejected, &summary.coverage, {});
        auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline), {});
        count_features(*loaded->pipeline, summary.features);
    }
    for (const auto& feature : missing_features(summary.features))
        ADD_FAILURE() << "no pipeline has " << feature;
    // Which two meet is chance; few never do.
    const auto met = summary.coverage.beside.size();
    EXPECT_GE(met * 20, possible_pairs() * 19) << met << " pairs of directives";
    for (const auto& [verb, kind] : empty_cells(summary.coverage))
        ADD_FAILURE() << "nothing covers " << verb << " on a " << kind << " definition";
}

// The pair in the files of LOOPSCOPE_FUZZ_PAIR, judged in every way. With LOOPSCOPE_FUZZ_SHRINK
// also shrunk, each judgement in a process of its own: what is left is in files of that name with
// ".small" behind.
TEST(Fuzz, SavedPair) {
    const auto path = text_setting("LOOPSCOPE_FUZZ_PAIR");
    if (path.empty())
        GTEST_SKIP() << "LOOPSCOPE_FUZZ_PAIR=PATH judges PATH.loop with PATH.sched";
    const auto pair = read_pair(path);
    if (std::getenv("LOOPSCOPE_FUZZ_SHRINK")) {
        unsetenv("LOOPSCOPE_FUZZ_SHRINK"); // the processes that judge do not shrink
        const auto small = shrink(pair, judge_apart, {2000, 600});
        const auto verdict = judge_apart(small);
        save_pair(path + ".small", small, verdict);
        std::cout << report(small, verdict) << repeating_command(path + ".small") << "\n";
        return;
    }
    JudgeOptions options;
    options.interpret = true;
    options.on_device = pair.on_device;
    options.without = list_setting("LOOPSCOPE_FUZZ_WITHOUT");
    auto verdict = judge(pair, options);
    options.interpret = false;
    if (!pair.on_device && verdict.outcome == Outcome::Agree && export_too())
        verdict = judge_with_c(pair, options);
    if (const auto file = text_setting("LOOPSCOPE_FUZZ_VERDICT"); !file.empty())
        write_verdict(file, verdict);
    EXPECT_FALSE(verdict.bad()) << report(pair, verdict);
    std::cout << (verdict.outcome == Outcome::Agree ? "agrees" : verdict.message) << "\n";
}

} // namespace test_fuzz
