// Bugs planted one at a time: each is found, and it is the bug that is found.

#include "tests/fuzz/judge.h"
#include "tests/fuzz/planted_bugs.h"

#include <gtest/gtest.h>

#include <iostream>

using namespace loopscope::fuzz;

namespace test_planted {

constexpr std::uint64_t kPairs = 2000;

JudgeOptions with_bug(const PlantedBug& bug) {
    JudgeOptions options;
    options.plant_built = bug.built;
    options.plant_final = bug.final;
    options.plant_state = bug.state;
    options.interpret = true;
    options.compiled = false; // what a bug makes of compiled code may end the process
    options.passes = static_cast<bool>(bug.final);
    return options;
}

TEST(PlantedBugs, EachIsFoundWithin2000Pairs) {
    ASSERT_GE(planted_bugs().size(), 20U);
    std::vector<const PlantedBug*> hidden;
    for (const auto& bug : planted_bugs())
        hidden.push_back(&bug);
    for (std::uint64_t seed = 1; seed <= kPairs && !hidden.empty(); ++seed) {
        const auto pair = random_pair(seed);
        std::erase_if(hidden, [&](const PlantedBug* bug) {
            const auto options = with_bug(*bug);
            const auto found = judge(pair, options);
            // Wrong results or a hazard: that a broken program could not be lowered would say
            // nothing of the judge.
            if (found.outcome != Outcome::Mismatch && found.outcome != Outcome::Hazard)
                return false;
            JudgeOptions clean = options;
            clean.plant_built = clean.plant_final = {};
            clean.plant_state = {};
            const auto verdict = judge(pair, clean);
            EXPECT_FALSE(verdict.bad()) << report(pair, verdict);
            // at once: a later bug may take long
            std::cout << bug->name << ": found at pair " << seed << ", " << found.kind << std::endl;
            return true;
        });
    }
    for (const auto* bug : hidden)
        ADD_FAILURE() << bug->name << " was not found within " << kPairs << " pairs";
}

} // namespace test_planted
