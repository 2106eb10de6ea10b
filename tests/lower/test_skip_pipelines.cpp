// What would be loaded for iterations beyond the last is not.
#include "pipelining_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_skip_pipelines {

using ::testing::HasSubstr;

TEST(SkipPipelines, NothingIsLoadedBeyondTheEnd) {
    const auto text = to_text(test::after_steps(test::kFigure7, skip_pipelines));
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

// Prologues of a loop that is shorter than its pipeline ask too; groups stay, so that waits count
// as before.
TEST(SkipPipelines, ALoopShorterThanItsPipeline) {
    EXPECT_THAT(test::text_after(test::one_level(2, " rotate 4"), skip_pipelines), HasSubstr(R"(
        unrolled for k.first in 0..3 {
            acquire s.copies
            if k.first < 2 {
                bound threads for i_1 in 0..64 {
                    copy s.copies s[k.first%4, i_1] = A[k.first, i_1]
                }
            }
            commit s.copies
        }
)"));
}

TEST(SkipPipelines, LeavesWhatIsNotPipelined) {
    const auto text = test::one_level(8, "");
    EXPECT_EQ(test::text_after(text, skip_pipelines), text);
}

} // namespace test_skip_pipelines
} // namespace loopscope::lower
