// ALCOP III-B, third step: copies of memory roll, and loads ahead wrap around.
#include "pipelining_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_wrap_pipelines {

using ::testing::HasSubstr;

TEST(WrapPipelines, IndicesRollAndWrap) { // third step; lines 16 and 25 to 26
    const auto text = to_text(test::after_steps(test::kFigure7, wrap_pipelines));
    EXPECT_THAT(text, HasSubstr("A_shared[ko.ahead%3, i, k] = A[i, ko.next*16 + k]"));
    EXPECT_THAT(text, HasSubstr("let ko.next = ko.ahead%8"));
    EXPECT_THAT(text, HasSubstr("A_reg[ki.ahead%2, w] = A_shared[ko.carried%3, t, ki.next*4 + w]"));
    EXPECT_THAT(text, HasSubstr("let ko.carried = ko + ki.ahead/4"));
    EXPECT_THAT(text, HasSubstr("acc[0] + f32(A_reg[ki%2, u])"));
}

// Iterations of the inner loop that are no multiple of its copies: they count through the outer
// loop.
TEST(WrapPipelines, InnerCopiesCountThrough) {
    std::string text = test::kFigure7;
    text.replace(text.find(" rotate 2"), 9, " rotate 3");
    const auto after = to_text(test::after_steps(text, wrap_pipelines));
    EXPECT_THAT(after, HasSubstr("A_reg[(ko*4 + ki.ahead)%3, w]"));
    EXPECT_THAT(after, HasSubstr("f32(A_reg[(ko*4 + ki)%3, u])"));
}

TEST(WrapPipelines, OneLevelHasNothingToCarry) {
    EXPECT_EQ(test::text_after(test::one_level(8, " rotate 3"), wrap_pipelines),
              test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]",
                              R"(    bound thread.x for t in 0..64 {
        allocate s: f32[3, 64] in shared rotate 3 over k as s.copies
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

TEST(WrapPipelines, LeavesWhatIsNotPipelined) {
    const auto text = test::one_level(8, "");
    EXPECT_EQ(test::text_after(text, wrap_pipelines), text);
}

} // namespace test_wrap_pipelines
} // namespace loopscope::lower
