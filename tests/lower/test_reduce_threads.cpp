// Partial results of threads become one that all of them have.
#include "lower_support.h"

namespace loopscope::lower {
namespace test_reduce_threads {

std::string kernel(int rows, int columns, const std::string& lines) {
    return "\nprogram p\ninput A: f32[64, 64]\noutput B: f32[64, 64]\nlaunch p on device (A, B) {\n"
           "    bound thread.y for u in 0.." +
           std::to_string(rows) + " {\n        bound thread.x for t in 0.." +
           std::to_string(columns) +
           " {\n            allocate p: f32[1] in register\n            p[0] = A[u, t]\n" + lines +
           "            B[u, t] = p[0]\n        }\n    }\n}\n";
}

std::string reduced(int rows, int columns, const std::string& how) {
    return test::after(reduce_threads,
                       kernel(rows, columns, "            intrinsic reduce_" + how + "\n"));
}

// Neighbours of one warp, and as many as halves divide: by shuffles.
TEST(ReduceThreads, ByShufflesInAWarp) {
    EXPECT_EQ(reduced(8, 4, "sum p[0] over thread.x"),
              kernel(8, 4, R"(            allocate p.other: f32[1] in register {
                intrinsic shuffle_xor_2 p.other[0], p[0]
                p[0] = p[0] + p.other[0]
                intrinsic shuffle_xor_1 p.other[0], p[0]
                p[0] = p[0] + p.other[0]
            }
)"));
}

// A warp that is not whole has lanes that are not there: none of them is asked.
TEST(ReduceThreads, ThroughMemoryWhereAWarpIsNotWhole) {
    EXPECT_EQ(reduced(3, 4, "max p[0] over thread.x"),
              kernel(3, 4, R"(            allocate p.all: f32[12] in shared {
                p.all[t*1 + u*4] = p[0]
                if t < 2 {
                    p.all[t*1 + u*4] = max(p.all[t*1 + u*4], p.all[t*1 + u*4 + 2])
                }
                if t < 1 {
                    p.all[t*1 + u*4] = max(p.all[t*1 + u*4], p.all[t*1 + u*4 + 1])
                }
                p[0] = p.all[t*1 + u*4 - t*1]
            }
)"));
}

// Along another axis, of three: the first step is of the one thread that has another beyond half.
TEST(ReduceThreads, NumbersThatHalvesDoNotDivide) {
    EXPECT_EQ(reduced(3, 2, "sum p[0] over thread.y"),
              kernel(3, 2, R"(            allocate p.all: f32[6] in shared {
                p.all[t*1 + u*2] = p[0]
                if u < 1 {
                    p.all[t*1 + u*2] = p.all[t*1 + u*2] + p.all[t*1 + u*2 + 4]
                }
                if u < 1 {
                    p.all[t*1 + u*2] = p.all[t*1 + u*2] + p.all[t*1 + u*2 + 2]
                }
                p[0] = p.all[t*1 + u*2 - u*2]
            }
)"));
}

TEST(ReduceThreads, OneThreadHasItsResult) {
    EXPECT_EQ(reduced(2, 1, "sum p[0] over thread.x"), kernel(2, 1, ""));
}

TEST(ReduceThreads, OtherStepsStay) {
    const auto text =
        kernel(8, 4, "            p[0] = p[0] + A[0, u]\n            barrier block\n");
    EXPECT_EQ(test::after(reduce_threads, text), text);
}

} // namespace test_reduce_threads
} // namespace loopscope::lower
