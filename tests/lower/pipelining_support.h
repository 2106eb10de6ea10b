#pragma once
// ALCOP's pipelines (section III): programs that they are tried on, and the first steps of them.

#include "lower_support.h"

#include <string>

namespace loopscope::lower::test {

// Fig. 7's input: a tile of A in shared memory, a fragment of it in registers. What its wmma does
// is a plain accumulation here. Extents: C_k / TB_tile_k = 8, TB_tile_k / Warp_tile_k = 4.
constexpr const char* kFigure7 = R"(
program fig7
input A: f16[16, 128]
output C: f32[16]
launch C on device (A, C) {
    bound thread.x for t in 0..16 {
        allocate acc: f32[1] in register
        acc[0] = 0.0
        for ko in 0..8 {
            allocate A_shared: f16[16, 16] in shared rotate 3
            bound threads for i in 0..16 {
                bound threads for k in 0..16 {
                    A_shared[i, k] = A[i, ko*16 + k]
                }
            }
            for ki in 0..4 {
                allocate A_reg: f16[4] in register rotate 2
                for w in 0..4 {
                    A_reg[w] = A_shared[t, ki*4 + w]
                }
                for u in 0..4 {
                    acc[0] = acc[0] + f32(A_reg[u])
                }
            }
        }
        C[t] = acc[0]
    }
}
)";

// One level: what a loop's iterations load into shared memory, and how many slots it has.
inline std::string one_level(int iterations, const std::string& hint) {
    return R"(
program p
input A: f32[64, 64]
output B: f32[64, 64]
launch p on device (A, B) {
    bound thread.x for t in 0..64 {
        for k in 0..)" +
           std::to_string(iterations) + R"( {
            allocate s: f32[64] in shared)" +
           hint + R"(
            bound threads for i in 0..64 {
                s[i] = A[k, i]
            }
            B[k, t] = s[63 - t]
        }
    }
}
)";
}

using PipelineStep = Program (*)(const Program&, const TargetInfo&);

// The steps as far as `last`; each one's program is verified.
inline Program after_steps(const std::string& text, PipelineStep last) {
    constexpr PipelineStep kSteps[] = {plan_pipelines, expand_pipelines, shift_pipelines,
                                       wrap_pipelines, fill_pipelines,   synchronize_pipelines,
                                       skip_pipelines};
    auto program = parsed(text);
    for (const auto step : kSteps) {
        program = step(program, TargetInfo{});
        auto errors = verify(program);
        EXPECT_TRUE(errors.empty()) << format(errors) << to_text(program);
        if (step == last)
            break;
    }
    return program;
}

inline std::string text_after(const std::string& text, PipelineStep last) {
    return "\n" + to_text(after_steps(text, last));
}

} // namespace loopscope::lower::test
