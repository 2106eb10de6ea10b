// ALCOP's pipelines (section III), step by step on the program of its Fig. 7, and variants.
#include "lower_support.h"

#include "compiler/lower/gpu/pipelining/analysis.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace {

using ::testing::HasSubstr;

// Fig. 7's input: a tile of A in shared memory, a fragment of it in registers. What its wmma does
// is a plain accumulation here. Extents: C_k / TB_tile_k = 8, TB_tile_k / Warp_tile_k = 4.
const char* const kInput = R"(
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

using PassFunction = Program (*)(const Program&, const TargetInfo&);
constexpr PassFunction kSteps[] = {plan_pipelines, expand_pipelines, shift_pipelines,
                                   wrap_pipelines, fill_pipelines,   synchronize_pipelines,
                                   skip_pipelines};

Program after_steps(const std::string& text, std::size_t count) {
    auto program = test::parsed(text);
    for (std::size_t i = 0; i < count; ++i) {
        program = kSteps[i](program, TargetInfo{});
        auto errors = verify(program);
        EXPECT_TRUE(errors.empty()) << "step " << i << "\n" << format(errors) << to_text(program);
    }
    return program;
}

TEST(Pipelining, AnalysisOfFigure7) {
    auto plan = pipelining::analyse(test::parsed(kInput).launches[0].body);
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

TEST(Pipelining, MemoryIsExpandedAroundTheLoop) { // III-B, first step; lines 5 and 6
    const auto text = to_text(after_steps(kInput, 2));
    EXPECT_THAT(text, HasSubstr(R"(
        allocate A_shared: f16[3, 16, 16] in shared rotate 3 over ko as A_shared.copies {
            allocate A_reg: f16[2, 4] in register rotate 2 over ki as A_reg.copies
            for ko in 0..8 {
)"));
}

TEST(Pipelining, LoadsMoveAhead) { // second step
    const auto text = to_text(after_steps(kInput, 3));
    EXPECT_THAT(text, HasSubstr("A_shared[ko.ahead, i, k] = A[i, ko.ahead*16 + k]"));
    EXPECT_THAT(text, HasSubstr("let ko.ahead = ko + 2"));
    EXPECT_THAT(text, HasSubstr("A_reg[ki.ahead, w] = A_shared[ko, t, ki.ahead*4 + w]"));
    EXPECT_THAT(text, HasSubstr("let ki.ahead = ki + 1"));
}

TEST(Pipelining, IndicesRollAndWrap) { // third step; lines 16 and 25 to 26
    const auto text = to_text(after_steps(kInput, 4));
    EXPECT_THAT(text, HasSubstr("A_shared[ko.ahead%3, i, k] = A[i, ko.next*16 + k]"));
    EXPECT_THAT(text, HasSubstr("let ko.next = ko.ahead%8"));
    EXPECT_THAT(text, HasSubstr("A_reg[ki.ahead%2, w] = A_shared[ko.carried%3, t, ki.next*4 + w]"));
    EXPECT_THAT(text, HasSubstr("let ko.carried = ko + ki.ahead/4"));
    EXPECT_THAT(text, HasSubstr("acc[0] + f32(A_reg[ki%2, u])"));
}

// The whole of Fig. 7's transformed program. It differs in two ways: before the prologue of A_reg
// it waits for A_shared, and the wait of line 22 is asked for by ki == 3, which is what (ki + 1) %
// 4 == 0 says.
TEST(Pipelining, Figure7) {
    EXPECT_EQ("\n" + to_text(after_steps(kInput, 6)), R"(
program fig7
input A: f16[16, 128]
output C: f32[16]
launch C on device (A, C) {
    bound thread.x for t in 0..16 {
        allocate acc: f32[1] in register
        acc[0] = 0.0
        allocate A_shared: f16[3, 16, 16] in shared {
            allocate A_reg: f16[2, 4] in register
            unrolled for ko.first in 0..2 {
                acquire A_shared.copies
                let ko.next_1 = ko.first%8 {
                    bound threads for i_1 in 0..16 {
                        bound threads for k_1 in 0..16 {
                            copy A_shared.copies A_shared[ko.first%3, i_1, k_1] = A[i_1, ko.next_1*16 + k_1]
                        }
                    }
                }
                commit A_shared.copies
            }
            wait A_shared.copies 1
            unrolled for ki.first in 0..1 {
                let ko.carried_1 = 0 + ki.first/4
                let ki.next_1 = ki.first%4
                for w_1 in 0..4 {
                    A_reg[ki.first%2, w_1] = A_shared[ko.carried_1%3, t, ki.next_1*4 + w_1]
                }
            }
            for ko in 0..8 {
                let ko.ahead = ko + 2 {
                    acquire A_shared.copies
                    let ko.next = ko.ahead%8 {
                        bound threads for i in 0..16 {
                            bound threads for k in 0..16 {
                                copy A_shared.copies A_shared[ko.ahead%3, i, k] = A[i, ko.next*16 + k]
                            }
                        }
                    }
                    commit A_shared.copies
                }
                for ki in 0..4 {
                    if ki == 3 {
                        wait A_shared.copies 1
                    }
                    let ki.ahead = ki + 1 {
                        let ko.carried = ko + ki.ahead/4
                        let ki.next = ki.ahead%4
                        for w in 0..4 {
                            A_reg[ki.ahead%2, w] = A_shared[ko.carried%3, t, ki.next*4 + w]
                        }
                    }
                    for u in 0..4 {
                        acc[0] = acc[0] + f32(A_reg[ki%2, u])
                    }
                }
                release A_shared.copies
            }
        }
        C[t] = acc[0]
    }
}
)");
}

TEST(Pipelining, NothingIsLoadedBeyondTheEnd) {
    const auto text = to_text(after_steps(kInput, 7));
    EXPECT_THAT(text, HasSubstr(R"(
                    acquire A_shared.copies
                    if ko.ahead < 8 {
                        bound threads for i in 0..16 {
                            bound threads for k in 0..16 {
                                copy A_shared.copies A_shared[ko.ahead%3, i, k] = A[i, ko.ahead*16 + k]
                            }
                        }
                    }
                    commit A_shared.copies
)"));
    EXPECT_THAT(text, HasSubstr("if ko.carried < 8 {"));
}

// One level: it waits first, so that one barrier serves what has arrived and the slot that is free.
TEST(Pipelining, OneLevelWaitsBeforeItLoads) {
    std::string text = kInput;
    text.replace(text.find(" rotate 2"), 9, "");
    const auto after = to_text(after_steps(text, 7));
    EXPECT_LT(after.find("wait A_shared.copies 1"), after.find("let ko.ahead"));
    EXPECT_EQ(after.find("wait A_shared.copies 1", after.find("let ko.ahead")), std::string::npos);
}

// Iterations of the inner loop that are no multiple of its copies: they count through the outer
// loop.
TEST(Pipelining, InnerCopiesCountThrough) {
    std::string text = kInput;
    text.replace(text.find(" rotate 2"), 9, " rotate 3");
    const auto after = to_text(after_steps(text, 4));
    EXPECT_THAT(after, HasSubstr("A_reg[(ko*4 + ki.ahead)%3, w]"));
    EXPECT_THAT(after, HasSubstr("f32(A_reg[(ko*4 + ki)%3, u])"));
}

// More stages than the inner loop has iterations: its first loads would be of more than one
// iteration of the outer loop.
TEST(Pipelining, ADeepInnerLevelIsAPipelineOfItsOwn) {
    std::string text = kInput;
    text.replace(text.find(" rotate 2"), 9, " rotate 8");
    auto plan = pipelining::analyse(test::parsed(text).launches[0].body);
    ASSERT_EQ(plan.size(), 2u);
    EXPECT_EQ(plan[1].prologue_at, "ki");
    EXPECT_EQ(plan[1].outer, "");
}

// What is computed, and not copied, is not pipelined (rule 1); nor what no loop fills anew (rule
// 2). A computed buffer is no level: what is copied from it is filled where it is, and not with
// what is pipelined over two levels.
TEST(Pipelining, ALevelInsideOfAComputedOne) {
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
    after_steps(text, std::size(kSteps)); // each step's program is verified
}

TEST(Pipelining, WhatIsNoCopyStays) {
    std::string text = kInput;
    text.replace(text.find("= A[i, ko*16 + k]"), 17, "= A[i, ko*16 + k]*2.0");
    EXPECT_EQ(to_text(after_steps(text, 1)).find("over ko"), std::string::npos);
    text.replace(text.find(" rotate 2"), 9, "");
    EXPECT_EQ(to_text(after_steps(text, 1)).find("rotate"), std::string::npos)
        << "no hint is left where nothing is pipelined";
}

} // namespace
} // namespace loopscope::lower
