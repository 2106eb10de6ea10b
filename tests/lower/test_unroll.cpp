// Unrolled loops become copies of their bodies.
#include "lower_support.h"

namespace loopscope::lower {
namespace test_unroll {

std::string program(const std::string& lines) {
    return "\nprogram p\ninput n: i32[8]\noutput out: i32[8]\nlaunch p on host (n, out) {\n" +
           lines + "}\n";
}

TEST(Unroll, CopiesWithUniqueNames) {
    EXPECT_EQ(test::after(unroll, test::on_host("output out: i32[8]", R"(    for s in 0..2 {
        unrolled for ii in 4..6 {
            let t = ii*2
            allocate b: i32[1] in register
            b[0] = t
            out[ii] = b[0]
        }
        unrolled for n in s..+2 {
            out[n] = 1
        }
        unrolled for m in 0..s {
            out[m] = 2
        }
    }
)")),
              test::on_host("output out: i32[8]", R"(    for s in 0..2 {
        let t = 4*2 {
            allocate b: i32[1] in register
            b[0] = t
            out[4] = b[0]
        }
        let t_1 = 5*2 {
            allocate b_1: i32[1] in register
            b_1[0] = t_1
            out[5] = b_1[0]
        }
        out[s] = 1
        out[s + 1] = 1
        for m in 0..s {
            out[m] = 2
        }
    }
)"));
}

// No iterations, no copies: what they would store is never stored.
TEST(Unroll, NothingOfALoopWithoutIterations) {
    EXPECT_EQ(test::after(unroll, program(R"(    unrolled for a in 3..3 {
        out[a] = 1
    }
    out[0] = 2
)")),
              program(R"(    out[0] = 2
)"));
}

// What is only known when the program runs stays a loop, a serial one, and is copied as one.
TEST(Unroll, OtherExtentsBecomeSerialLoops) {
    EXPECT_EQ(test::after(unroll, program(R"(    unrolled for a in 0..2 {
        unrolled for b in 0..n[a] {
            out[b] = a
        }
    }
)")),
              program(R"(    for b in 0..n[0] {
        out[b] = 0
    }
    for b_1 in 0..n[1] {
        out[b_1] = 1
    }
)"));
}

// Copies of more than a million parts are not made.
TEST(Unroll, LeavesWhatWouldBeTooMuch) {
    EXPECT_EQ(test::after(unroll, program(R"(    unrolled for a in 0..1000000 {
        out[0] = a
    }
)")),
              program(R"(    for a in 0..1000000 {
        out[0] = a
    }
)"));
}

} // namespace test_unroll
} // namespace loopscope::lower
