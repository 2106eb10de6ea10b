// ALCOP III-B, second step: iterations load for later ones.
#include "pipelining_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_shift_pipelines {

using ::testing::HasSubstr;

TEST(ShiftPipelines, LoadsMoveAhead) { // second step
    const auto text = to_text(test::after_steps(test::kFigure7, shift_pipelines));
    EXPECT_THAT(text, HasSubstr("A_shared[ko.ahead, i, k] = A[i, ko.ahead*16 + k]"));
    EXPECT_THAT(text, HasSubstr("let ko.ahead = ko + 2"));
    EXPECT_THAT(text, HasSubstr("A_reg[ki.ahead, w] = A_shared[ko, t, ki.ahead*4 + w]"));
    EXPECT_THAT(text, HasSubstr("let ki.ahead = ki + 1"));
}

// Two ahead of three copies: the third is the one in use.
TEST(ShiftPipelines, OneLessThanThereAreCopies) {
    EXPECT_EQ(test::text_after(test::one_level(8, " rotate 3"), shift_pipelines),
              test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]",
                              R"(    bound thread.x for t in 0..64 {
        allocate s: f32[3, 64] in shared rotate 3 over k as s.copies
        for k in 0..8 {
            let k.ahead = k + 2 {
                bound threads for i in 0..64 {
                    s[k.ahead, i] = A[k.ahead, i]
                }
            }
            B[k, t] = s[k, 63 - t]
        }
    }
)"));
}

TEST(ShiftPipelines, LeavesWhatIsNotPipelined) {
    const auto text = test::one_level(8, "");
    EXPECT_EQ(test::text_after(text, shift_pipelines), text);
}

} // namespace test_shift_pipelines
} // namespace loopscope::lower
