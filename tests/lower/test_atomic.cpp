// Atomic stores through the passes.
#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(Atomic, EveryLaneCombines) {
    EXPECT_EQ(test::after(vectorize, R"(
program atomic
input u: i32[10]
output H: i32[16]
launch atomic on host (u, H) {
    for xo in 0..2 {
        vectorised for x in 0..8 {
            if xo*8 + x < 10 {
                atomic H[u[xo*8 + x] % 16] += 1
                atomic H[3] max= x
            }
        }
    }
}
)"),
              R"(
program atomic
input u: i32[10]
output H: i32[16]
launch atomic on host (u, H) {
    for xo in 0..2 {
        if xo*8 + 0 < 10 {
            let x.mask_1 = broadcast(xo*8, 8) + ramp(0, 1, 8) < broadcast(10, 8)
            atomic H[u[broadcast(xo*8, 8) + ramp(0, 1, 8) where x.mask_1]%broadcast(16, 8) where x.mask_1] += broadcast(1, 8)
            allocate H.lanes_1: i32[8] in register
            H.lanes_1[ramp(0, 1, 8)] = select(x.mask_1, ramp(0, 1, 8), broadcast(-2147483648, 8))
            H.lanes_1[ramp(0, 1, 4)] = max(H.lanes_1[ramp(0, 1, 4)], H.lanes_1[ramp(4, 1, 4)])
            H.lanes_1[ramp(0, 1, 2)] = max(H.lanes_1[ramp(0, 1, 2)], H.lanes_1[ramp(2, 1, 2)])
            H.lanes_1[0] = max(H.lanes_1[0], H.lanes_1[1])
            atomic H[3] max= H.lanes_1[0]
        }
    }
}
)");
}

TEST(Atomic, ANestCombinesOnce) {
    EXPECT_EQ(test::after(lane_accumulators, R"(
program atomic
input A: f32[8, 100]
output s: f32[4]
launch atomic on host (A, s) {
    parallel for ko in 0..8 {
        for i in 0..4 {
            for k in 0..100 {
                atomic s[i] += A[ko, k]
            }
            for l in 0..4 {
                atomic s[l] += s[0]
            }
        }
    }
}
)"),
              R"(
program atomic
input A: f32[8, 100]
output s: f32[4]
launch atomic on host (A, s) {
    parallel for ko in 0..8 {
        for i in 0..4 {
            allocate s.lanes_1: f32[1] in register {
                s.lanes_1[0] = -0.0
                for k in 0..100 {
                    s.lanes_1[0] = s.lanes_1[0] + A[ko, k]
                }
                atomic s[i] += s.lanes_1[0]
            }
            for l in 0..4 {
                atomic s[l] += s[0]
            }
        }
    }
}
)");
}

TEST(Atomic, SimplifyKeepsOneOperationALane) {
    EXPECT_EQ(test::after(simplify, R"(
program atomic
output H: i32[2]
output all: bool[1]
launch atomic on host (H, all) {
    atomic H[broadcast(0, 8)] += broadcast(1 + 1, 8)
    atomic H[ramp(0, 0, 4) where broadcast(2 < 3, 4)] += broadcast(1, 4)
    atomic all[0] and= 1 < 2
    atomic H[ramp(0, 1, 2) where broadcast(false, 2)] += broadcast(1, 2)
}
)"),
              R"(
program atomic
output H: i32[2]
output all: bool[1]
launch atomic on host (H, all) {
    atomic H[broadcast(0, 8)] += broadcast(2, 8)
    atomic H[broadcast(0, 4)] += broadcast(1, 4)
    atomic all[0] and= true
}
)");
}

TEST(Atomic, IsFlattenedAndNeverPromoted) {
    const char* text = R"(
program atomic
output H: i32[4, 4]
launch atomic on host (H) {
    parallel for y in 0..4 {
        for k in 0..8 {
            atomic H[1, 2] += k
        }
    }
}
)";
    EXPECT_EQ(test::after(promote_accumulators, text), text);
    EXPECT_NE(test::after(flatten, text).find("atomic H[6] += k"), std::string::npos);
}

TEST(Atomic, CopiesOfLoopsRenameItsBuffer) {
    auto text = test::after(unroll, R"(
program atomic
output H: i32[4]
launch atomic on host (H) {
    unrolled for y in 0..2 {
        allocate t: i32[1] in register
        t[0] = 0
        atomic t[0] += y
        atomic H[y] += t[0]
    }
}
)");
    EXPECT_NE(text.find("atomic t_1[0] += 1"), std::string::npos) << text;
}

TEST(Atomic, OnlyOperationsThatCombineVerify) {
    auto program = test::parsed(R"(
program atomic
output H: i32[4]
launch atomic on host (H) {
    atomic H[0] += 1
}
)");
    auto with = [&](Op op) {
        auto copy = program;
        copy.launches[0].body = atomic({}, "H", {constant_int(ScalarType::I32, 0)}, op,
                                       constant_int(ScalarType::I32, 1));
        return format(verify(copy));
    };
    EXPECT_EQ(with(Op::Max), "");
    EXPECT_NE(with(Op::Subtract).find("an atomic -"), std::string::npos);
    EXPECT_NE(with(Op::LogicalAnd).find("an atomic and of i32"), std::string::npos);
    auto missing = parse_program("program p\noutput H: i32[4]\nlaunch p on host (H) {\n    atomic "
                                 "H[0] = 1\n}\n");
    EXPECT_FALSE(missing.ok());
}

} // namespace
} // namespace loopscope::lower
