// What all threads of a block do is divided among them.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_divide_work {

using ::testing::HasSubstr;

std::string kernel(const std::string& lines) {
    return test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]", lines);
}

TEST(DivideWork, AmongAllThreads) {
    EXPECT_EQ(test::after(divide_work, kernel(R"(    bound thread.y for ty in 0..4 {
        bound thread.x for tx in 0..32 {
            allocate s: f32[16, 16] in shared
            bound threads for i in 0..16 {
                bound threads for j in 0..16 {
                    s[i, j] = A[i, j]
                }
            }
        }
    }
)")),
              kernel(R"(    bound thread.y for ty in 0..4 {
        bound thread.x for tx in 0..32 {
            allocate s: f32[16, 16] in shared
            unrolled for i.part in 0..2 {
                let i.point = i.part*128 + (tx + ty*32)
                s[i.point/16, i.point%16] = A[i.point/16, i.point%16]
            }
        }
    }
)"));
}

TEST(DivideWork, TheLastPartIsGuarded) {
    const auto text = test::after(divide_work, kernel(R"(    bound thread.x for tx in 0..64 {
        allocate s: f32[100] in shared
        bound threads for i in 0..100 {
            s[i] = A[0, i%64]
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("if i.point < 100 {")) << text;
}

TEST(DivideWork, OneThreadsWorkStaysIts) {
    const auto text = test::after(divide_work, kernel(R"(    bound thread.x for tx in 0..64 {
        bound threads for one in 0..1 {
            B[0, 0] = A[0, 0]
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("if one.point < 1 {")) << text;
}

// A loop that is not divided parts those around it from those inside: points of one are numbered by
// themselves.
TEST(DivideWork, LoopsBetweenStay) {
    EXPECT_EQ(test::after(divide_work, kernel(R"(    bound thread.x for t in 0..32 {
        bound threads for i in 0..2 {
            for k in 0..3 {
                bound threads for j in 0..16 {
                    B[i*3 + k, j] = A[k, j]
                }
            }
        }
    }
)")),
              kernel(R"(    bound thread.x for t in 0..32 {
        let i.point = t
        if i.point < 2 {
            for k in 0..3 {
                let j.point = t
                if j.point < 16 {
                    B[i.point*3 + k, j.point] = A[k, j.point]
                }
            }
        }
    }
)"));
}

// As many points as threads need no guard; a loop that begins above 0 counts from there.
TEST(DivideWork, ExactlyAsManyPointsAsThreads) {
    EXPECT_EQ(test::after(divide_work, kernel(R"(    bound thread.x for t in 0..32 {
        bound threads for i in 1..33 {
            B[0, i] = A[1, i]
        }
    }
)")),
              kernel(R"(    bound thread.x for t in 0..32 {
        let i.point = t
        B[0, 1 + i.point] = A[1, 1 + i.point]
    }
)"));
}

} // namespace test_divide_work
} // namespace loopscope::lower
