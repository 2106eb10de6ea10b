// Blocks that take one iteration of a persistent dimension after another.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_persistent_blocks {

using ::testing::HasSubstr;
using ::testing::Not;

std::string kernel(const std::string& grid, const std::string& lines) {
    return "\nprogram p\ninput A: f32[100, 64]\noutput B: f32[100, 64]\n"
           "launch p on device (A, B) {\n    bound block.x for b in 0.." +
           grid + " {\n        bound thread.x for t in 0..64 {\n" + lines + "        }\n    }\n}\n";
}

TEST(PersistentBlocks, TakeIterationsInTurn) {
    EXPECT_EQ(
        test::after(persistent_blocks, kernel("100 blocks 16", "            B[b, t] = A[b, t]\n")),
        test::on_device("input A: f32[100, 64]\noutput B: f32[100, 64]",
                        R"(    bound block.x for b.first in 0..16 {
        bound thread.x for t in 0..64 {
            for b.turn in 0..(99 - b.first)/16 + 1 blocks 16 {
                let b = b.turn*16 + b.first
                B[b, t] = A[b, t]
            }
        }
    }
)"));
}

TEST(PersistentBlocks, OfAMultipleAllMakeAsMany) {
    EXPECT_THAT(
        test::after(persistent_blocks, kernel("100 blocks 25", "            B[b, t] = A[b, t]\n")),
        HasSubstr("for b.turn in 0..4 blocks 25 {"));
}

TEST(PersistentBlocks, AsManyAsIterationsNeedNoLoop) {
    EXPECT_EQ(
        test::after(persistent_blocks, kernel("100 blocks 132", "            B[b, t] = A[b, t]\n")),
        kernel("100", "            B[b, t] = A[b, t]\n"));
}

TEST(PersistentBlocks, SeveralDimensionsNest) {
    const auto text =
        test::after(persistent_blocks, test::on_device("output B: f32[9, 10, 32]",
                                                       R"(    bound block.y for y in 0..9 blocks 2 {
        bound block.x for x in 0..10 blocks 4 {
            bound thread.x for t in 0..32 {
                B[y, x, t] = 1.0
            }
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr(R"(            bound thread.x for t in 0..32 {
                for y.turn in 0..(8 - y.first)/2 + 1 blocks 2 {
                    let y = y.turn*2 + y.first
                    for x.turn in 0..(9 - x.first)/4 + 1 blocks 4 {
                        let x = x.turn*4 + x.first
)"));
}

// The next iteration overwrites what threads may still be reading: the ordinary pass sees that, and
// that nothing else is needed.
TEST(PersistentBlocks, BarriersStandBetweenIterations) {
    const std::string lines = R"(            allocate s: f32[64] in shared
            s[t] = A[b, t]
            barrier block
            B[b, t] = s[63 - t]
)";
    auto program = persistent_blocks(test::parsed(kernel("100 blocks 16", lines)), {});
    for (auto* pass : {reuse_storage, barriers})
        program = pass(program, {});
    EXPECT_TRUE(verify(program).empty()) << format(verify(program));
    EXPECT_THAT(to_text(program), HasSubstr(R"(s[t] = A[b, t]
                    barrier block
                    B[b, t] = s[63 - t]
                }
                barrier block
            }
)"));
    // Each thread's own: none.
    auto own = persistent_blocks(
        test::parsed(kernel("100 blocks 16",
                            "            allocate s: f32[64] in shared\n"
                            "            s[t] = A[b, t]\n            B[b, t] = s[t]\n")),
        {});
    EXPECT_THAT(to_text(barriers(own, {})), Not(HasSubstr("barrier")));
}

// Mbarriers that count what has arrived are the block's from its first iteration to its last.
TEST(PersistentBlocks, GroupsOfBulkCopiesCountOn) {
    const std::string lines = R"(            allocate s: f32[64] in shared
            allocate s.arrivals: u64[2] in shared
            acquire tok
            bulk copy tok s[0] = A[b, 0] of [1, 64] by s.arrivals
            commit tok by s.arrivals
            wait tok 0 by s.arrivals
            barrier block
            B[b, t] = s[63 - t]
            release tok
)";
    EXPECT_THAT(test::after(persistent_blocks, kernel("100 blocks 16", lines)), HasSubstr(R"(
        bound thread.x for t in 0..64 {
            allocate s.arrivals: u64[2] in shared
            for b.turn in 0..(99 - b.first)/16 + 1 blocks 16 {
                let b = b.turn*16 + b.first
                allocate s: f32[64] in shared
                acquire tok
)"));
}

TEST(PersistentBlocks, ObjectsThatAreMadeAnewInEachIterationAreRefused) {
    auto program = parse_program(kernel("4", R"(            for turn in 0..2 {
                allocate s: f32[64] in shared
                allocate s.arrivals: u64[2] in shared
                bulk copy tok s[0] = A[b, 0] of [1, 64] by s.arrivals
                commit tok by s.arrivals
                wait tok 0 by s.arrivals
            }
)"));
    ASSERT_TRUE(program) << format(program.errors());
    EXPECT_THAT(format(verify(*program)),
                HasSubstr("the mbarriers s.arrivals are made anew in each iteration of a "
                          "loop, and groups count on"));
}

TEST(PersistentBlocks, AreOfDimensionsOfTheGrid) {
    auto program = parse_program("program p\noutput B: f32[64]\nlaunch p on device (B) {\n"
                                 "    bound thread.x for t in 0..64 blocks 2 {\n"
                                 "        B[t] = 1.0\n    }\n}\n");
    ASSERT_TRUE(program) << format(program.errors());
    EXPECT_THAT(format(verify(*program)),
                HasSubstr("loop t numbers no blocks, of which there would be 2"));
}

} // namespace test_persistent_blocks
} // namespace loopscope::lower
