// The loops around stages that stand in one another, and how much work it is to ask for all of
// them.
#include "tests/schedule/scheduling.h"

#include "core/base/work.h"
#include "core/schedule/loop_paths.h"
#include "core/schedule/placement.h"

namespace loopscope::test {
namespace test_loop_paths {
namespace {

std::string stage_number(int i) { return "s" + std::to_string(i); }

PipelinePtr chain_of_windows(int stages) {
    std::string text = "pipeline p\ninput a[y, x]: f32[32, 16] boundary edge\n", before = "a";
    for (int i = 0; i < stages; ++i) {
        text += "stage " + stage_number(i) + "[y, x] = " + before + "[y - 1, x] + " + before +
                "[y + 1, x]\n";
        before = stage_number(i);
    }
    return parsed(text + "output " + before + ": [32, 16]\n");
}

// Each stage at the loop of the one that reads it, and stored outside of all.
std::string nested_windows(int stages) {
    std::string lines;
    for (int i = stages - 2; i >= 0; --i)
        lines += stage_number(i) + ".compute_at(" + stage_number(i + 1) + ", y)\n" +
                 stage_number(i) + ".store_root()\n";
    return lines;
}

TEST(LoopPaths, AreTheLoopsOfHostsFromOutside) {
    const auto applied =
        scheduled(chain_of_windows(6), "s5.split(y, yo, yi, 4)\ns5.parallel(yo)\n"
                                       "s4.compute_at(s5, yi)\ns3.compute_at(s4, y)\n"
                                       "s2.compute_at(s3, x)\ns1.compute_at(s5, yo)\n");
    ASSERT_EQ(refusal(applied), "applied");
    const auto& state = applied.state;
    LoopPaths paths(state);
    auto text = [&](const LoopPath& path) {
        std::string out;
        for (const auto& loop : path.loops())
            out += loop_text(state, loop) + " ";
        return out;
    };
    EXPECT_EQ(text(paths.around("s5")), "");
    EXPECT_EQ(text(paths.around_point({"s5", 0})), "s5.yo s5.yi s5.x ");
    EXPECT_EQ(text(paths.around("s4")), "s5.yo s5.yi ");
    EXPECT_EQ(text(paths.around("s2")), "s5.yo s5.yi s4.y s3.y s3.x ");
    const auto inner = paths.around_point({"s2", 0});
    EXPECT_EQ(inner.size(), 7u);
    EXPECT_EQ(inner.count_at_once(), 1u);
    EXPECT_EQ(text(inner.outer(3)), "s5.yo s5.yi s4.y ");
    EXPECT_TRUE(inner.outer(2) == paths.around("s4"));
    EXPECT_TRUE(inner.any_of_stage("s3"));
    EXPECT_FALSE(paths.around("s4").any_of_stage("s4"));
    for (const auto& stage : state.stages) {
        const auto path = paths.around(stage->name);
        EXPECT_EQ(path.loops(), loops_around(state, stage->name));
        const auto loops = path.loops();
        for (std::size_t p = 0; p < loops.size(); ++p) {
            ASSERT_TRUE(path.contains(loops[p]));
            EXPECT_EQ(path.down_to(loops[p])->size(), p + 1);
        }
    }
    EXPECT_EQ(text(paths.around("s1")), "s5.yo ");
    EXPECT_FALSE(inner.contains({"s1", 0, 0}));
}

// Lines hold all placements of the state against the rules: n lines of n stages each n deep.
TEST(LoopPaths, NestedWindowsTakeWorkByTheSquareOfTheirNumber) {
    auto work_of = [](int stages) {
        const auto before = work_of_thread(Work::LoopsAround);
        const auto applied = scheduled(chain_of_windows(stages), nested_windows(stages));
        EXPECT_EQ(refusal(applied), "applied");
        tree_of(applied);
        return static_cast<double>(work_of_thread(Work::LoopsAround) - before);
    };
    const auto few = work_of(20), twice = work_of(40);
    EXPECT_LT(twice, 4.6 * few);
    EXPECT_LT(twice, 40.0 * 40.0 * 40.0);
}

// 2,000 such stages ended the program by a signal: trees are walked as deep as they are.
TEST(LoopPaths, HaveALimit) {
    std::string text = "pipeline p\ninput a[x]: f32[8]\n", before = "a", lines;
    constexpr int kStages = 600;
    for (int i = 0; i < kStages; ++i) {
        text += "stage " + stage_number(i) + "[x] = " + before + "[x] + 1\n";
        before = stage_number(i);
    }
    const auto pipeline = parsed(text + "output " + before + ": [8]\n");
    for (int i = kStages - 2; i >= 0; --i)
        lines += stage_number(i) + ".compute_at(" + stage_number(i + 1) + ", x)\n";
    EXPECT_THAT(refusal(pipeline, lines),
                testing::HasSubstr("would stand within 513 loops, one inside another, and at most "
                                   "512 are possible; compute some of the stages between at root"));
}

} // namespace
} // namespace test_loop_paths
} // namespace loopscope::test
