// A block that is above a limit is refused, with figures and a remedy: it is not zero blocks.
#include "core/device/generic_gpu.h"
#include "core/device/occupancy.h"
#include "tests/device/example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <climits>

namespace loopscope::device {
namespace {

using testing::HasSubstr;

std::string refusal(const BlockResources& block, const Device& device = generic_gpu()) {
    auto found = occupancy(device, block);
    return found ? "no error" : format(found.errors());
}

TEST(OccupancyLimits, EachIsAnErrorOfItsOwn) {
    EXPECT_EQ(refusal({1024, 64, 166912, 16}), "no error") << "all at their ends";
    EXPECT_THAT(refusal({1025, 32, 0}),
                HasSubstr("a block has 1025 threads, and gpu allows 1024; bind loops of smaller "
                          "extents to threads"));
    EXPECT_THAT(refusal({128, 256, 0}),
                HasSubstr("a block has 256 registers a thread, and gpu allows 255"));
    EXPECT_THAT(refusal({128, 32, 166913}),
                HasSubstr("a block has 166913 bytes of shared memory, and gpu allows 166912"));
    EXPECT_THAT(refusal({128, 32, 0, 17}), HasSubstr("a block has 17 barriers, and gpu allows 16"));
}

// 65 × 32 = 2080, 2304 in units of 256, × 32 warps = 73728. With 64 registers it would be 65536.
TEST(OccupancyLimits, RegistersOfAWholeBlock) {
    EXPECT_THAT(refusal({1024, 65, 0}),
                HasSubstr("a block has 73728 registers (1024 threads with 65 each, in whole "
                          "units), and gpu allows 65536; bind fewer threads, or keep to 64"));
}

// Nine warps with 6400 registers each are 57600, which the register file has. But they are counted
// as twelve, 76800, as if spread evenly over its four parts. 65536 / 12 = 5461, 5376 in units of
// 256: 168 a thread.
TEST(OccupancyLimits, WarpsAreCountedInFours) {
    EXPECT_THAT(refusal({288, 200, 0}), HasSubstr("a block has 76800 registers"));
    EXPECT_THAT(refusal({288, 200, 0}), HasSubstr("keep to 168 registers a thread"));
    EXPECT_EQ(refusal({288, 168, 0}), "no error");
    EXPECT_THAT(refusal({288, 169, 0}), HasSubstr("keep to 168 registers a thread"));
    EXPECT_EQ(refusal({256, 200, 0}), "no error");
}

TEST(OccupancyLimits, AllAtOnce) {
    auto all = refusal({2000, 300, 200000, 20});
    for (auto part : {"2000 threads", "300 registers", "200000 bytes", "20 barriers"})
        EXPECT_THAT(all, HasSubstr(part));
}

TEST(OccupancyLimits, WhatIsNoBlock) {
    for (int threads : {0, -5})
        EXPECT_THAT(refusal({threads, 32, 0}), HasSubstr("a block has no thread"));
    EXPECT_THAT(refusal({32, -1, 0}), HasSubstr("less than nothing"));
    EXPECT_THAT(refusal({32, 32, -1}), HasSubstr("less than nothing"));
    EXPECT_THAT(refusal({32, 32, 0, 1, 101}), HasSubstr("a carve-out of 101 percent"));
    EXPECT_THAT(refusal({INT_MAX, INT_MAX, INT64_MAX, INT_MAX}),
                HasSubstr(std::to_string(INT64_MAX) + " bytes of shared memory"));
    EXPECT_THAT(refusal({32, 32, 0}, test::example()), HasSubstr("example is no GPU"));
}

} // namespace
} // namespace loopscope::device
