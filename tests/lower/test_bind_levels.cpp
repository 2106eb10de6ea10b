// Loops that a schedule binds to levels become the dimensions of their launch.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_bind_levels {

using ::testing::HasSubstr;

std::string kernel(const std::string& lines) {
    return test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]", lines);
}

TEST(BindLevels, LoopsBecomeDimensions) {
    EXPECT_EQ(test::after(bind_levels, kernel(R"(    bound block.x for y in 0..64 {
        bound thread.x for x in 0..64 {
            B[y, x] = A[y, x]
        }
    }
)")),
              kernel(R"(    bound block.x for block_x in 0..64 {
        bound thread.x for thread_x in 0..64 {
            B[block_x, thread_x] = A[block_x, thread_x]
        }
    }
)"));
}

// The block has the most threads that any loop asks for; others are masked, and so is what no loop
// encloses.
TEST(BindLevels, FewerThreadsAreMasked) {
    EXPECT_EQ(test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        bound thread.y for y in 0..2 {
            bound thread.x for x in 0..32 {
                B[y, x] = A[y, x]
            }
        }
        bound thread.x for x2 in 0..64 {
            B[b, x2] = A[b, x2]
        }
    }
)")),
              kernel(R"(    bound block.x for block_x in 0..8 {
        bound thread.y for thread_y in 0..2 {
            bound thread.x for thread_x in 0..64 {
                if thread_x < 32 {
                    B[thread_y, thread_x] = A[thread_y, thread_x]
                }
                if thread_y < 1 {
                    B[block_x, thread_x] = A[block_x, thread_x]
                }
            }
        }
    }
)"));
}

// What a thread computes for itself, it computes in every thread.
TEST(BindLevels, OwnMemoryIsNotMasked) {
    const auto text = test::after(bind_levels, kernel(R"(    allocate r: f32[1] in register
    r[0] = A[0, 0]
    bound thread.x for x in 0..64 {
        B[0, x] = r[0]
    }
)"));
    EXPECT_THAT(text, HasSubstr("        r[0] = A[0, 0]\n        B[0, thread_x] = r[0]\n")) << text;
}

// One thread does what others see, and all of them what they have for themselves, in one loop.
TEST(BindLevels, OwnMemoryBesideWhatOthersSeeIsNotMasked) {
    const auto text = test::after(bind_levels, kernel(R"(    allocate r: f32[4] in register
    for i in 0..4 {
        B[0, i] = A[0, i]
        allocate q: f32[1] in register
        q[0] = B[0, i]
        r[i] = q[0]
    }
    bound thread.x for x in 0..64 {
        B[1, x] = r[x%4]
    }
)"));
    EXPECT_THAT(text, HasSubstr(R"(if thread_x < 1 {
                B[0, i] = A[0, i]
            }
            allocate q: f32[1] in register
            q[0] = B[0, i]
            r[i] = q[0]
        }
        B[1, thread_x] = r[thread_x%4]
)")) << text;
}

// Work of all threads stands in no mask, whatever loops are around it.
TEST(BindLevels, WorkOfAllIsNotMasked) {
    const auto text = test::after(bind_levels, kernel(R"(    bound thread.y for y in 0..2 {
        bound thread.x for x in 0..16 {
            allocate s: f32[64] in shared
            bound threads for i in 0..64 {
                s[i] = A[0, i]
            }
            B[y, x] = s[x]
        }
    }
    bound thread.x for x2 in 0..64 {
        B[8, x2] = A[8, x2]
    }
)"));
    EXPECT_THAT(text, HasSubstr(R"(bound threads for i in 0..64 {
                    s[i] = A[0, i]
                })"))
        << text;
    EXPECT_THAT(text, HasSubstr("if thread_x < 16 {")) << text;
}

TEST(BindLevels, Warps) {
    const auto text = test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        bound warp for w in 0..4 {
            bound thread.x for x in 0..32 {
                B[b*4 + w, x] = A[b*4 + w, x]
            }
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("bound thread.y for thread_y in 0..4 {"));
    EXPECT_THAT(text, HasSubstr("bound thread.x for thread_x in 0..32 {"));
    EXPECT_THAT(text, HasSubstr("B[block_x*4 + thread_y, thread_x]"));
}

TEST(BindLevels, Clusters) {
    const auto text = test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        bound cluster.x for c in 0..2 {
            bound thread.x for x in 0..64 {
                B[b*2 + c, x] = A[b*2 + c, x]
            }
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("bound block.x for block_x in 0..8 {\n"
                                "        bound cluster.x for cluster_x in 0..2 {\n"));
    EXPECT_THAT(text, HasSubstr("B[block_x*2 + cluster_x, thread_x]"));
}

} // namespace test_bind_levels
} // namespace loopscope::lower
