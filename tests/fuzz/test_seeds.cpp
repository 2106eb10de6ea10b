// A seed says which pair it was: drawn again, after others, in another process or on another
// machine.

#include "tests/fuzz/judge.h"
#include "tests/fuzz/pipeline_generator.h"

#include "core/base/hash.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::fuzz;

TEST(Seeds, GiveTheSamePairWhateverWasDrawnBefore) {
    std::vector<Pair> drawn;
    for (std::uint64_t seed = 70; seed < 90; ++seed)
        drawn.push_back(random_pair(seed));
    for (std::uint64_t seed = 90; seed-- > 70;) {
        const auto again = random_pair(seed);
        const auto& first = drawn[seed - 70];
        EXPECT_EQ(again.pipeline, first.pipeline);
        EXPECT_EQ(again.schedule, first.schedule);
    }
}

// Schedules follow from what legality accepts, which changes; pipelines follow from the generator
// alone. Whoever changes that on purpose writes the new value here: seeds that older notes name
// give other pairs from then on.
TEST(Seeds, GiveThePipelinesThatTheyGaveOnOtherMachines) {
    Hash all = kHashSeed;
    for (std::uint64_t seed = 1; seed <= 50; ++seed)
        all = hash_of(random_pipeline(seed), all);
    EXPECT_EQ(all, 13268478401586821406U);
}
