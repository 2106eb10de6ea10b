// Virtual threads are one thread's statements in turn.
#include "lower_support.h"

namespace loopscope::lower {
namespace test_virtual_threads {

std::string kernel(const std::string& lines) {
    return test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]", lines);
}

TEST(VirtualThreads, WorkOfAllIsDoneOnce) {
    EXPECT_EQ(test::after(virtual_threads, kernel(R"(    bound thread.x for t in 0..32 {
        bound vthread for v in 0..2 {
            allocate acc: f32[1] in register
            acc[0] = 0.0
            for k in 0..8 {
                allocate s: f32[64] in shared
                bound threads for i in 0..64 {
                    s[i] = A[k, i]
                }
                acc[0] = acc[0] + s[32*v + t]
            }
            B[v, t] = acc[0]
        }
    }
)")),
              kernel(R"(    bound thread.x for t in 0..32 {
        allocate acc: f32[2, 1] in register
        unrolled for v_1 in 0..2 {
            acc[v_1, 0] = 0.0
        }
        for k in 0..8 {
            allocate s: f32[64] in shared
            bound threads for i in 0..64 {
                s[i] = A[k, i]
            }
            unrolled for v_2 in 0..2 {
                acc[v_2, 0] = acc[v_2, 0] + s[32*v_2 + t]
            }
        }
        unrolled for v_3 in 0..2 {
            B[v_3, t] = acc[v_3, 0]
        }
    }
)"));
}

TEST(VirtualThreads, WorkOfAllReadsWhatTheFirstHas) {
    EXPECT_EQ(test::after(virtual_threads, kernel(R"(    bound thread.x for t in 0..32 {
        bound vthread for v in 0..2 {
            allocate own: f32[64] in local
            for i in 0..64 {
                own[i] = A[v, i]
            }
            allocate s: f32[64] in shared
            bound threads for j in 0..64 {
                s[j] = own[j]
            }
            B[v, t] = s[t] + own[t]
        }
    }
)")),
              kernel(R"(    bound thread.x for t in 0..32 {
        allocate own: f32[2, 64] in local
        for i in 0..64 {
            unrolled for v_1 in 0..2 {
                own[v_1, i] = A[v_1, i]
            }
        }
        allocate s: f32[64] in shared
        bound threads for j in 0..64 {
            s[j] = own[0, j]
        }
        unrolled for v_2 in 0..2 {
            B[v_2, t] = s[t] + own[v_2, t]
        }
    }
)"));
}

// What no virtual thread encloses stays one; lets and conditions move inwards with the statement.
TEST(VirtualThreads, WhatIsOutsideIsOne) {
    EXPECT_EQ(test::after(virtual_threads, kernel(R"(    bound thread.x for t in 0..32 {
        allocate r: f32[1] in register
        r[0] = A[0, t]
        bound vthread for v in 0..2 {
            if v < 1 {
                let at = v*2
                B[at, t] = r[0]
            }
        }
    }
)")),
              kernel(R"(    bound thread.x for t in 0..32 {
        allocate r: f32[1] in register
        r[0] = A[0, t]
        unrolled for v_1 in 0..2 {
            if v_1 < 1 {
                let at = v_1*2
                B[at, t] = r[0]
            }
        }
    }
)"));
}

} // namespace test_virtual_threads
} // namespace loopscope::lower
