// What half_arithmetic left, so that reductions could be seen, becomes f32 operations too.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_half_accumulations {

using ::testing::HasSubstr;

std::string program(const std::string& lines) {
    return "\nprogram p\ninput h: f16[64]\ninput b: bf16[64]\noutput o: f16[64]\noutput q: "
           "bf16[64]\n"
           "output s: f32[64]\nlaunch p on host (h, b, o, q, s) {\n" +
           lines + "}\n";
}

TEST(HalfAccumulations, RoundOnceEach) {
    EXPECT_EQ(test::after(half_accumulations, program(R"(    for x in 0..8 {
        o[x] = o[x] + h[x]
        atomic q[0] max= b[x]
        if h[x] < o[x] {
            q[x] = max(q[x], b[x])
        }
    }
)")),
              program(R"(    for x in 0..8 {
        o[x] = f16(f32(o[x]) + f32(h[x]))
        atomic q[0] max= b[x]
        if f32(h[x]) < f32(o[x]) {
            q[x] = bf16(max(f32(q[x]), f32(b[x])))
        }
    }
)"));
}

// The product and the sum of a fused multiply-add are rounded together: f32 has no room for the
// exact sum, which is therefore rounded to odd before it is rounded to f16.
TEST(HalfAccumulations, FusedMultiplyAddsRoundToOdd) {
    const auto text =
        test::after(half_accumulations, program("    for x in 0..8 {\n        "
                                                "o[x] = fma(h[x], h[0], o[x])\n    }\n"));
    EXPECT_THAT(text,
                HasSubstr("o[x] = f16(let half.p_1 = f32(h[x])*f32(h[0]) in "
                          "let half.c_1 = f32(o[x]) in let half.t_1 = half.p_1 + half.c_1 in"));
    EXPECT_THAT(text, HasSubstr("from_bits(f32, half.b_1 + select(half.b_1 & 1 == 0,"));
}

// What is rounded already, and what is of f32, is not rounded again.
TEST(HalfAccumulations, LeaveWhatIsDone) {
    const auto text = program(R"(    for x in 0..8 {
        o[x] = f16(f32(o[x]) + f32(f16(f32(h[x])*f32(h[1]))))
        s[x] = fma(s[x], f32(h[x]), 1.0)
        q[x] = b[x]
    }
)");
    EXPECT_EQ(test::after(half_accumulations, text), text);
}

} // namespace test_half_accumulations
} // namespace loopscope::lower
