// Copies that some threads ask for and others use, as PTX: objects, phases, and barriers of a part of the block.
#include "tests/nvptx/nvptx_support.h"

#include <gmock/gmock.h>

namespace loopscope::test {
namespace {

using ::testing::HasSubstr;

const char* const kPipeline = R"(program p flat
input A: f32[512]
output C: f32[64]
launch p on device (A, C) {
    bound thread.x for t in 0..192 {
        allocate done: u64[3] in shared at 512
        allocate here: u64[3] in shared at 384
        allocate own: f32[64] in shared at 640
        allocate s: f32[96] in shared at 0
        threads 0..64 {
            for k in 0..16 {
                wait tok 0 by here
                own[t] = s[k % 3 * 32 + t/2]
                barrier block
                C[t] = own[63 - t]
                barrier block
                release tok by done
            }
        }
        threads 64..65 {
            for g in 0..16 {
                acquire tok by done
                bulk copy tok s[g % 3 * 32] = A[g*32] of [32] by here
                commit tok by here
            }
        }
    }
}
)";

TEST(Handovers, EachSideWaitsAtObjectsOfItsOwn) {
    const auto ptx = compiled(kPipeline, "sm_90").ptx.text;
    EXPECT_EQ(count_of(ptx, "mbarrier.init.shared::cta.b64"), 6) << ptx;
    EXPECT_EQ(count_of(ptx, "mbarrier.try_wait.parity"), 2);
    EXPECT_EQ(count_of(ptx, "mbarrier.arrive.expect_tx"), 1);
    EXPECT_EQ(count_of(ptx, "mbarrier.arrive.shared::cta.b64 _"), 1) << "of a warp's first thread";
    EXPECT_EQ(count_of(ptx, "bar.warp.sync"), 1) << "in front of it";
    EXPECT_EQ(count_of(ptx, "bar.sync 1, 64;"), 2) << "the readers' own";
    EXPECT_EQ(count_of(ptx, "bar.sync \t0"), 2) << "all see that objects are made";
    EXPECT_EQ(count_of(ptx, "cp.async.bulk.tensor.1d"), 1);
}

TEST(Handovers, ObjectsCountWarpsOfReadersAndTheOneThatAsks) {
    const auto ptx = compiled(kPipeline, "sm_90").ptx.text;
    EXPECT_EQ(count_of(ptx, "], 2;"), 3) << "warps that release\n" << ptx;
    EXPECT_EQ(count_of(ptx, "], 1;"), 3);
}

TEST(Handovers, Assemble) { expect_assembles(compiled(kPipeline, "sm_90"), "sm_90"); }

TEST(Handovers, OlderArchitecturesHaveNone) {
    codegen::PtxOptions options;
    options.architecture = "sm_80";
    const auto ptx = codegen::compile_ptx(parsed(kPipeline), options);
    ASSERT_FALSE(ptx);
    EXPECT_THAT(format(ptx.errors()), HasSubstr("sm_80 has no bulk copies"));
}

} // namespace
} // namespace loopscope::test
