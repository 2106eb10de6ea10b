// Lets move out of loops that they do not depend on.
#include "lower_support.h"

namespace loopscope::lower {
namespace test_hoist_lets {

std::string program(const std::string& lines) {
    return "\nprogram p\ninput n: i32[8]\noutput out: i32[8]\nlaunch p on host (n, out) {\n" +
           lines + "}\n";
}

TEST(HoistLets, MovesWhatTheLoopDoesNotChange) {
    EXPECT_EQ(test::after(hoist_lets, test::on_host("input n: i32[8]\noutput out: i32[8]",
                                                    R"(    for s in 0..2 {
        for y in 0..8 {
            let row = s + 2
            let own = y + row
            let read = n[s]
            let three = 3
            out[y] = row + own + read + three
        }
    }
)")),
              test::on_host("input n: i32[8]\noutput out: i32[8]", R"(    let three = 3
    for s in 0..2 {
        let row = s + 2
        for y in 0..8 {
            let own = y + row
            let read = n[s]
            out[y] = row + own + read + three
        }
    }
)"));
}

// A loop without iterations must not load; what uses such a let stays with it.
TEST(HoistLets, LeavesLoadsAndWhatUsesThem) {
    EXPECT_EQ(test::after(hoist_lets, program(R"(    for y in 0..8 {
        let a = 3
        let b = n[a]
        let c = b + 1
        let d = a + 4
        out[y] = c + d
    }
)")),
              program(R"(    let a = 3
    let d = a + 4
    for y in 0..8 {
        let b = n[a]
        let c = b + 1
        out[y] = c + d
    }
)"));
}

// Behind a statement, or in a condition, a let is not the loop's beginning.
TEST(HoistLets, LeavesWhatDoesNotBeginTheLoop) {
    const auto text = program(R"(    for y in 0..8 {
        out[y] = 1
        let r = 3
        out[y] = r
    }
    for s in 0..8 {
        for x in 0..8 {
            if x < 4 {
                let q = s + 2
                out[x] = q
            }
        }
    }
)");
    EXPECT_EQ(test::after(hoist_lets, text), text);
}

// The dimensions of a launch stay one inside the other; a loop inside of them is one as any.
TEST(HoistLets, LeavesDimensionsOfALaunch) {
    const auto kernel = [](const std::string& lines) {
        return "\nprogram p\noutput out: i32[8, 8]\nlaunch p on device (out) {\n"
               "    bound block.x for b in 0..8 {\n        bound thread.x for t in 0..8 {\n" +
               lines + "        }\n    }\n}\n";
    };
    EXPECT_EQ(test::after(hoist_lets, kernel(R"(            let r = b*2
            for i in 0..1 {
                let q = b*3
                out[b, t] = r + q
            }
)")),
              kernel(R"(            let r = b*2
            let q = b*3
            for i in 0..1 {
                out[b, t] = r + q
            }
)"));
}

} // namespace test_hoist_lets
} // namespace loopscope::lower
