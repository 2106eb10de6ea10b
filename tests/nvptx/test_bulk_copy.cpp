// Copies by the TMA of sm_90: requests, mbarriers, waits by parity, parameters.
#include "compiler/codegen/nvptx/group_order.h"
#include "compiler/lower/passes.h"
#include "tests/nvptx/nvptx_support.h"

#include <gmock/gmock.h>

namespace loopscope::test {
namespace test_bulk_copy {

using ::testing::HasSubstr;

const std::string kPipeline = R"(program p flat
input A: f16[64, 256]
output C: f16[16384]
launch p on device (A, C) {
    bound block.x for b in 0..2 {
        bound thread.y for w in 0..2 {
            bound thread.x for t in 0..32 {
                allocate arrivals: u64[3] in shared at 12288
                allocate s: f16[6144] in shared at 0
                for first in 0..2 {
                    bulk copy tok s[first*2048] = A[b*32, first*64] of [32, 64] by arrivals
                    commit tok by arrivals
                }
                for ko in 0..4 {
                    wait tok 1 by arrivals
                    barrier block
                    if ko < 2 {
                        bulk copy tok s[(ko + 2)%3*2048] = A[b*32, ko*64 + 128] of [32, 64] by arrivals
                    }
                    commit tok by arrivals
                    C[(b*32 + t)*256 + ko*64 + w] = s[ko%3*2048 + t*64 + w]
                }
            }
        }
    }
}
)";

TEST(BulkCopy, OneThreadAsksAndAllWait) {
    const auto ptx = compiled(kPipeline, "sm_90").ptx.text;
    EXPECT_GE(count_of(ptx, "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
                            "complete_tx::bytes"),
              2)
        << ptx;
    EXPECT_EQ(count_of(ptx, "mbarrier.init.shared::cta.b64"), 3) << ptx;
    EXPECT_EQ(count_of(ptx, "fence.mbarrier_init"), 1);
    EXPECT_GE(count_of(ptx, "mbarrier.try_wait.parity"), 1);
    EXPECT_GE(count_of(ptx, "mbarrier.arrive.expect_tx"), 2);
    EXPECT_EQ(count_of(ptx, "cp.async.commit_group") + count_of(ptx, "cp.async.wait_group"), 0);
    EXPECT_EQ(count_of(ptx, "ld.local") + count_of(ptx, "st.local"), 0) << "counts are registers";
}

// Coordinates are signed: a box may begin in front of the array.
TEST(BulkCopy, BoxesBeginOutside) {
    auto text = kPipeline;
    const std::string inside = "A[b*32, first*64]";
    text.replace(text.find(inside), inside.size(), "A[b*32 - 1, first*64 - 3]");
    const auto program = compiled(text, "sm_90");
    EXPECT_NE(program.ptx.text.find("-3"), std::string::npos) << program.ptx.text;
    EXPECT_NE(program.ptx.text.find("-1"), std::string::npos);
    EXPECT_EQ(count_of(program.ptx.text, "max.s32"), 0);
    expect_assembles(program, "sm_90");
}

TEST(BulkCopy, AssemblesWithoutSpills) {
    for (const char* architecture : {"sm_90", "sm_90a"})
        expect_assembles(compiled(kPipeline, architecture), architecture);
}

// Persistent blocks make their mbarriers once, and phases count through all iterations, in
// registers.
TEST(BulkCopy, GroupsCountOnFromOneIterationOfABlockToTheNext) {
    auto text = kPipeline;
    const std::string grid = "for b in 0..2 {";
    text.replace(text.find(grid), grid.size(), "for b in 0..2 blocks 1 {");
    const auto stays = lower::persistent_blocks(parsed(text), {});
    const auto program = compiled(to_text(stays), "sm_90");
    const auto& ptx = program.ptx.text;
    EXPECT_EQ(program.kernels.at(0).grid[0], 1);
    EXPECT_EQ(count_of(ptx, "mbarrier.init.shared::cta.b64"), 3) << ptx;
    EXPECT_EQ(count_of(ptx, "fence.mbarrier_init"), 1);
    EXPECT_EQ(count_of(ptx, "ld.local") + count_of(ptx, "st.local"), 0) << "counts are registers";
    expect_assembles(program, "sm_90");
}

// Where an array of the threads' own lies where the TMA writes, their stores come before its:
// barriers do not order the two.
TEST(BulkCopy, StoresOfThreadsToThatMemoryAreFenced) {
    EXPECT_EQ(count_of(compiled(kPipeline, "sm_90").ptx.text, "fence.proxy.async"), 0);
    auto text = kPipeline;
    const std::string allocation = "                allocate s: f16[6144] in shared at 0\n";
    text.insert(text.find(allocation), R"(                allocate r: f16[64] in shared at 0
                r[w*32 + t] = A[w*32 + t]
                barrier block
                C[w*32 + t] = r[63 - w*32 - t]
                barrier block
)");
    const auto program = compiled(text, "sm_90");
    const auto& ptx = program.ptx.text;
    EXPECT_GE(count_of(ptx, "fence.proxy.async.shared::cta"), 3) << ptx;
    const auto fence = ptx.rfind("fence.proxy.async", ptx.find("cp.async.bulk"));
    EXPECT_NE(ptx.find("bar.sync", fence), std::string::npos);
    expect_assembles(program, "sm_90");
}

TEST(BulkCopy, TensorMapsAreTheLastParameters) {
    const auto program = compiled(kPipeline, "sm_90");
    ASSERT_EQ(program.kernels.size(), 1u);
    const auto& kernel = program.kernels[0];
    ASSERT_EQ(kernel.tensor_maps.size(), 1u) << "the same box, both times";
    EXPECT_EQ(kernel.tensor_maps[0].buffer, "A");
    EXPECT_EQ(kernel.tensor_maps[0].box, (std::vector<std::int64_t>{32, 64}));
    EXPECT_EQ(kernel.shared_bytes, 12288 + 24);
    EXPECT_EQ(count_of(program.ptx.text, ".param .u64"), 3) << program.ptx.text;
}

TEST(BulkCopy, OlderArchitecturesHaveNone) {
    codegen::PtxOptions options;
    options.architecture = "sm_80";
    auto ptx = codegen::compile_ptx(parsed(kPipeline), options);
    ASSERT_FALSE(ptx);
    EXPECT_THAT(format(ptx.errors()), HasSubstr("sm_80 has no bulk copies"));
}

// The groups of threads' own copies are counted without those of the TMA.
TEST(BulkCopy, GroupsOfThreadsCountAlone) {
    const auto program = parsed(R"(program p flat
input A: f32[32, 32]
output C: f32[32]
launch p on device (A, C) {
    bound thread.x for t in 0..32 {
        allocate arrivals: u64[2] in shared
        allocate s: f32[1024] in shared
        allocate r: f32[32] in shared
        copy own r[t] = A[t*32]
        commit own
        bulk copy tok s[0] = A[0, 0] of [32, 32] by arrivals
        commit tok by arrivals
        wait own 0
        wait tok 0 by arrivals
        barrier block
        C[t] = s[t] + r[31 - t]
    }
}
)");
    const auto waits = codegen::hardware_waits(program.launches[0].body);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits.begin()->second, 0);
}

} // namespace test_bulk_copy
} // namespace loopscope::test
