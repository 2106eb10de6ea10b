// ALCOP's analysis (III-A): what is loaded ahead, at which loop.
#include "pipelining_support.h"

#include "compiler/lower/gpu/pipelining/analysis.h"

namespace loopscope::lower {
namespace test_plan_pipelines {

TEST(PlanPipelines, AnalysisOfFigure7) {
    auto plan = pipelining::analyse(test::parsed(test::kFigure7).launches[0].body);
    ASSERT_EQ(plan.size(), 2u);
    EXPECT_EQ(plan[0].buffer, "A_shared");
    EXPECT_EQ(plan[0].copies, 3);
    EXPECT_EQ(plan[0].source, "A");
    EXPECT_EQ(plan[0].outer, "");
    EXPECT_EQ(plan[0].loop, "ko");
    EXPECT_EQ(plan[0].prologue_at, "ko");
    EXPECT_EQ(plan[1].buffer, "A_reg");
    EXPECT_EQ(plan[1].copies, 2);
    EXPECT_EQ(plan[1].source, "A_shared");
    EXPECT_EQ(plan[1].outer, "A_shared");
    EXPECT_EQ(plan[1].loop, "ki");
    EXPECT_EQ(plan[1].prologue_at,
              "ko"); // Fig. 3 d: one pipeline, and not one for each iteration of ko
}

// More stages than the inner loop has iterations: its first loads would be of more than one
// iteration of the outer loop.
TEST(PlanPipelines, ADeepInnerLevelIsAPipelineOfItsOwn) {
    std::string text = test::kFigure7;
    text.replace(text.find(" rotate 2"), 9, " rotate 8");
    auto plan = pipelining::analyse(test::parsed(text).launches[0].body);
    ASSERT_EQ(plan.size(), 2u);
    EXPECT_EQ(plan[1].prologue_at, "ki");
    EXPECT_EQ(plan[1].outer, "");
}

// What is computed, and not copied, is not pipelined (rule 1); nor what no loop fills anew (rule
// 2). A computed buffer is no level: what is copied from it is filled where it is, and not with
// what is pipelined over two levels.
TEST(PlanPipelines, ALevelInsideOfAComputedOne) {
    const std::string text = R"(
program two_factors
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
            allocate B_shared: f16[16] in shared rotate 3
            bound threads for j in 0..16 {
                B_shared[j] = A[j, ko*16]*2.0
            }
            for ki in 0..4 {
                allocate A_reg: f16[4] in register rotate 2
                for w in 0..4 {
                    A_reg[w] = A_shared[t, ki*4 + w]
                }
                allocate B_reg: f16[1] in register rotate 2
                B_reg[0] = B_shared[ki*4]
                for u in 0..4 {
                    acc[0] = acc[0] + f32(A_reg[u]) + f32(B_reg[0])
                }
            }
        }
        C[t] = acc[0]
    }
}
)";
    auto plan = pipelining::analyse(test::parsed(text).launches[0].body);
    EXPECT_EQ(pipelining::find(plan, "B_shared"), nullptr);
    const auto *left = pipelining::find(plan, "A_reg"), *right = pipelining::find(plan, "B_reg");
    ASSERT_TRUE(left && right);
    EXPECT_EQ(left->prologue_at, "ko");
    EXPECT_EQ(right->prologue_at, "ki");
    EXPECT_EQ(right->outer, "");
    EXPECT_NE(left->token, right->token);
    test::after_steps(text, skip_pipelines);
}

TEST(PlanPipelines, WhatIsNoCopyStays) {
    std::string text = test::kFigure7;
    text.replace(text.find("= A[i, ko*16 + k]"), 17, "= A[i, ko*16 + k]*2.0");
    EXPECT_EQ(to_text(test::after_steps(text, plan_pipelines)).find("over ko"), std::string::npos);
    text.replace(text.find(" rotate 2"), 9, "");
    EXPECT_EQ(to_text(test::after_steps(text, plan_pipelines)).find("rotate"), std::string::npos)
        << "no hint is left where nothing is pipelined";
}

// Iterations that run at once have none that comes later.
TEST(PlanPipelines, AParallelLoopHasNone) {
    auto text = test::one_level(8, " rotate 3");
    text.replace(text.find("for k"), 5, "parallel for k");
    EXPECT_EQ(test::text_after(text, plan_pipelines).find("rotate"), std::string::npos);
}

TEST(PlanPipelines, LeavesWhatIsNotPipelined) {
    const auto text = test::one_level(8, "");
    EXPECT_EQ(test::text_after(text, plan_pipelines), text);
}

} // namespace test_plan_pipelines
} // namespace loopscope::lower
