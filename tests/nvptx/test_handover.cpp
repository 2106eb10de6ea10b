// Copies by producer warpgroups, as PTX: mbarriers, phases, and barriers of a part of the block.
#include "tests/nvptx/nvptx_support.h"

#include <gmock/gmock.h>

namespace loopscope::test {
namespace test_handover {

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

// Two blocks each way share what both need, and release it to all of the cluster.
const char* const kShared = R"(program p flat
input A: f16[512, 512]
input B: f16[512, 512]
output C: f16[4096]
launch p on device (A, B, C) {
    bound block.x for bx in 0..4 {
        bound cluster.y for cy in 0..2 {
            bound cluster.x for cx in 0..4 {
                bound thread.x for t in 0..192 {
                    allocate done: u64[2] in shared at 32896
                    allocate here: u64[2] in shared at 32768
                    allocate As: f16[8192] in shared align 1024 at 0
                    allocate Bs: f16[8192] in shared align 1024 at 16384
                    barrier cluster
                    threads 0..64 {
                        for k in 0..8 {
                            wait T 0 by here
                            C[t] = As[k%2*4096 + t]
                            C[t + 64] = Bs[k%2*4096 + t]
                            release T by done over cluster
                        }
                    }
                    threads 64..65 {
                        for g in 0..8 {
                            acquire T by done
                            bulk copy T As[g%2*4096] = A[cy*64, g*64] of [64, 64] swizzle 128 by here over cluster.x
                            bulk copy T Bs[g%2*4096] = B[g*64, cx*64] of [64, 64] by here over cluster.y
                            commit T by here
                        }
                    }
                    barrier cluster
                }
            }
        }
    }
}
)";

TEST(Handovers, BlocksOfAClusterShareCopies) {
    const auto program = compiled(kShared, "sm_90");
    const auto& ptx = program.ptx.text;
    EXPECT_EQ(count_of(ptx, "complete_tx::bytes.multicast::cluster ["), 2) << ptx;
    ASSERT_EQ(program.kernels[0].tensor_maps.size(), 2u);
    EXPECT_EQ(program.kernels[0].tensor_maps[0].box, (std::vector<std::int64_t>{16, 64}))
        << "of four blocks a quarter each";
    EXPECT_EQ(program.kernels[0].tensor_maps[1].box, (std::vector<std::int64_t>{32, 64}));
    EXPECT_EQ(count_of(ptx, "], 16;"), 2) << "two warps of eight blocks release\n" << ptx;
    EXPECT_EQ(count_of(ptx, "mapa.shared::cluster.u32"), 1);
    EXPECT_EQ(count_of(ptx, "mbarrier.arrive.release.cluster.shared::cluster.b64 _"), 1);
    EXPECT_EQ(count_of(ptx, "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64"), 1);
    EXPECT_EQ(count_of(ptx, "barrier.cluster.arrive"), 2) << "in front of the parts and behind";
    EXPECT_EQ(count_of(ptx, "barrier.cluster.wait"), 2);
    // What each block expects is the whole of both boxes.
    EXPECT_NE(ptx.find("16384;"), std::string::npos) << ptx;
    for (const char* architecture : {"sm_90", "sm_90a"})
        expect_assembles(compiled(kShared, architecture), architecture);
}

TEST(Handovers, OlderArchitecturesHaveNone) {
    codegen::PtxOptions options;
    options.architecture = "sm_80";
    const auto ptx = codegen::compile_ptx(parsed(kPipeline), options);
    ASSERT_FALSE(ptx);
    EXPECT_THAT(format(ptx.errors()), HasSubstr("sm_80 has no bulk copies"));
}

} // namespace test_handover
} // namespace loopscope::test
