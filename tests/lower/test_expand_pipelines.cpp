// ALCOP III-B, first step: as many copies of memory as a pipeline has stages.
#include "pipelining_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_expand_pipelines {

using ::testing::HasSubstr;

TEST(ExpandPipelines, MemoryIsExpandedAroundTheLoop) { // III-B, first step; lines 5 and 6
    const auto text = to_text(test::after_steps(test::kFigure7, expand_pipelines));
    EXPECT_THAT(text, HasSubstr(R"(
        allocate A_shared: f16[3, 16, 16] in shared rotate 3 over ko as A_shared.copies {
            allocate A_reg: f16[2, 4] in register rotate 2 over ki as A_reg.copies
            for ko in 0..8 {
)"));
}

TEST(ExpandPipelines, EveryAccessIsOfTheIterationsCopy) {
    EXPECT_EQ(test::text_after(test::one_level(8, " rotate 3"), expand_pipelines),
              test::on_device("input A: f32[64, 64]\noutput B: f32[64, 64]",
                              R"(    bound thread.x for t in 0..64 {
        allocate s: f32[3, 64] in shared rotate 3 over k as s.copies
        for k in 0..8 {
            bound threads for i in 0..64 {
                s[k, i] = A[k, i]
            }
            B[k, t] = s[k, 63 - t]
        }
    }
)"));
}

TEST(ExpandPipelines, LeavesWhatIsNotPipelined) {
    const auto text = test::one_level(8, "");
    EXPECT_EQ(test::text_after(text, expand_pipelines), text);
}

} // namespace test_expand_pipelines
} // namespace loopscope::lower
