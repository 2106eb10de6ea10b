// Hoisting, unrolling, flattening, and the list of passes: before and after. The larger passes have
// files of their own.
#include "lower_support.h"

#include <set>

namespace loopscope::lower {
namespace {

TEST(HoistLets, MovesWhatTheLoopDoesNotChange) {
    EXPECT_EQ(test::after(hoist_lets, R"(
program p
input n: i32[8]
output out: i32[8]
launch p on host (n, out) {
    for s in 0..2 {
        for y in 0..8 {
            let row = s + 2
            let own = y + row
            let read = n[s]
            let three = 3
            out[y] = row + own + read + three
        }
    }
}
)"),
              R"(
program p
input n: i32[8]
output out: i32[8]
launch p on host (n, out) {
    let three = 3
    for s in 0..2 {
        let row = s + 2
        for y in 0..8 {
            let own = y + row
            let read = n[s]
            out[y] = row + own + read + three
        }
    }
}
)");
}

TEST(HoistGuards, MovesThemOutAndIntoBounds) {
    EXPECT_EQ(test::after(hoist_guards, R"(
program p
output out: f32[100, 8]
launch p on host (out) {
    for s in 0..8 {
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
}
)"),
              R"(
program p
output out: f32[100, 8]
launch p on host (out) {
    for s in 0..8 {
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
}
)");
}

TEST(Unroll, CopiesWithUniqueNames) {
    EXPECT_EQ(test::after(unroll, R"(
program p
output out: i32[8]
launch p on host (out) {
    for s in 0..2 {
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
}
)"),
              R"(
program p
output out: i32[8]
launch p on host (out) {
    for s in 0..2 {
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
}
)");
}

TEST(Flatten, RowMajorWithTheWidthThatRangesAllow) {
    EXPECT_EQ(test::after(flatten, R"(
program p
symbol L = 16
input A: f32[20, 30]
input big: f32[70000, 70000]
input s: f32[L, 2*L]
output out: f32[20, 8]
launch p on host (A, big, s, out) {
    for y in 0..8 {
        out[y, ramp(0, 1, 8)] = A[y + 1, ramp(0, 2, 8)] + broadcast(big[y, 3] + s[y, 1], 8)
    }
    out[0, ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)] = A[0, ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)]
}
)"),
              R"(
program p flat
symbol L = 16
input A: f32[20, 30]
input big: f32[70000, 70000]
input s: f32[L, 2*L]
output out: f32[20, 8]
launch p on host (A, big, s, out) {
    for y in 0..8 {
        out[ramp(y*8, 1, 8)] = A[ramp(y*30 + 30, 2, 8)] + broadcast(big[i64(y)*70000 + 3] + s[i64(y)*(L*2) + 1], 8)
    }
    out[ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)] = A[ramp(0, 1, 8) where ramp(0, 1, 8) < broadcast(3, 8)]
}
)");
}

TEST(Passes, TheListHasUniqueNamesAndStops) {
    std::set<std::string> names{"build"};
    for (const auto& pass : cpu_passes()) {
        EXPECT_TRUE(names.insert(pass.name).second) << pass.name;
        EXPECT_TRUE(std::string(pass.summary).size() > 10);
    }
    auto program = test::parsed("program p\noutput out: f32[4, 4]\nlaunch p on host (out) "
                                "{\nvectorised for x in 0..4 {\nout[0, x] = 1.0\n}\n}\n");
    LowerOptions options;
    options.verify_each = true;
    options.stop_after = "build";
    EXPECT_TRUE(equal(*run_passes(program, options), program));
    options.stop_after = "vectorize";
    EXPECT_NE(to_text(*run_passes(program, options)).find("out[0, ramp(0, 1, 4)]"),
              std::string::npos);
    options.stop_after = "";
    EXPECT_TRUE(run_passes(program, options)->flat);
    options.stop_after = "nonsense";
    auto failed = run_passes(program, options);
    ASSERT_FALSE(failed.ok());
    EXPECT_NE(format(failed.errors()).find("lane_accumulators, vectorize, half_accumulations"),
              std::string::npos);
}

} // namespace
} // namespace loopscope::lower
