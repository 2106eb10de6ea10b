#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace {

std::string binding(const Applied& applied, const std::string& stage, const std::string& loop) {
    return applied.state.find(stage)->definitions[0].find(loop)->binding;
}

TEST(Bind, PutsALoopOnALevel) {
    auto applied = scheduled(chain(), "out.bind(y, block.y)\nout.bind(x, thread.x)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(binding(applied, "out", "y"), "block.y");
    EXPECT_EQ(binding(applied, "out", "x"), "thread.x");
}

TEST(Bind, TakesTheKindOfTheLoop) {
    auto applied = scheduled(chain(), "out.parallel(y)\nout.bind(y, block.x)\n");
    EXPECT_EQ(binding(applied, "out", "y"), "block.x");
    EXPECT_EQ(applied.state.find("out")->definitions[0].find("y")->kind, LoopKind::Serial);
    EXPECT_EQ(binding(scheduled(chain(), "out.bind(y, block.x)\nout.serial(y)\n"), "out", "y"), "");
    EXPECT_EQ(
        binding(scheduled(chain(), "out.bind(y, block.x)\nout.bind(y, block.y)\n"), "out", "y"),
        "block.y");
}

TEST(Bind, SeveralLoopsToVirtualThreads) {
    EXPECT_EQ(refusal(chain(), "out.bind(y, vthread)\nout.bind(x, vthread)\n"), "applied");
}

TEST(Bind, Refusals) {
    EXPECT_EQ(
        refusal(chain(), "out.bind(y, grid.x)\n"),
        "1:13 there is no level grid.x; levels are block.x, block.y, block.z, thread.x, thread.y, "
        "thread.z, warp, warp.x, warp.y, warpgroup, cluster.x, cluster.y and vthread");
    EXPECT_EQ(
        refusal(chain(), "out.bind(y, block.x)\nout.bind(x, block.x)\n"),
        "2:13 out.y is bound to block.x already; fuse the two loops and bind the fused one, or "
        "name another level");
    EXPECT_EQ(refusal(chain(), "out.bind(z, block.x)\n"),
              "1:10 out has no loop z; its loops are y, x");
    EXPECT_EQ(refusal(chain(), "out.bind(y)\n"),
              "1:11 bind needs a level here; write S.bind(loop, level)");
    // Iterations that depend on each other do not run at once there either.
    EXPECT_THAT(
        refusal(histogram(), "H.update(0).bind(r, thread.x)\n"),
        testing::StartsWith("1:18 H.update(0).r cannot be bound to thread.x: H[i32(img[r, c])], "
                            "written in one iteration, and "));
}

TEST(Bind, RoundTrip) { expect_round_trip("out.bind(y, block.y)"); }

} // namespace
} // namespace loopscope::test
