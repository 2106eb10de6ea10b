#include "model_support.h"

using namespace loopscope;
using namespace loopscope::test;

namespace test_speed_of_light {

model::Estimate least(const ScheduleTree& tree, int threads) {
    return model::find_model("speed-of-light")->estimate(tree, machine(), {threads});
}

TEST(SpeedOfLight, ArraysAreMovedOnce) {
    auto tree = tree_of(kScale, "", {{"H", 2048}, {"W", 2048}});
    ASSERT_TRUE(tree);
    auto e = least(*tree, 1);
    EXPECT_EQ(e.bound, "memory");
    EXPECT_DOUBLE_EQ(*e.seconds, 2 * 2048.0 * 2048 * 4 / 8e9);
    EXPECT_DOUBLE_EQ(*least(*tree, 4).seconds, 2 * 2048.0 * 2048 * 4 / 16e9);
}

TEST(SpeedOfLight, ArithmeticIsDoneOnceAtThePeak) {
    auto tree = tree_of(kMatmul, "", {{"M", 512}, {"N", 512}, {"K", 512}});
    ASSERT_TRUE(tree);
    auto e = least(*tree, 4);
    EXPECT_EQ(e.bound, "compute");
    EXPECT_DOUBLE_EQ(*e.seconds, 2.0 * 512 * 512 * 512 / 128e9);
}

// What a schedule computes twice, or moves again, is not the program's.
TEST(SpeedOfLight, IsTheSameForEverySchedule) {
    const std::map<std::string, std::int64_t> sizes{{"M", 64}, {"N", 64}, {"K", 64}};
    const auto plain = least(*tree_of(kMatmul, "", sizes), 1);
    for (const char* lines : {"C.reorder(k, i, j)\n", "C.tile(i, j, io, jo, ii, ji, 8, 8)\n",
                              "C.vectorize(j, 8)\nC.parallel(i)\n"}) {
        const auto tree = tree_of(kMatmul, lines, sizes);
        const auto e = least(*tree, 1);
        EXPECT_DOUBLE_EQ(*e.seconds, *plain.seconds) << lines;
        const auto roof = model::find_model("roofline")->estimate(*tree, machine(), {1});
        EXPECT_LE(*e.seconds, *roof.seconds * (1 + 1e-9)) << lines;
    }
}

} // namespace test_speed_of_light
