// The bounded run of differential fuzzing that CI makes. For a longer one: LOOPSCOPE_FUZZ_PAIRS=100000 and
// LOOPSCOPE_FUZZ_SEED=N test_fuzz --gtest_filter=Fuzz.PairsAgree

#include "tests/fuzz/c_judge.h"
#include "tests/fuzz/judge.h"
#include "tests/fuzz/pipeline_generator.h"
#include "tests/fuzz/planted_bugs.h"
#include "tests/fuzz/schedule_generator.h"

#include "core/language/loop_parser.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <iostream>
#include <utility>

using namespace loopscope;
using namespace loopscope::fuzz;

namespace {

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

constexpr std::size_t kExportedAtOnce = 25; // pairs in one C file

// The pairs that wait for the judge of exported C, which works on one batch while the next is drawn.
class Exports {
public:
    void add(ExportedPair pair) { waiting_.push_back(std::move(pair)); }
    // Sends off a full batch; `all`: and what there is, and waits for it. How many of those judged since were bad.
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
            ADD_FAILURE() << "seed " << failure.seed << ": "
                          << report(random_pair(failure.seed),
                                    {Outcome::Mismatch, failure.message});
        return static_cast<int>(failures.size());
    }

    std::vector<ExportedPair> waiting_;
    std::future<std::vector<ExportFailure>> running_;
    std::size_t judged_ = 0;
};

} // namespace

TEST(Fuzz, PairsAgree) {
    auto pairs = setting("LOOPSCOPE_FUZZ_PAIRS", 2000), first = setting("LOOPSCOPE_FUZZ_SEED", 1);
    Coverage coverage;
    Features features;
    std::map<int, int> lengths;
    int rejected = 0, bad = 0, too_large = 0, bounded = 0, not_held = 0, both = 0, neither = 0;
    Exports exports;
    bool export_too = can_judge_c() && !std::getenv("LOOPSCOPE_FUZZ_WITHOUT_C");
    for (std::uint64_t seed = first; seed < first + pairs && bad < 10; ++seed) {
        auto pair = random_pair(seed, &rejected);
        auto loaded = load_pipeline(std::make_shared<SourceFile>("pair.loop", pair.pipeline), {});
        auto schedule = random_schedule(loaded->pipeline, combine(seed, 7), &coverage);
        ++lengths[schedule.directives];
        count_features(*loaded->pipeline, features);
        JudgeOptions options;
        options.interpret = seed % 4 == 0 && !std::getenv("LOOPSCOPE_FUZZ_COMPILED_ONLY");
        if (std::getenv("LOOPSCOPE_FUZZ_TRACE")) // a crash of compiled code leaves its pair behind
            std::cerr << report(pair, {}) << std::flush;
        if (export_too)
            options.exported = [&](ExportedPair exported) { exports.add(std::move(exported)); };
        auto verdict = judge(pair, options);
        bad += exports.judge(false);
        options.exported = nullptr;
        too_large += verdict.outcome == Outcome::TooLarge;
        bounded += verdict.within_bound;
        not_held += verdict.not_held;
        both += (verdict.within_bound || verdict.not_held) && verdict.in_bits;
        neither += verdict.not_held && !verdict.in_bits;
        if (!verdict.bad())
            continue;
        ++bad;
        auto small = shrink(pair, options);
        ADD_FAILURE() << "seed " << seed << ": " << report(small, judge(small, options));
    }
    bad += exports.judge(true);
    std::cout << "pairs " << pairs << " from seed " << first
              << ", pipelines that broke a rule of the language " << rejected
              << ", too large to judge " << too_large << ", reassociating " << bounded + not_held
              << ", of those compared in bits on whole numbers " << both
              << ", held to a bound on reals " << bounded << ", not judged at all " << neither
              << ", as exported C too " << exports.judged() << (export_too ? "" : " (off)") << "\n"
              << coverage_table(coverage) << "directives per schedule:";
    for (auto [length, count] : lengths)
        std::cout << " " << length << ":" << count;
    std::cout << "\n";
    std::cout << "of the language:";
    for (const auto& [feature, count] : features)
        std::cout << "  " << feature << " " << count;
    std::cout << "\n";
    if (pairs >= 500)
        for (const auto& feature : missing_features(features))
            ADD_FAILURE() << "no pipeline has " << feature;
    if (pairs >= 500)
        for (const auto& [verb, kind] : empty_cells(coverage))
            ADD_FAILURE() << "nothing covers " << verb << " on a " << kind << " definition";
}

TEST(Fuzz, PlantedBugsAreFound) {
    for (const auto& bug : planted_bugs()) {
        int needed = 0;
        for (std::uint64_t seed = 1; seed <= 1000 && !needed; ++seed) {
            auto pair = random_pair(seed);
            JudgeOptions options;
            (bug.after_passes ? options.plant_final : options.plant_built) = bug.plant;
            // A program that the bug makes invalid would be found by the verifier in a debug build; here results decide.
            options.compiled = false;
            options.interpret = true;
            if (!judge(pair, options).bad())
                continue;
            needed = static_cast<int>(seed);
            // It is the bug that was found: without it the pair agrees.
            JudgeOptions clean;
            clean.compiled = false;
            clean.interpret = true;
            auto verdict = judge(pair, clean);
            EXPECT_FALSE(verdict.bad()) << report(pair, verdict);
        }
        EXPECT_GT(needed, 0) << bug.name << " was not found within 1,000 pairs";
        std::cout << bug.name << ": found at pair " << needed << "\n";
    }
}
