// What launches take of a GPU: grids and blocks, shared memory and its plan, registers, occupancy,
// waves.
#include "gpu_support.h"
#include "tests/support/support.h"
#include "tuner/model/gpu/allocations.h"

using namespace loopscope;
using namespace loopscope::test;
using model::gpu::KernelShape;
using testing::ElementsAre;
using testing::HasSubstr;

namespace test_gpu_shape {

KernelShape shape(const ScheduleTree& tree,
                  const device::Device& device = gpu_named("a100-sxm-40gb")) {
    const auto a = analysis(tree, device);
    EXPECT_FALSE(a.kernels.empty());
    return a.kernels.empty() ? KernelShape{} : a.kernels.front().shape;
}

std::vector<std::string> reached(const KernelShape& shape) {
    std::vector<std::string> out;
    for (const auto& limit : shape.occupancy->limits)
        if (limit.reached)
            out.push_back(limit.name);
    return out;
}

const std::map<std::string, std::int64_t> kProduct{{"M", 1024}, {"N", 1024}, {"K", 1024}};

// 16 for a thread's own affairs, 3 addresses of 2, 16 elements of the accumulators, an element of
// As and one of Bs: 40. A warp has 40 × 32 = 1280, a whole number of units; each of four parts of
// 16384 holds 12, hence 48 warps, 6 blocks of 8.
TEST(GpuShape, ATiledProduct) {
    auto tree = bundled_gpu_tree("matmul", kTiledMatmul, kProduct);
    ASSERT_TRUE(tree);
    for (const auto& [name, processors] : {std::pair{"a100-sxm-40gb", 108}, {"h200", 132}}) {
        const auto s = shape(*tree, gpu_named(name));
        EXPECT_THAT(s.grid, ElementsAre(16, 16, 1));
        EXPECT_THAT(s.block, ElementsAre(16, 16, 1));
        EXPECT_EQ(s.blocks, 256);
        EXPECT_EQ(s.threads, 256);
        EXPECT_TRUE(s.bound);
        EXPECT_EQ(s.shared_bytes, 64 * 16 * 4 + 16 * 64 * 4);
        EXPECT_EQ(s.registers, 40) << s.registers_from;
        ASSERT_TRUE(s.occupancy);
        EXPECT_EQ(s.occupancy->blocks, 6);
        EXPECT_EQ(s.occupancy->active_warps, 48);
        EXPECT_THAT(reached(s), ElementsAre("registers"));
        EXPECT_EQ(s.blocks_at_once, 6 * processors);
        EXPECT_EQ(s.waves, 1);
        EXPECT_DOUBLE_EQ(s.last_wave, 256.0 / (6 * processors));
        // Some multiprocessors have three of the 256 blocks, or two.
        EXPECT_DOUBLE_EQ(s.imbalance, (name[0] == 'a' ? 3 : 2) * processors / 256.0);
    }
}

// In an unrolled tile, rows outside of columns, one element of As waits for its row, all four of Bs
// for the next row.
TEST(GpuShape, WhatUnrolledLoopsUseAgainIsHeld) {
    const std::string tiled = kTiledMatmul;
    auto by_rows = bundled_gpu_tree("matmul", tiled + "Cl.unroll(i)\nCl.unroll(j)\n", kProduct);
    auto by_columns = bundled_gpu_tree(
        "matmul", tiled + "Cl.reorder(j, i)\nCl.unroll(i)\nCl.unroll(j)\n", kProduct);
    ASSERT_TRUE(by_rows && by_columns);
    EXPECT_EQ(shape(*by_rows).registers, 16 + 3 * 2 + 16 + 1 + 4);
    EXPECT_EQ(shape(*by_columns).registers, 16 + 3 * 2 + 16 + 4 + 1);
    // A step of the sum that is unrolled as well is done with before the next one.
    auto steps =
        bundled_gpu_tree("matmul", tiled + "Cl.unroll(ki)\nCl.unroll(i)\nCl.unroll(j)\n", kProduct);
    ASSERT_TRUE(steps);
    EXPECT_EQ(shape(*steps).registers, shape(*by_rows).registers);
}

// A thread makes eight rows of four points, of ten rows of blur_x: three of these are in use at
// once. Where a loop runs over rows none of the forty points can go.
TEST(GpuShape, AWindowOfOwnMemoryIsHeldWhereNoLoopRuns) {
    const std::string tiled = "out.tile(y, x, yo, xo, yi, xi, 64, 128)\n"
                              "out.tile(yi, xi, yt, xt, yr, xv, 8, 4)\n"
                              "out.bind(yo, block.y)\nout.bind(xo, block.x)\n"
                              "out.bind(yt, thread.y)\nout.bind(xt, thread.x)\n"
                              "out.vectorize(xv)\nblur_x.compute_at(out, xt)\n"
                              "blur_x.scope(register)\nblur_x.vectorize(x)\n";
    auto unrolled = bundled_gpu_tree("blur", tiled + "out.unroll(yr)\nblur_x.unroll(y)\n",
                                     {{"H", 512}, {"W", 512}});
    auto rows = bundled_gpu_tree("blur", tiled, {{"H", 512}, {"W", 512}});
    ASSERT_TRUE(unrolled && rows);
    EXPECT_THAT(shape(*unrolled).registers_from, HasSubstr(" + 12 of own memory"));
    EXPECT_THAT(shape(*rows).registers_from, HasSubstr(" + 40 of own memory"));
    // Two virtual threads have a window each.
    auto in_turn = bundled_gpu_tree("blur",
                                    "out.tile(y, x, yo, xo, yi, xi, 128, 128)\n"
                                    "out.tile(yi, xi, yt, xt, yr, xv, 8, 4)\n"
                                    "out.split(yt, v, yt, 8)\nout.reorder(v, yt, xt, yr, xv)\n"
                                    "out.bind(yo, block.y)\nout.bind(xo, block.x)\n"
                                    "out.bind(v, vthread)\nout.bind(yt, thread.y)\n"
                                    "out.bind(xt, thread.x)\nout.vectorize(xv)\n"
                                    "out.unroll(yr)\nblur_x.compute_at(out, xt)\n"
                                    "blur_x.scope(register)\nblur_x.vectorize(x)\n"
                                    "blur_x.unroll(y)\n",
                                    {{"H", 512}, {"W", 512}});
    ASSERT_TRUE(in_turn);
    EXPECT_THAT(shape(*in_turn).registers_from, HasSubstr(" + 24 of own memory"));
}

TEST(GpuShape, PipelinesHaveCopies) {
    auto tree = bundled_gpu_tree(
        "matmul", std::string(kTiledMatmul) + "As.pipeline(3)\nBs.pipeline(4)\n", kProduct);
    ASSERT_TRUE(tree);
    EXPECT_EQ(shape(*tree).shared_bytes, 3 * 4096 + 4 * 4096);
}

TEST(GpuShape, MoreBlocksThanFitRunInWaves) {
    const char* lines = "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n";
    auto tree = bundled_gpu_tree("copy", lines);
    ASSERT_TRUE(tree);
    // 64 warps of a multiprocessor, 8 of a block: 8 × 108 blocks at once of 512 × 128.
    const auto s = shape(*tree);
    EXPECT_EQ(s.blocks_at_once, 864);
    EXPECT_EQ(s.waves, 76);
    EXPECT_DOUBLE_EQ(s.last_wave, (65536.0 - 75 * 864) / 864);
    EXPECT_THAT(reached(s), ElementsAre("warps"));
    // One block more than a wave has.
    auto small = bundled_gpu_tree("copy", lines, {{"H", 8}, {"W", 32 * 865}});
    EXPECT_EQ(shape(*small).waves, 2);
    EXPECT_DOUBLE_EQ(shape(*small).last_wave, 1.0 / 864);
    EXPECT_DOUBLE_EQ(shape(*small).imbalance, 9 * 108 / 865.0);
}

// 864 blocks at once: rows of 128, hence six rows, that take the others of 512 in turn. Of the rows
// two take 86 tiles in each column, the others 85; the first 12 multiprocessors have eight blocks,
// three of them of those two rows.
TEST(GpuShape, BlocksThatStayTakeTurns) {
    auto tree = bundled_gpu_tree("copy", "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n"
                                         "out.persistent(by)\nout.persistent(bx)\n");
    ASSERT_TRUE(tree);
    const auto s = shape(*tree);
    EXPECT_TRUE(s.persistent);
    EXPECT_THAT(s.grid, ElementsAre(128, 512, 1));
    EXPECT_THAT(s.launched, ElementsAre(128, 6, 1));
    EXPECT_EQ(s.blocks_at_once, 768);
    EXPECT_EQ(s.waves, 86);
    EXPECT_DOUBLE_EQ(s.last_wave, 2.0 / 6);
    EXPECT_DOUBLE_EQ(s.imbalance, (3 * 86 + 5 * 85) * 108 / 65536.0);
    auto small = bundled_gpu_tree("copy",
                                  "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n"
                                  "out.persistent(by)\n",
                                  {{"H", 64}, {"W", 64 * 432}});
    EXPECT_THAT(shape(*small).launched, ElementsAre(864, 1, 1));
    expect_simt_counts_hold(*small);
    // Where all run at once there are no turns.
    auto few =
        bundled_gpu_tree("copy", "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\nout.persistent(by)\n",
                         {{"H", 64}, {"W", 64}});
    EXPECT_THAT(shape(*few).launched, ElementsAre(2, 8, 1));
    EXPECT_EQ(shape(*few).waves, 1);
}

// What occupancy follows from is what the tree tells lowering as well.
TEST(GpuShape, BlocksThatStayAllRunAtOnce) {
    auto text = read_file(source_path("resources/pipelines/matmul_f16.gpu_persistent.sched"));
    text.erase(0, text.find("sums = "));
    for (const auto* name : {"a100-sxm-40gb", "h200"}) {
        const auto device = gpu_named(name);
        auto tree = bundled_gpu_tree("matmul_f16", text, {{"M", 4096}, {"N", 4096}}, device);
        ASSERT_TRUE(tree);
        const auto s = shape(*tree, device);
        EXPECT_EQ(s.launched_blocks(), s.occupancy->blocks * device.gpu->multiprocessors) << name;
        EXPECT_EQ(s.occupancy->blocks, 2);
    }
}

// Three stages one after another in a block: the first is not in use any more when the third is.
TEST(GpuShape, MemoryThatIsNotInUseAtOnceLiesAtOnePlace) {
    const char* chain = R"(pipeline chain
input I[i]: f32[4096]
stage a[i]: f32 = I[i]*2.0
stage b[i]: f32 = a[i]*3.0
stage c[i]: f32 = b[i]*4.0
stage out[i]: f32 = c[i]*5.0
output out: [4096]
)";
    auto tree = gpu_tree(chain, "out.split(i, bo, t, 256)\nout.bind(bo, block.x)\n"
                                "out.bind(t, thread.x)\nc.compute_at(out, bo)\n"
                                "b.compute_at(out, bo)\na.compute_at(out, bo)\n");
    ASSERT_TRUE(tree);
    EXPECT_EQ(shape(*tree).shared_bytes, 2 * 256 * 4) << to_text(*tree);
    expect_simt_counts_hold(*tree);
}

TEST(GpuShape, RoomsArePlacedLargestFirst) {
    using model::gpu::Allocation;
    // c is not in use together with a; b is with both.
    std::vector<Allocation> allocations{
        {"a", 100, 0, 0, 4}, {"b", 300, 0, 3, 8}, {"c", 200, 0, 6, 9}};
    EXPECT_EQ(model::gpu::place_allocations(allocations, 128), 384 + 200);
    EXPECT_EQ(allocations[0].stage, "b");
    EXPECT_EQ(allocations[0].offset, 0);
    EXPECT_EQ(allocations[1].offset, 384);
    EXPECT_EQ(allocations[2].offset, 384);
}

TEST(GpuShape, WarpsAndClustersAreAxesOfBlocksAndGrids) {
    auto tree = bundled_gpu_tree("copy",
                                 "out.split(y, b, w, 8)\nout.split(w, g, w, 4)\n"
                                 "out.bind(b, block.x)\nout.bind(g, warpgroup)\n"
                                 "out.bind(w, warp)\nout.split(x, xo, l, 32)\n"
                                 "out.bind(l, thread.x)\nout.split(xo, c, xi, 64)\n"
                                 "out.bind(c, cluster.x)\n",
                                 {}, gpu_named("h200"));
    ASSERT_TRUE(tree);
    const auto s = shape(*tree, gpu_named("h200"));
    EXPECT_THAT(s.grid, ElementsAre(512 * 2, 1, 1));
    EXPECT_THAT(s.cluster, ElementsAre(2, 1, 1));
    EXPECT_THAT(s.block, ElementsAre(32, 4, 2));
}

TEST(GpuShape, ALaunchForEachDefinition) {
    const char* text = R"(pipeline twice
input I[i]: f32[1024]
stage S[i]: f32 = I[i]
update S[i] += I[i]
output S: [1024]
)";
    auto tree = gpu_tree(text, "S.bind(i, block.x)\n");
    ASSERT_TRUE(tree);
    const auto a = analysis(*tree);
    ASSERT_EQ(a.kernels.size(), 2u);
    EXPECT_EQ(a.kernels[0].launch.name, "S");
    EXPECT_EQ(a.kernels[0].shape.blocks, 1024);
    EXPECT_EQ(a.kernels[1].launch.name, "S.update(0)");
    EXPECT_EQ(a.kernels[1].shape.blocks, 1);
    EXPECT_FALSE(a.kernels[1].shape.bound);
    // What the first launch wrote comes back from memory.
    EXPECT_EQ(buffer_work(a, 1, "S").dram_load_bytes, 4096);
    EXPECT_EQ(buffer_work(a, 0, "S").dram_load_bytes, 0);
}

TEST(GpuShape, RegistersAsTheAssemblerSaysReplaceTheEstimate) {
    auto tree = bundled_gpu_tree("matmul", kTiledMatmul, kProduct);
    ASSERT_TRUE(tree);
    model::EstimateOptions options;
    options.registers["C"] = 128; // 4096 a warp: 4 of each part, 16 warps, 2 blocks
    const auto device = gpu_named("a100-sxm-40gb");
    auto e = model::find_model("bottleneck", device)->estimate(*tree, device, options);
    ASSERT_EQ(e.kernels.size(), 1u);
    EXPECT_EQ(e.kernels[0].gpu->registers, 128);
    EXPECT_TRUE(e.kernels[0].gpu->registers_measured);
    EXPECT_EQ(e.kernels[0].gpu->occupancy->blocks, 2);
    options.registers["C"] = 300;
    e = model::find_model("bottleneck", device)->estimate(*tree, device, options);
    EXPECT_FALSE(e.seconds);
    EXPECT_THAT(e.reason, HasSubstr("`C`: a block has 300 registers a thread, and a100-sxm-40gb "
                                    "allows 255; compute less in one thread"));
}

// An estimate beyond what a thread may have is of values that lie in memory: that runs.
TEST(GpuShape, RegistersBeyondTheMostAreSpilled) {
    auto tree = bundled_gpu_tree("matmul",
                                 "Cl = C.cache_write(local)\n"
                                 "C.tile(i, j, io, jo, ii, ji, 32, 32)\nC.bind(io, block.x)\n"
                                 "C.bind(jo, thread.x)\nCl.compute_at(C, jo)\n",
                                 kProduct);
    ASSERT_TRUE(tree);
    const auto s = shape(*tree);
    EXPECT_EQ(s.registers, 255);
    EXPECT_EQ(s.registers_spilled, 16 + 3 * 2 + 32 * 32 + 2 - 255);
    EXPECT_TRUE(s.runnable());
}

TEST(GpuShape, WhatBreaksALimitHasResourcesAndAReason) {
    auto tree = bundled_gpu_tree("matmul",
                                 "C.gpu_tile(i, j, io, jo, ii, ji, 64, 64)\n"
                                 "As = C.cache_read(A, shared)\nAs.compute_at(C, jo)\n",
                                 kProduct);
    ASSERT_TRUE(tree);
    for (const auto* name : {"bottleneck", "roofline"}) {
        const auto e = estimate(name, *tree);
        EXPECT_FALSE(e.seconds);
        EXPECT_THAT(e.reason, HasSubstr("a block has 4096 threads, and the target at most 1024"));
        EXPECT_THAT(e.reason, HasSubstr("a block needs 262144 bytes of shared memory"));
        ASSERT_EQ(e.kernels.size(), 1u);
        EXPECT_EQ(e.kernels[0].gpu->threads, 4096);
        EXPECT_EQ(e.kernels[0].gpu->shared_bytes, 64 * 1024 * 4);
        EXPECT_FALSE(e.kernels[0].gpu->occupancy);
        EXPECT_EQ(e.flops, 2.0 * 1024 * 1024 * 1024);
    }
    auto tall = bundled_gpu_tree("copy", "out.bind(y, block.y)\nout.bind(x, thread.x)\n",
                                 {{"H", 70000}, {"W", 32}});
    ASSERT_TRUE(tall);
    EXPECT_THAT(estimate("bottleneck", *tall).reason,
                HasSubstr("block.y has 70000 blocks, and the target at most 65535"));
}

// Each virtual thread has accumulators of its own; what a block shares is there once.
TEST(GpuShape, VirtualThreadsHaveTheirOwnRegisters) {
    const std::string tiled = "Cl = C.cache_write(local)\n"
                              "C.tile(i, j, io, jo, ii, ji, 32, 32)\nC.split(ii, v, t, 16)\n"
                              "C.bind(io, block.y)\nC.bind(jo, block.x)\n"
                              "C.reorder(io, jo, v, t, ji)\nC.bind(t, thread.y)\n"
                              "C.bind(ji, thread.x)\nCl.compute_at(C, ji)\n"
                              "Cl.split(k, ko, ki, 8)\nBs = Cl.cache_read(B, shared)\n"
                              "Bs.compute_at(Cl, ko)\n";
    auto serial = bundled_gpu_tree("matmul", tiled, kProduct),
         in_turn = bundled_gpu_tree("matmul", tiled + "C.bind(v, vthread)\n", kProduct);
    ASSERT_TRUE(serial && in_turn);
    EXPECT_EQ(shape(*in_turn).shared_bytes, 8 * 32 * 4);
    // An accumulator and, of the two rows, an element of A more.
    EXPECT_EQ(shape(*in_turn).registers, shape(*serial).registers + 2);
    // Both rows share what is read of Bs, and what is copied to it.
    const auto before = buffer_work(analysis(*serial), 0, "Bs"),
               after = buffer_work(analysis(*in_turn), 0, "Bs");
    EXPECT_EQ(before.load_bytes, 2 * after.load_bytes);
    EXPECT_EQ(before.store_bytes, 2 * after.store_bytes);
}

} // namespace test_gpu_shape
