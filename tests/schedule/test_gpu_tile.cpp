#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_gpu_tile {

std::string levels(const Applied& applied, const std::string& stage) {
    std::string out;
    for (const auto& loop : applied.state.find(stage)->definitions[0].loops)
        out +=
            (out.empty() ? "" : " ") + loop.name + (loop.binding.empty() ? "" : ":") + loop.binding;
    return out;
}

TEST(GpuTile, SplitsIntoBlocksAndThreads) {
    auto applied = scheduled(chain(), "out.gpu_tile(y, x, by, bx, ty, tx, 8, 16)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(levels(applied, "out"), "by:block.y bx:block.x ty:thread.y tx:thread.x");
}

TEST(GpuTile, IsATileAndFourBindings) {
    auto once = scheduled(chain(), "out.gpu_tile(y, x, by, bx, ty, tx, 8, 16, shift)\n");
    auto apart = scheduled(chain(), "out.tile(y, x, by, bx, ty, tx, 8, 16, shift)\n"
                                    "out.bind(by, block.y)\nout.bind(bx, block.x)\n"
                                    "out.bind(ty, thread.y)\nout.bind(tx, thread.x)\n");
    EXPECT_EQ(levels(once, "out"), levels(apart, "out"));
    EXPECT_EQ(nest(once, "out"), nest(apart, "out"));
    const auto& relations = once.state.find("out")->definitions[0].relations;
    ASSERT_EQ(relations.size(), 2U);
    for (const auto& r : relations)
        EXPECT_EQ(r.tail, Tail::Shift);
}

TEST(GpuTile, Refusals) {
    EXPECT_EQ(refusal(chain(), "out.gpu_tile(y, x, by, bx, ty, ty, 8, 16)\n"),
              "1:32 two new loops cannot both be named ty; take another name for one of them");
    EXPECT_EQ(
        refusal(chain(), "out.gpu_tile(y, x, by, bx, ty, tx, 0, 16)\n"),
        "1:36 '0' is no factor; a factor is a whole number from 1, native, or such as 4*native");
    EXPECT_EQ(
        refusal(matmul(), "C.split(i, io, ii, 8)\nC.bind(io, block.x)\n"
                          "C.gpu_tile(ii, j, by, bx, ty, tx, 2, 16)\n"),
        "3:1 C.io is bound to block.x already; fuse the two loops and bind the fused one, or name "
        "another level");
    EXPECT_THAT(
        refusal(matmul(), "C.gpu_tile(j, k, by, bx, ty, tx, 2, 16)\n"),
        testing::StartsWith("1:1 C.bx cannot be bound to block.x: it runs over a reduction axis"));
}

TEST(GpuTile, RoundTrip) { expect_round_trip("out.gpu_tile(y, x, by, bx, ty, tx, 8, 16)"); }

} // namespace test_gpu_tile
} // namespace loopscope::test
