// Pairs for GPUs that once failed in the interpreter of SIMT programs, shrunk. Each names what was
// wrong.

#include "tests/fuzz/gpu_regressions.h"

#include <string>

using namespace loopscope::fuzz;

namespace test_gpu_regressions {

// What is computed inside of a reduction across threads may be one as well: it was taken for a part
// of the outer one.
TEST(GpuRegressions, AReductionAcrossThreadsInAnother) {
    expect_agreement(R"(pipeline p
stage c[i, j]: i32 = sum[k in 0..4](1)
stage d[i, j]: i32 = sum[l in 0..4](c[i, l])
output d: [1, 1]
)",
                     "d.split(l, g8, g9, 1)\nd.bind(g9, thread.x)\nc.compute_at(d, g8)\n"
                     "c.bind(k, thread.x)\n");
}

// An index of u32 that wraps was taken for one that does not: a barrier was missing.
TEST(GpuRegressions, AnIndexThatWrapsInSharedMemory) {
    expect_agreement(R"(pipeline p
input a: i32[7]
stage s[y]: i32 = a[i32(u32(y)*2147483647 % 7)]
output s: [7]
)",
                     "s.split(y, yo, yi, 7)\ns.bind(yo, block.x)\ns.bind(yi, thread.x)\n"
                     "c = s.cache_read(a, shared)\nc.compute_at(s, yo)\n");
}

// Points that a shifted tail computes twice, by different threads that divide a copy among
// themselves.
TEST(GpuRegressions, AShiftedTailOfACopyThatThreadsDivide) {
    expect_agreement(R"(pipeline p
input a: i32[5, 5]
stage s[y]: i32 = sum[k in 0..5](a[y, k])
output s: [5]
)",
                     "acc = s.cache_write(local)\ns.split(y, yo, yi, 3)\ns.bind(yi, thread.x)\n"
                     "acc.compute_at(s, yi)\nc = acc.cache_read(a, shared)\n"
                     "c.compute_at(acc, k)\nc.split(d0, o, i, 2, shift)\n");
}

// Loops of one copy that threads divide, and one of a reduction between them: a thread's share of
// the inner one was taken out of its share of the outer one.
TEST(GpuRegressions, AReductionBetweenLoopsThatThreadsDivide) {
    expect_agreement(R"(pipeline p
input A[i, k]: f32[2, 31]
stage c[j, i]: f32 = sum[k in 0..31](A[i, k])
stage out[j, i]: f32 = c[j, i]*2
output out: [1, 2]
)",
                     "out.split(j, j_warp, j, 1)\nout.bind(j_warp, warp)\n"
                     "c.compute_at(out, j_warp)\nc.scope(shared)\nc.split(k, k_step, k, 2)\n"
                     "c.split(j, j_tile, j, 1)\nc.reorder(k_step, j_tile, k, i)\n");
}

// What a thread has for itself cannot be kept over iterations that are divided among threads.
TEST(GpuRegressions, AWindowOfOneThreadOverDividedIterations) {
    expect_not_runnable(R"(pipeline p
stage ux1[y, x]: i32 = 0
stage u1[y, x]: i32 = ux1[0, x]
stage ux0[y, x]: i32 = u1[y, 0]
stage u0[y, x]: i32 = ux0[0, x]
output u0: [1, 2]
)",
                        "u0.split(y, g4, g5, 2)\nu0.bind(g4, block.y)\nu0.bind(g5, thread.y)\n"
                        "ux0.compute_at(u0, g4)\nux0.scope(shared)\nu1.inline()\n"
                        "ux1.compute_at(ux0, x)\nux1.scope(register)\nux1.store_at(u0, g4)\n",
                        "outlives iterations of ux0");
}

const std::string kProduct = R"(pipeline p
input A[k, i]: f16[16, 16]
input B[k, j]: f16[16, 8]
stage c[i, j]: f32 = sum[k in 0..16](f32(A[k, i])*f32(B[k, j]))
stage out[i, j]: f16 = f16(c[i, j])
output out: [16, 8]
)";

const std::string kWindows = R"(pipeline p
input A[n, c0]: bf16[16, 32]
input B[r, s, c0, f]: bf16[2, 2, 32, 8]
stage c[n, f]: f32 = sum[r in 0..2, s in 0..2, c0 in 0..32](f32(A[n, c0])*f32(B[r, s, c0, f]))
output c: [16, 8]
)";

// A stage in fragments at root had no memory.
TEST(GpuRegressions, FragmentsAtRoot) {
    expect_not_runnable(kProduct, "c.scope(fragment)\nc.tensorize(i, mma_m16n8k16_f16)\n",
                        "is in fragments at root");
}

// A copy in shared memory at root was filled by a kernel of its own, in global memory, which no
// instruction reads.
TEST(GpuRegressions, SharedMemoryAtRoot) {
    expect_not_runnable(kProduct,
                        "left = c.cache_read(A, shared)\nc.tensorize(i, mma_m16n8k16_f16)\n",
                        "left is in shared memory, which is a block's as long as its kernel runs");
}

// Iterations that warm up what they read took the last step of a reduction across threads all the
// same, outside of its array.
TEST(GpuRegressions, AReductionAcrossThreadsBehindAWarmUp) {
    expect_agreement(R"(pipeline p
stage a[y]: i32 = y
stage b[y]: i32 = prod[k in 0..4](a[y + 1] + a[0])
stage c[y]: i32 = sum[k in 0..2](b[0] + b[1])
output c: [1]
)",
                     "b.compute_at(c, k)\nb.split(k, k_step, k, 2)\nb.bind(k, thread.x)\n"
                     "a.compute_at(b, y)\na.store_at(c, k)\n");
}

// What it reads is there from the first of the reduction's iterations on, which is no condition of
// the point.
TEST(GpuRegressions, AReductionAcrossThreadsWhoseTermsFindWhatTheyRead) {
    expect_agreement(R"(pipeline p
stage a[y, x]: (i32, i32, i32) = (0, 0, 0)
stage b[y]: (i32, i32) = argmax[k in 1..5, l in 0..4](max(a[0, k].0, a[0, 0].0))
output b: [1]
)",
                     "b.split(l, l_step, l, 1)\nb.bind(l, thread.x)\na.compute_at(b, l_step)\n"
                     "a.store_at(b, y)\n");
}

// An instruction whose sums all threads share is a warp's work, and no thread's share.
TEST(GpuRegressions, AnInstructionIntoSharedMemory) {
    expect_agreement(kProduct, "out.split(i, i_block, i, 16)\nout.bind(i_block, block.y)\n"
                               "c.compute_at(out, i_block)\nc.scope(shared)\n"
                               "c.tensorize(i, mma_m16n8k16_f16)\n");
    expect_not_runnable(
        kProduct,
        "out.split(j, j_warp, j, 1)\nout.bind(j_warp, warp)\nout.reorder(j_warp, i)\n"
        "c.compute_at(out, j_warp)\nc.scope(shared)\n"
        "c.tensorize(i, mma_m16n8k16_f16)\n",
        "each warp would compute the whole");
}

// A loop between those of two levels of a pipeline: the inner level went on with the outer one's
// next iteration where it had to go on with that loop's.
TEST(GpuRegressions, ALoopBetweenTwoLevelsOfAPipeline) {
    expect_agreement(kWindows,
                     "sums = c.cache_write(fragment)\nc.split(f, f_block, f, 8)\n"
                     "c.reorder(f_block, n, f)\nsums.compute_at(c, f_block)\n"
                     "sums.split(c0, c0_step, c0, 16)\nsums.reorder(r, s, c0_step, n, f)\n"
                     "sums.tensorize(n, mma_m16n8k16_bf16)\nblock = sums.cache_read(B, shared)\n"
                     "part = sums.cache_read(block, fragment)\npart.compute_at(sums, c0_step)\n"
                     "block.compute_at(sums, r)\nblock.pipeline(2)\npart.pipeline(2)\n");
}

// Two copies of one inner loop, of which one goes on over the outer one: they are not filled at one
// place.
TEST(GpuRegressions, PipelinesOfOneLoopWithTwoPrologues) {
    expect_agreement(kWindows,
                     "c.split(c0, c0_step, c0, 16)\nc.reorder(r, s, c0_step, n, f)\n"
                     "c.tensorize(n, mma_m16n8k16_bf16)\nA_part = c.cache_read(A, fragment)\n"
                     "A_part.compute_at(c, c0_step)\nB_block = c.cache_read(B, shared)\n"
                     "B_part = c.cache_read(B_block, fragment)\nB_part.compute_at(c, c0_step)\n"
                     "B_block.compute_at(c, s)\nB_block.pipeline(2)\nA_part.pipeline(2)\n"
                     "B_part.pipeline(2)\n");
}

// Operands of tf32 are rounded to nearest before the instruction takes them; the interpreter cut
// them off.
TEST(GpuRegressions, RoundingToTf32) {
    expect_agreement(R"(pipeline p
def tf32(x) = from_bits(f32, (bits(x) + 4096) & 0xffffe000)
input A[i, k]: f32[16, 8]
input B[k, j]: f32[8, 8]
stage c[i, j]: f32 = sum[k in 0..8](tf32(A[i, k])*tf32(B[k, j]))
output c: [16, 8]
)",
                     "c.tensorize(i, mma_m16n8k8_tf32)\n");
}

std::string computed_windows(const std::string& b) {
    return "pipeline p\ninput A[n, c0]: bf16[16, 32]\ninput B0[s, c0, f]: bf16[2, 32, 8]\n"
           "stage B1[s, c0, f]: bf16 = " +
           b +
           "\nstage c[n, f]: f32 = sum[s in 0..2, c0 in 0..32](f32(A[n, c0])*f32(B1[s, c0, f]))\n"
           "output c: [16, 8]\n";
}

// Both operands in shared memory, of all iterations of s, and in fragments; B1 is inlined into its
// block.
std::string two_levels(const std::string& pipelines) {
    return "c.split(c0, c0_step, c0, 16)\nc.reorder(s, c0_step, n, f)\n"
           "c.tensorize(n, mma_m16n8k16_bf16)\nA_block = c.cache_read(A, shared)\n"
           "A_part = c.cache_read(A_block, fragment)\nA_part.compute_at(c, c0_step)\n"
           "A_block.compute_at(c, s)\nB_block = c.cache_read(B1, shared)\nB1.inline()\n"
           "B_part = c.cache_read(B_block, fragment)\nB_part.compute_at(c, c0_step)\n"
           "B_block.compute_at(c, s)\n" +
           pipelines;
}

// An inner level of a pipeline whose outer one is computed, beside one of two levels: it was filled
// where its block is not yet there.
TEST(GpuRegressions, AnInnerLevelOfWhatIsComputed) {
    const std::string all =
        "B_block.pipeline(2)\nA_block.pipeline(2)\nA_part.pipeline(2)\nB_part.pipeline(2)\n";
    expect_not_runnable(computed_windows("0"), two_levels(all),
                        "B_block is pipelined, and B1, which is inlined into it, is no function of "
                        "one element of memory");
    expect_agreement(computed_windows("B0[s, c0, f] + B0[s, c0, 0]"),
                     two_levels("A_block.pipeline(2)\nA_part.pipeline(2)\nB_part.pipeline(2)\n"));
}

// A function of one element is applied on the way into fragments, ahead like those: where the
// element is counts, too.
TEST(GpuRegressions, AFunctionBehindAnAsynchronousCopy) {
    for (const auto* b : {"max(B0[s, c0, f], -B0[s, c0, f])",
                          "select((s + c0 + f) % 3 == 0, B0[s, c0, f], -B0[s, c0, f])"})
        for (const auto* pipelines :
             {"B_block.pipeline(2)\nA_block.pipeline(2)\nA_part.pipeline(2)\nB_part.pipeline(2)\n",
              "B_block.pipeline(3)\nA_block.pipeline(3)\nB_part.pipeline(3)\n",
              "B_block.pipeline(2)\nB_part.pipeline(2)\n", "B_block.pipeline(4)\n"})
            expect_agreement(computed_windows(b), two_levels(pipelines));
}

} // namespace test_gpu_regressions
