// ALCOP III-B, fifth step: copies are asynchronous, between the four primitives.
#include "pipelining_support.h"

namespace loopscope::lower {
namespace test_synchronize_pipelines {

// The whole of Fig. 7's transformed program. It differs in two ways: before the prologue of A_reg
// it waits for A_shared, and the wait of line 22 is asked for by ki == 3, which is what (ki + 1) %
// 4 == 0 says.
TEST(SynchronizePipelines, Figure7) {
    EXPECT_EQ("\n" + to_text(test::after_steps(test::kFigure7, synchronize_pipelines)), R"(
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

// One level: it waits first, so that one barrier serves what has arrived and the slot that is free.
TEST(SynchronizePipelines, OneLevelWaitsBeforeItLoads) {
    std::string text = test::kFigure7;
    text.replace(text.find(" rotate 2"), 9, "");
    const auto after = to_text(test::after_steps(text, skip_pipelines));
    EXPECT_LT(after.find("wait A_shared.copies 1"), after.find("let ko.ahead"));
    EXPECT_EQ(after.find("wait A_shared.copies 1", after.find("let ko.ahead")), std::string::npos);
}

// Two copies: when an iteration waits, the group that it waits for is the last one.
TEST(SynchronizePipelines, OfTwoCopiesNoneMayBeOnItsWay) {
    EXPECT_NE(test::text_after(test::one_level(8, " rotate 2"), synchronize_pipelines)
                  .find("wait s.copies 0"),
              std::string::npos);
}

TEST(SynchronizePipelines, LeavesWhatIsNotPipelined) {
    const auto text = test::one_level(8, "");
    EXPECT_EQ(test::text_after(text, synchronize_pipelines), text);
}

} // namespace test_synchronize_pipelines
} // namespace loopscope::lower
