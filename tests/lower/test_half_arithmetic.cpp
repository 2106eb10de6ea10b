// half_arithmetic, by example; that it keeps every bit is tested in
// tests/run/test_half_programs.cpp.
#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(HalfArithmetic, EveryOperationRoundsOnce) {
    EXPECT_EQ(test::after(half_arithmetic, R"(
program half
input A: f16[8]
input B: bf16[8]
output out: f16[8]
output less: bool[8]
launch half on host (A, B, out, less) {
    for x in 0..8 {
        let t = A[x]*A[x + 1] + 1.0
        out[x] = select(t < out[x], -t, f16(B[x]))
        less[x] = A[x] <= A[0] and bits(A[x]) > 3
    }
}
)"),
              R"(
program half
input A: f16[8]
input B: bf16[8]
output out: f16[8]
output less: bool[8]
launch half on host (A, B, out, less) {
    for x in 0..8 {
        let t = f16(f32(f16(f32(A[x])*f32(A[x + 1]))) + 1.0)
        out[x] = select(f32(t) < f32(out[x]), f16(-f32(t)), f16(f32(B[x])))
        less[x] = f32(A[x]) <= f32(A[0]) and bits(A[x]) > 3
    }
}
)");
}

TEST(HalfArithmetic, CallsAreOfF32) {
    EXPECT_EQ(test::after(half_arithmetic, R"(
program half
input A: bf16[8]
output out: bf16[8]
launch half on host (A, out) {
    vectorised for x in 0..8 {
        atomic out[x] += pow(exp(A[x]), 2.0)
    }
}
)"),
              R"(
program half
input A: bf16[8]
output out: bf16[8]
launch half on host (A, out) {
    vectorised for x in 0..8 {
        atomic out[x] += bf16(pow(f32(bf16(exp(f32(A[x])))), 2.0))
    }
}
)");
}

TEST(HalfArithmetic, IntegersTooLargeForF32RoundOnce) {
    EXPECT_EQ(test::after(half_arithmetic, R"(
program half
input n: i64[8]
output out: f16[8]
output wide: i32[8]
launch half on host (n, out, wide) {
    for x in 0..8 {
        out[x] = f16(n[x])
        wide[x] = i32(f16(x))
    }
}
)"),
              R"(
program half
input n: i64[8]
output out: f16[8]
output wide: i32[8]
launch half on host (n, out, wide) {
    for x in 0..8 {
        out[x] = f16(f32(min(max(n[x], -131072), 131072)))
        wide[x] = i32(f32(f16(f32(min(max(x, -131072), 131072)))))
    }
}
)");
}

// Reductions of 16-bit floats are still seen as such behind their roundings, and reach vectors.
TEST(HalfArithmetic, ReductionsAreSeenByLaterPasses) {
    auto lowered = run_passes(test::parsed(R"(
program half
input A: f16[64]
output s: f16[1]
output m: bf16[1]
output f: f16[1]
launch half on host (A, s, m, f) {
    vectorised for k in 0..4 {
        s[0] = s[0] + A[k]
    }
    vectorised for l in 0..4 {
        m[0] = max(m[0], bf16(A[l]))
    }
    for no in 0..16 {
        vectorised for n in 0..4 {
            f[0] = fma(A[no*4 + n], 0.5, f[0])
        }
    }
}
)"),
                              {});
    ASSERT_TRUE(lowered) << format(lowered.errors());
    auto text = to_text(*lowered);
    for (const char* line : {
             "s.lanes_1[ramp(0, 1, 4)] = f32(A[ramp(0, 1, 4)])",
             "s[0] = f16(f32(s[0]) + s.lanes_1[3])",
             "m.lanes_1[ramp(0, 1, 2)] = max(m.lanes_1[ramp(0, 1, 2)], m.lanes_1[ramp(2, 1, 2)])",
             "f.lanes_1.register_1[ramp(0, 1, 4)] = f16(let half.p_1 = f32(A[ramp(no*4, 1, "
             "4)])*broadcast(0.5, 4) in",
             "f[0] = f16(f32(f[0]) + f32(f.lanes_2[3]))",
         })
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
    EXPECT_EQ(text.find("for n "), std::string::npos) << text;
}

TEST(HalfArithmetic, OtherTypesStay) {
    const char* text = R"(
program other
input A: f32[8]
output out: f32[8]
launch other on host (A, out) {
    for x in 0..8 {
        out[x] = fma(A[x], 2.0, f32(i16(A[x] + 1.0)))
    }
}
)";
    EXPECT_EQ(test::after(half_arithmetic, text), text);
}

} // namespace
} // namespace loopscope::lower
