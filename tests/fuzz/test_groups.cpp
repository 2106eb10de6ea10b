// Random products and convolutions by instructions of warpgroups, with and without bulk copies, in
// the interpreter of SIMT programs, against the reference interpreter. LOOPSCOPE_FUZZ_GROUP_PAIRS,
// LOOPSCOPE_FUZZ_WINDOW_PAIRS, LOOPSCOPE_FUZZ_SEED.
#include "compiler/measure/host_device.h"
#include "tests/fuzz/group_pairs.h"
#include "tests/fuzz/planted_bugs.h"
#include "tests/fuzz/shrink.h"
#include "tests/fuzz/window_pairs.h"
#include "tests/support/chance.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <map>

using namespace loopscope;
using namespace loopscope::fuzz;
using loopscope::test::must;
using loopscope::test::setting;

namespace test_groups {

using Draw = Pair (*)(std::uint64_t seed);

// Each is not runnable on the device that it is for, too large, or agrees; `share`: of those that
// agree, a little less than pairs from five seeds had.
void expect_agreement(Draw draw, std::uint64_t pairs, double share) {
    const auto first = setting("LOOPSCOPE_FUZZ_SEED", 1);
    const auto with_engine = must(measure::find_device("h200"));
    auto without = with_engine;
    std::erase(without.gpu->capabilities, "bulk_tensor_copy");
    auto small_device = with_engine; // on which persistent blocks take several tiles each
    small_device.gpu->multiprocessors = small_device.gpu->limits.blocks_per_multiprocessor = 1;
    std::map<std::string, int> counts;
    int bad = 0;
    for (auto seed = first; seed < first + pairs && bad < 5; ++seed) {
        const auto pair = draw(seed);
        JudgeOptions options;
        options.on_device = true;
        options.gpu = seed % 4 == 0 ? &without : seed % 4 == 1 ? &small_device : &with_engine;
        const auto verdict = judge(pair, options);
        ++counts[verdict.bad()                             ? "bad"
                 : verdict.outcome == Outcome::NotRunnable ? "not runnable"
                 : verdict.outcome == Outcome::TooLarge    ? "too large"
                 : verdict.in_bits || verdict.within_bound ? "agree"
                                                           : "not held"];
        if (verdict.outcome == Outcome::NotRunnable)
            ++counts["not runnable: " + verdict.message.substr(verdict.message.find(' '))];
        if (!verdict.bad())
            continue;
        ++bad;
        const auto small =
            shrink(pair, [&](const Pair& smaller) { return judge(smaller, options); });
        ADD_FAILURE() << "seed " << seed << ": " << report(small, judge(small, options));
    }
    for (const auto& [what, number] : counts)
        std::cout << what << ": " << number << "\n";
    if (bad > 0)
        return;
    const auto all = static_cast<int>(pairs);
    EXPECT_EQ(counts["agree"] + counts["not runnable"] + counts["too large"], all);
    EXPECT_GE(counts["agree"], test::fewest(all, share));
}

void expect_found(std::vector<PlantedBug> hidden, Draw draw) {
    constexpr std::uint64_t kPairs = 60;
    const auto device = must(measure::find_device("h200"));
    std::map<std::string, int> missed;
    for (std::uint64_t seed = 1; seed <= kPairs && !hidden.empty(); ++seed) {
        JudgeOptions options;
        options.on_device = true;
        options.gpu = &device;
        options.also = [&](const lower::Program& program, const ScheduleTree& tree,
                           const auto& judge) {
            std::erase_if(hidden, [&](const PlantedBug& fault) {
                auto faulty = program;
                if (!fault.final(faulty, tree))
                    return false;
                const auto verdict = judge(faulty);
                if (verdict.outcome != Outcome::Mismatch && verdict.outcome != Outcome::Hazard) {
                    ++missed[fault.name];
                    return false;
                }
                std::cout << fault.name << ": found at pair " << seed << ", " << verdict.kind
                          << ", after " << missed[fault.name] << " that did not show it\n";
                return true;
            });
        };
        const auto pair = draw(seed);
        const auto clean = judge(pair, options);
        EXPECT_FALSE(clean.bad()) << report(pair, clean);
    }
    for (const auto& fault : hidden)
        ADD_FAILURE() << fault.name << " was not found within " << kPairs << " pairs, of which "
                      << missed[fault.name] << " had it";
}

TEST(FuzzGroups, ProductsAgree) {
    expect_agreement(random_group_pair, setting("LOOPSCOPE_FUZZ_GROUP_PAIRS", 60), 0.65);
}

TEST(FuzzGroups, WindowsAgree) {
    expect_agreement(random_window_pair, setting("LOOPSCOPE_FUZZ_WINDOW_PAIRS", 20), 0.72);
}

TEST(FuzzGroups, PlantedFaultsAreFound) {
    expect_found(planted_handover_faults(), random_group_pair);
}

TEST(FuzzGroups, PlantedBordersAreFound) {
    expect_found(planted_border_faults(), random_window_pair);
}

} // namespace test_groups
