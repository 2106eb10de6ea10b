// ALCOP III-B, fourth step: prologues load what the first iterations use.
#include "pipelining_support.h"

namespace loopscope::lower {
namespace test_fill_pipelines {

TEST(FillPipelines, WhatTheFirstIterationsUse) {
    EXPECT_EQ(test::text_after(test::one_level(8, " rotate 3"), fill_pipelines),
              test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]",
                              R"(    bound thread.x for t in 0..64 {
        allocate s: f32[3, 64] in shared rotate 3 over k as s.copies
        unrolled for k.first in 0..2 {
            let k.next_1 = k.first%8
            bound threads for i_1 in 0..64 {
                s[k.first%3, i_1] = A[k.next_1, i_1]
            }
        }
        for k in 0..8 {
            let k.ahead = k + 2 {
                let k.next = k.ahead%8
                bound threads for i in 0..64 {
                    s[k.ahead%3, i] = A[k.next, i]
                }
            }
            B[k, t] = s[k%3, 63 - t]
        }
    }
)"));
}

// That of an inner level stands behind that of the outer one, whose first slot it reads.
TEST(FillPipelines, InnerLevelsBehindOuterOnes) {
    const auto text = test::text_after(test::kFigure7, fill_pipelines);
    const auto outer = text.find("for ko.first in 0..2"), inner = text.find("for ki.first in 0..1"),
               loop = text.find("for ko in 0..8");
    EXPECT_LT(outer, inner);
    EXPECT_LT(inner, loop);
    EXPECT_NE(text.find("A_reg[ki.first%2, w_1] = A_shared[ko.carried_1%3, t, ki.next_1*4 + w_1]"),
              std::string::npos)
        << text;
}

// The loads of a loop that is shorter than its pipeline wrap around: the last slot is loaded too,
// and nobody uses it.
TEST(FillPipelines, ALoopShorterThanItsPipeline) {
    EXPECT_NE(test::text_after(test::one_level(2, " rotate 4"), fill_pipelines).find(R"(
        unrolled for k.first in 0..3 {
            let k.next_1 = k.first%2
)"),
              std::string::npos);
}

TEST(FillPipelines, LeavesWhatIsNotPipelined) {
    const auto text = test::one_level(8, "");
    EXPECT_EQ(test::text_after(text, fill_pipelines), text);
}

} // namespace test_fill_pipelines
} // namespace loopscope::lower
