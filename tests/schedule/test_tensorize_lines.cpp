// tensorize among other lines of a script, and on targets.

#include "core/device/device.h"
#include "core/device/generic_gpu.h"
#include "tests/schedule/tensorize_support.h"

namespace loopscope::test {
namespace {

using testing::ElementsAre;

TEST(Tensorize, OtherLoopsTakeTheirDirectives) {
    const auto lines = kTiles + kTensorize;
    for (const char* line :
         {"C.unroll(jo)\n", "C.parallel(io)\n", "C.bind(io, block.x)\n", "C.split(io, i1, i2, 2)\n",
          "C.reorder(jo, io)\n", "C.fuse(io, jo, f)\n", "C.reorder(ko, io, jo)\n",
          "C.bind(jo, warp)\n", "C.contract()\n",
          "As = C.cache_read(A, shared)\nAs.compute_at(C, ko)\nAs.pipeline(3)\n",
          "C.prefetch(A, ko, 2)\n", "C.serial(jo)\n", "C.non_temporal()\n"})
        EXPECT_EQ(refusal(product(), lines + line), "applied") << line;
    EXPECT_EQ(nest(scheduled(product(), lines + "C.split(io, i1, i2, 2)\nC.unroll(jo)\n"), "C"),
              "i1 i2 jo=unrolled ko! ii ji ki!");
}

// The iterations of a reduction loop outside become independent before it.
TEST(Tensorize, PartsThatRFactorMade) {
    auto applied = scheduled(product(), "C.split(k, ko, k, 48)\nR = C.rfactor(ko)\n"
                                        "R.split(i, io, ii, 16)\nR.split(j, jo, ji, 8)\n"
                                        "R.split(k, k1, k2, 16)\n"
                                        "R.reorder(ko, io, jo, k1, ii, ji, k2)\n"
                                        "R.tensorize(ii, mma_m16n8k16_f16)\n");
    EXPECT_THAT(operands(*call_at(applied, "ii", "R")),
                ElementsAre("D = R[R.ko, R.io*16, R.jo*8] i→1 j→2",
                            "A = A[R.io*16, R.k1*16 + R.ko*48] i→0 k→1",
                            "B = B[R.k1*16 + R.ko*48, R.jo*8] k→0 j→1"));
}

TEST(Tensorize, SharedLoopsStayOutside) {
    const auto two = parsed("pipeline two\n"
                            "input A[i, k]: f16[64, 96]\n"
                            "input B[k, j]: f16[96, 48]\n"
                            "stage C[i, j] = sum[k in 0..96](f32(A[i, k])*f32(B[k, j]))\n"
                            "stage E[i, j] = f32(A[i, j])\n"
                            "output C: [64, 48]\n"
                            "output E: [64, 48]\n");
    const std::string lines = kTiles + "E.tile(i, j, io, jo, ii, ji, 16, 8)\n";
    EXPECT_EQ(refusal(two, lines + kTensorize + "E.compute_with(C, jo)\n"), "applied");
    EXPECT_EQ(refusal(two, lines + "E.compute_with(C, jo)\n" + kTensorize), "applied");
    const std::string one = "C.split(j, jo, ji, 8)\nC.split(k, ko, ki, 16)\n"
                            "C.split(i, io, ii, 16)\nC.reorder(ii, ji, ki, io, jo, ko)\n"
                            "E.split(i, io, ii, 16)\nE.reorder(ii, io, j)\n"
                            "E.compute_with(C, ii)\n";
    EXPECT_EQ(refusal(two, one + kTensorize),
              "8:13 C.ii, which mma_m16n8k16_f16 replaces, is shared with E; share fewer loops");
}

TEST(Tensorize, SerialUndoesIt) {
    auto before = tree_of(scheduled(product(), kTiles));
    auto undone = scheduled(product(), kTiles + kTensorize + "C.serial(ii)\n");
    EXPECT_FALSE(undone.state.find("C")->definitions[0].tensorized);
    EXPECT_FALSE(undone.state.find("C")->definitions[0].reassociates);
    EXPECT_EQ(tree_of(undone)->root->hash, before->root->hash);
    EXPECT_EQ(refusal(product(), kTiles + kTensorize + "C.serial(ii)\nC.vectorize(ji)\n"),
              "applied");
    // Said again for the same loop, the last line holds.
    EXPECT_EQ(refusal(product(), kTiles + kTensorize + kTensorize), "applied");
}

TEST(Tensorize, IsPartOfTheTreesIdentity) {
    const auto plain = tree_of(scheduled(product(), kTiles));
    const auto called = tree_of(scheduled(product(), kTiles + kTensorize));
    EXPECT_NE(plain->root->hash, called->root->hash);
    std::vector<std::string> changes;
    for (const auto& change : difference(*plain, *called))
        changes.push_back(change.id.text() + ": " + change.before + " | " + change.after);
    EXPECT_THAT(changes, ElementsAre("C/ii@init: ii 16 | ii 16 tensorize mma_m16n8k16_f16",
                                     "C/ii: ii 16 | ii 16 tensorize mma_m16n8k16_f16"));
}

TEST(Tensorize, RoundTrip) { expect_round_trip("C.tensorize(ii, mma_m16n8k16_f16)"); }

// What a described GPU has, and a device that is no GPU, for which one of compute capability 8.0
// stands.
TEST(Tensorize, TheTargetHasTheIntrinsic) {
    auto with = [](const device::Device& device) {
        ApplyContext context;
        context.device = &device;
        return refusal(product(), kTiles + kTensorize, context);
    };
    device::Device cpu;
    EXPECT_EQ(with(cpu), "applied");
    EXPECT_EQ(with(device::generic_gpu()), "applied");
    auto gpu = device::generic_gpu();
    gpu.name = "v100";
    gpu.gpu->tensor_intrinsics = {"wmma_m16n16k16_f16", "mma_m8n8k4_f16"};
    EXPECT_EQ(with(gpu), "5:17 v100 declares no intrinsic mma_m16n8k16_f16; tensorize takes "
                         "wmma_m16n16k16_f16 there");
    gpu.gpu->tensor_intrinsics = {};
    EXPECT_EQ(with(gpu),
              "5:17 v100 declares no intrinsic mma_m16n8k16_f16; vectorize the innermost "
              "loop and unroll those around it");
    auto other = [&](const std::string& name) {
        ApplyContext context;
        context.device = &gpu;
        return refusal(product(), kTiles + "C.tensorize(ii, " + name + ")\n", context);
    };
    gpu.gpu->tensor_intrinsics = {"wgmma_m64nNk8_tf32", "mma_m16n8k16_f16"};
    EXPECT_EQ(other("wgmma_m64nNk8_tf32"),
              "5:17 v100 has wgmma_m64nNk8_tf32, but what it computes is not declared in the "
              "tensor-expression language; tensorize takes mma_m16n8k16_f16 there");
    EXPECT_EQ(other("mma_m16n8k16_f61"),
              "5:17 v100 declares no intrinsic mma_m16n8k16_f61; did you mean mma_m16n8k16_f16?");
}

} // namespace
} // namespace loopscope::test
