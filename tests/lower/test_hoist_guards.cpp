// Conditions around whole loops move out of them, or become their bounds.
#include "lower_support.h"

namespace loopscope::lower {
namespace test_hoist_guards {

std::string program(const std::string& lines) {
    return "\nprogram p\ninput n: i32[8]\noutput out: i32[8]\nlaunch p on host (n, out) {\n" +
           lines + "}\n";
}

TEST(HoistGuards, MovesThemOutAndIntoBounds) {
    EXPECT_EQ(
        test::after(hoist_guards, test::on_host("output out: f32[100, 8]", R"(    for s in 0..8 {
        for yo in 0..4 {
            for yi in 0..32 {
                if s < 7 and yo*32 + yi < 100 {
                    out[yo*32 + yi, s] = 0.0
                }
            }
        }
        vectorised for v in 0..8 {
            if s < 7 and v + s < 9 {
                out[v, s] = 0.0
            }
        }
    }
)")),
        test::on_host("output out: f32[100, 8]", R"(    for s in 0..8 {
        if s < 7 {
            for yo in 0..4 {
                for yi in 0..min(32, 100 - (yo*32 + 0)) {
                    out[yo*32 + yi, s] = 0.0
                }
            }
        }
        if s < 7 {
            vectorised for v in 0..8 {
                if v + s < 9 {
                    out[v, s] = 0.0
                }
            }
        }
    }
)"));
}

// With an else both parts run; what loads may not be asked where the loop has no iterations; a
// parallel loop keeps its extent, and a step of two is no bound.
TEST(HoistGuards, LeavesElseLoadsOtherLoopsAndOtherSteps) {
    const auto text = program(R"(    for s in 0..8 {
        for y in 0..8 {
            if y + s < 6 {
                out[y] = 1
            } else {
                out[y] = 2
            }
        }
        for y_1 in 0..8 {
            if n[s] > 2 and y_1 < n[1] {
                out[y_1] = 1
            }
        }
        parallel for y_2 in 0..8 {
            if y_2 + s < 6 {
                out[y_2] = 1
            }
        }
        for y_3 in 0..8 {
            if 2*y_3 + s < 6 {
                out[y_3] = 1
            }
        }
    }
)");
    EXPECT_EQ(test::after(hoist_guards, text), text);
}

// A loop that begins above 0, and `<=`: one iteration too many, or too few, would be the mistake.
TEST(HoistGuards, CountFromWhereTheLoopBegins) {
    EXPECT_EQ(test::after(hoist_guards, program(R"(    for s in 0..8 {
        for y in 2..6 {
            if y + s <= 6 {
                out[y] = 1
            }
        }
    }
)")),
              program(R"(    for s in 0..8 {
        for y in 2..+min(4, 6 - (2 + s) + 1) {
            out[y] = 1
        }
    }
)"));
}

// A sum that may wrap says nothing of where the loop ends; nor does a condition around a part of
// the body.
TEST(HoistGuards, LeavesSumsThatMayWrapAndPartsOfBodies) {
    const auto text = program(R"(    let m = n[0]
    for y in 0..8 {
        if y + m < 6 {
            out[y] = 1
        }
    }
    for y_1 in 0..8 {
        if y_1 < 6 {
            out[y_1] = 1
        }
        out[2] = 1
    }
)");
    EXPECT_EQ(test::after(hoist_guards, text), text);
}

} // namespace test_hoist_guards
} // namespace loopscope::lower
