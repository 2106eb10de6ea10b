// What launches do, by hand and by the SIMT interpreter: operations, sectors, passes over banks,
// bytes of each level.
#include "core/schedule/gpu/shared_copies.h"
#include "gpu_support.h"
#include "tests/support/support.h"

using namespace loopscope;
using namespace loopscope::test;

namespace {

const char* const kTransposeThroughShared = R"(t = out.cache_read(img, shared)
out.tile(y, x, by, bx, ty, tx, 32, 32)
out.split(ty, tv, tt, 8)
out.bind(by, block.y)
out.bind(bx, block.x)
out.bind(tt, thread.y)
out.bind(tx, thread.x)
t.compute_at(out, bx)
)";

const char* const kBlurTiled = R"(out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)
blur_x.compute_at(out, bx)
)";

// 64 MiB are read and as many written, each byte once: a warp's 32 elements are 4 sectors of one
// line.
TEST(GpuWork, ACopyMovesEachByteOnceAtEachLevel) {
    auto tree = bundled_gpu_tree("copy", "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n");
    ASSERT_TRUE(tree);
    const double bytes = 4096.0 * 4096 * 4;
    const auto a = analysis(*tree);
    ASSERT_EQ(a.kernels.size(), 1u);
    EXPECT_EQ(a.compulsory_bytes, 2 * bytes);
    const auto in = buffer_work(a, 0, "img"), out = buffer_work(a, 0, "out");
    EXPECT_EQ(in.load_sectors, bytes / 32);
    EXPECT_EQ(in.lines, bytes / 128);
    EXPECT_EQ(in.l2_load_bytes, bytes);
    EXPECT_EQ(in.dram_load_bytes, bytes);
    EXPECT_EQ(out.store_sectors, bytes / 32);
    EXPECT_EQ(out.l2_store_bytes, bytes);
    EXPECT_EQ(out.dram_store_bytes, bytes);
}

// Two blocks below one another share the columns of B, of which each asks for one half: for as much
// as one block would.
TEST(GpuWork, BlocksOfAClusterAskOnceForWhatBothNeed) {
    const std::string loading =
        "As.pipeline(3)\nBs.pipeline(3)\nAs.specialize(1)\nBs.specialize(1)\n";
    std::string lines = kTiledMatmul;
    const std::string bound = "C.bind(io, block.y)\n";
    ASSERT_NE(lines.find(bound), std::string::npos);
    lines.replace(lines.find(bound), bound.size(),
                  "C.split(io, io, ic, 2)\n" + bound + "C.bind(ic, cluster.y)\n");
    const std::map<std::string, std::int64_t> sizes{{"M", 1024}, {"N", 1024}, {"K", 1024}};
    const auto asked = [&](const std::string& text, const char* buffer) {
        auto tree = bundled_gpu_tree("matmul", text, sizes, gpu_named("h200"));
        return tree ? buffer_work(analysis(*tree, gpu_named("h200")), 0, buffer).l2_load_bytes : 0;
    };
    const double alone = asked(kTiledMatmul + loading, "B");
    EXPECT_GT(alone, 0);
    EXPECT_EQ(asked(lines + "As.pipeline(3)\nBs.pipeline(3)\n", "B"), alone)
        << "threads that use it ask for their own block";
    EXPECT_EQ(asked(lines + loading, "A"), alone);
    EXPECT_EQ(asked(lines + loading, "B"), alone / 2);
    auto tree = bundled_gpu_tree("matmul", lines + loading, sizes, gpu_named("h200"));
    ASSERT_TRUE(tree);
    EXPECT_EQ(blocks_that_share(*tree, "As"), 1);
    EXPECT_EQ(blocks_that_share(*tree, "Bs"), 2);
    EXPECT_EQ(blocks_that_share(*tree, "C"), 1);
}

// As the compiler has it (MulticastCopies): a part of 128 bytes at least, and a pipeline of several
// iterations.
TEST(GpuWork, BlocksOfAClusterShareWhatTheCompilerDivides) {
    const std::string lines = "acc = C.cache_write(register)\nC.split(i, i_block, i, 64)\n"
                              "C.split(i, i_cluster, i, 16)\nC.split(j, j_block, j, 16)\n"
                              "C.reorder(i_block, j_block, i_cluster, i, j)\n"
                              "C.bind(i_block, block.y)\nC.bind(j_block, block.x)\n"
                              "C.bind(i_cluster, cluster.y)\nC.bind(i, thread.y)\n"
                              "C.bind(j, thread.x)\nacc.compute_at(C, j)\n"
                              "acc.split(k, k_block, k, DEPTH)\nb = acc.cache_read(B, shared)\n"
                              "b.compute_at(acc, k_block)\nb.vectorize(j, 4)\nb.pipeline(3)\n"
                              "b.specialize(1)\n";
    const auto blocks = [&](const char* depth, std::int64_t terms) -> std::int64_t {
        auto text = lines;
        text.replace(text.find("DEPTH"), 5, depth);
        auto tree = bundled_gpu_tree("matmul", text, {{"M", 256}, {"N", 64}, {"K", terms}},
                                     gpu_named("h200"));
        return tree ? blocks_that_share(*tree, "b") : 0;
    };
    EXPECT_EQ(blocks("4", 1024), 1) << "4 parts of 64 bytes";
    EXPECT_EQ(blocks("8", 1024), 4) << "4 parts of 128 bytes";
    EXPECT_EQ(blocks("8", 8), 1) << "one iteration";
}

// A block reads 64 rows of A and 64 columns of B: 2 × 64 × 1024 × 4 bytes, of which the other
// threads' are in shared memory. 256 blocks. Of C a thread writes 4 × 4 elements one by one: each
// access of a warp has two rows of 16 elements that lie 16 bytes apart, 8 sectors a row, so that
// each sector is written four times.
TEST(GpuWork, ATiledProduct) {
    auto tree = bundled_gpu_tree("matmul", kTiledMatmul, {{"M", 1024}, {"N", 1024}, {"K", 1024}});
    ASSERT_TRUE(tree);
    for (const auto* name : {"a100-sxm-40gb", "h200"}) {
        const auto a = analysis(*tree, gpu_named(name));
        ASSERT_EQ(a.kernels.size(), 1u);
        EXPECT_EQ(a.kernels[0].work.flops, 2.0 * 1024 * 1024 * 1024);
        EXPECT_EQ(buffer_work(a, 0, "A").l2_load_bytes, 256 * 64 * 1024 * 4.0);
        EXPECT_EQ(buffer_work(a, 0, "B").l2_load_bytes, 256 * 64 * 1024 * 4.0);
        EXPECT_EQ(buffer_work(a, 0, "C").l2_store_bytes, 4 * 1024 * 1024 * 4.0);
        // 12 MiB fit the second level: DRAM gives and takes each byte once.
        for (const auto* input : {"A", "B"})
            EXPECT_EQ(buffer_work(a, 0, input).dram_load_bytes, 1024 * 1024 * 4.0);
        EXPECT_EQ(buffer_work(a, 0, "C").dram_store_bytes, 1024 * 1024 * 4.0);
        // 64 × 16 elements of As, dealt to 256 threads in 4 rounds of 8 warps, at each of 64 steps,
        // without conflict. A thread reads an element of As at each of 4 rows and loads it once for
        // all of its columns; two rows of threads are in a warp, 4 rows of 16 words apart, which is
        // one bank: two passes.
        const auto as = buffer_work(a, 0, "As");
        const double stores = 256.0 * 64 * 4 * 8, loads = 256.0 * 1024 * 4 * 8;
        EXPECT_EQ(as.passes, stores + 2 * loads);
        EXPECT_EQ(as.passes_least, stores + loads);
        EXPECT_EQ(as.load_bytes, loads * 32 * 4);
        // An element of Bs is loaded anew for each row, for the loop over rows stands outside: of
        // 16 columns 4 words apart, 8 lie in different banks.
        const auto bs = buffer_work(a, 0, "Bs");
        EXPECT_EQ(bs.passes, stores + 2 * 4 * loads);
    }
}

// Unrolled, the four rows share each element of Bs.
TEST(GpuWork, UnrolledLoopsShareLoads) {
    const std::map<std::string, std::int64_t> size{{"M", 128}, {"N", 128}, {"K", 64}};
    auto plain = bundled_gpu_tree("matmul", kTiledMatmul, size),
         unrolled = bundled_gpu_tree(
             "matmul", std::string(kTiledMatmul) + "Cl.unroll(i)\nCl.unroll(j)\n", size);
    ASSERT_TRUE(plain && unrolled);
    const auto before = analysis(*plain), after = analysis(*unrolled);
    EXPECT_EQ(buffer_work(before, 0, "Bs").load_bytes, 4 * buffer_work(after, 0, "Bs").load_bytes);
    EXPECT_EQ(buffer_work(before, 0, "As").load_bytes, buffer_work(after, 0, "As").load_bytes);
}

// Threads along x read down a column of the input: a sector and a line for each of 32. Blocks of
// one row share none of them, and ask the second level for eight times the bytes; the next rows,
// which run at the same time, find them there.
TEST(GpuWork, AStridedTransposeReadsEightTimesItsBytes) {
    auto tree = bundled_gpu_tree("transpose", "out.gpu_tile(y, x, by, bx, ty, tx, 1, 256)\n");
    ASSERT_TRUE(tree);
    const double bytes = 4096.0 * 4096 * 4;
    const auto a = analysis(*tree);
    const auto in = buffer_work(a, 0, "img");
    EXPECT_EQ(in.load_sectors, 4096.0 * 4096);
    EXPECT_EQ(in.lines, 4096.0 * 4096);
    EXPECT_EQ(in.l2_load_bytes, 8 * bytes);
    EXPECT_LT(in.dram_load_bytes, 1.2 * bytes);
    EXPECT_EQ(buffer_work(a, 0, "out").l2_store_bytes, bytes);
    // A block of 8 × 32 reads 32 rows of 8 elements, whole sectors: the first level has them for
    // the other warps.
    auto square = bundled_gpu_tree("transpose", "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n");
    EXPECT_EQ(buffer_work(analysis(*square), 0, "img").l2_load_bytes, bytes);
}

// Lanes read a column of the tile: rows are 32 words, so all lie in one bank, 32 passes. A word
// more a row: one pass.
TEST(GpuWork, PaddingKeepsAColumnOfATileOutOfOneBank) {
    auto plain = bundled_gpu_tree("transpose", kTransposeThroughShared),
         padded = bundled_gpu_tree("transpose",
                                   std::string(kTransposeThroughShared) + "t.pad_storage(x, 1)\n");
    ASSERT_TRUE(plain && padded);
    const double accesses = 4096.0 * 4096 / 32;
    const auto before = buffer_work(analysis(*plain), 0, "t"),
               after = buffer_work(analysis(*padded), 0, "t");
    EXPECT_EQ(before.passes, accesses + 32 * accesses);
    EXPECT_EQ(after.passes, 2 * accesses);
    EXPECT_EQ(before.passes_least, 2 * accesses);
    EXPECT_EQ(before.load_bytes, after.load_bytes);
    EXPECT_EQ(analysis(*plain).kernels[0].shape.shared_bytes, 32 * 32 * 4);
    EXPECT_EQ(analysis(*padded).kernels[0].shape.shared_bytes, 32 * 33 * 4);
    // Chunks of 16 bytes stay together: four elements of a column meet in each bank.
    auto swizzled =
        bundled_gpu_tree("transpose", std::string(kTransposeThroughShared) + "t.swizzle()\n");
    EXPECT_EQ(buffer_work(analysis(*swizzled), 0, "t").passes, accesses + 4 * accesses);
    EXPECT_EQ(analysis(*swizzled).kernels[0].shape.shared_bytes, 32 * 32 * 4);
}

// A tile of 8 × 32 needs 10 rows of blur_x, which it computes for itself: 10/8 of what the first
// and the other rows of tiles need, which is all but two. Of the input it reads 10 rows of 34
// elements: 68 bytes, which begin at any element, and so cross (68 - 2)/32 + 1 sectors on average.
TEST(GpuWork, ABlurThroughSharedMemoryComputesRimsAgain) {
    auto tree = bundled_gpu_tree("blur", kBlurTiled);
    ASSERT_TRUE(tree);
    const auto a = analysis(*tree);
    const double blocks = 600 * 200;
    EXPECT_EQ(a.recompute.stages.at("blur_x"), blocks * 320 / (4802.0 * 6400));
    EXPECT_EQ(a.recompute.stages.at("out"), 1);
    EXPECT_EQ(a.kernels[0].shape.shared_bytes, 10 * 32 * 2);
    EXPECT_DOUBLE_EQ(buffer_work(a, 0, "img").l2_load_bytes, blocks * 10 * (66.0 / 32 + 1) * 32);
    // Written by 10 warps of one row each, read three times by 8; 64 bytes of a row are 16 words.
    EXPECT_EQ(buffer_work(a, 0, "blur_x").passes, blocks * (10 + 3 * 8));
}

// A warp executes 4 × 6 × 6 instructions of 16 × 8 × 16: each fetches 16 × 16 elements of A and 16
// × 8 of B once.
TEST(GpuWork, TensorInstructionsAreOfTheirOwnUnit) {
    const char* product = R"(pipeline product
input A[i, k]: f16[64, 96]
input B[k, j]: f16[96, 48]
stage C[i, j]: f32 = sum[k in 0..96](f32(A[i, k])*f32(B[k, j]))
output C: [64, 48]
)";
    auto tree = gpu_tree(product, "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\n"
                                  "C.split(k, ko, ki, 16)\nC.reorder(io, jo, ko, ii, ji, ki)\n"
                                  "C.tensorize(ii, mma_m16n8k16_f16)\nC.bind(io, block.x)\n");
    ASSERT_TRUE(tree);
    const auto a = analysis(*tree);
    const auto& work = a.kernels.at(0).work;
    EXPECT_EQ(work.tensor_flops.at("f16"), 2.0 * 64 * 48 * 96);
    EXPECT_EQ(work.operations[0], 0);
    const double instructions = 4 * 6 * 6;
    EXPECT_EQ(buffer_work(a, 0, "A").load_bytes, instructions * 16 * 16 * 2);
    EXPECT_EQ(buffer_work(a, 0, "B").load_bytes, instructions * 16 * 8 * 2);
    const auto e = estimate("roofline", *tree);
    EXPECT_DOUBLE_EQ(find_term(e, "T_f16 tensor")->value, 2.0 * 64 * 48 * 96 / 312e12);
}

// The lanes of a warp hold a fragment together: a copy into it is one of the warp, and not one of
// each lane.
TEST(GpuWork, FragmentsAreFilledByWarps) {
    auto lines = read_file(source_path("resources/pipelines/matmul_f16.gpu.sched"));
    const std::string head = "schedule for matmul_f16\n";
    lines = lines.substr(lines.find(head) + head.size());
    auto tree = bundled_gpu_tree("matmul_f16", lines, {{"M", 256}, {"N", 256}, {"K", 64}});
    ASSERT_TRUE(tree);
    const auto a = analysis(*tree);
    const double warps = 4 * 4, steps = 4; // of 16 of the sum's terms
    EXPECT_EQ(buffer_work(a, 0, "left_block").load_bytes, warps * steps * 64 * 16 * 2);
    EXPECT_EQ(buffer_work(a, 0, "right_block").load_bytes, warps * steps * 16 * 64 * 2);
    std::map<std::string, double> instructions;
    for (const auto& point : a.kernels.at(0).work.points)
        instructions[a.work.points.at(static_cast<std::size_t>(point.point)).stage->stage.name] +=
            point.instructions;
    const double products = warps * steps * (64 / 16) * (64 / 8);
    EXPECT_GE(instructions.at("sums"), products);
    for (const auto* part : {"left_part", "right_part", "C"})
        EXPECT_LT(instructions.at(part), products) << part;
    EXPECT_DOUBLE_EQ(a.recompute.factor, 1);
}

} // namespace
