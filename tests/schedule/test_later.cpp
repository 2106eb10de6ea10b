#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

TEST(Later, EveryVerbOfTheLanguageIsKnown) {
    for (const auto& verb : later_verbs()) {
        auto applied = scheduled(chain(), "out." + verb + "(y, block.x)\n");
        EXPECT_EQ(refusal(applied),
                  "1:5 " + verb +
                      " is not available in this version of Loopscope; remove this line");
    }
    EXPECT_EQ(later_verbs().size(), 9u);
}

TEST(Later, ParsesAndPrints) {
    expect_round_trip("C.bind(io, block.y)");
    expect_round_trip("B = S.cache_write(local)");
    expect_round_trip("As.pipeline(3)");
    expect_round_trip("H.update(0).non_temporal()");
}

} // namespace
} // namespace loopscope::test
