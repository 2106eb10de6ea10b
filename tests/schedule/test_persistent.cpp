// S.persistent(a): how many blocks run, by the occupancy of the device, and what is refused.
#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/persistence.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_persistent {

TEST(Persistent, IsForLoopsOfBlocks) {
    EXPECT_EQ(refusal(matmul(), "C.persistent(i)\n"),
              "1:14 C.i is bound to no block; first C.bind(i, block.x)");
    EXPECT_EQ(refusal(matmul(), "C.bind(i, thread.x)\nC.persistent(i)\n"),
              "2:14 C.i is bound to thread.x; first C.bind(i, block.x)");
    EXPECT_EQ(refusal(matmul(), "C.bind(j, block.x)\nC.persistent(i)\n"),
              "2:14 C.i is bound to no block; first C.bind(i, block.y)");
    EXPECT_EQ(
        refusal(matmul(), "C.persistent(k)\n"),
        "1:14 C.k is bound to no block; it would have to be bound first, and C.k cannot be bound "
        "to block.x: it runs over a reduction axis, and all its iterations combine into the same "
        "element; legal to run in parallel: i, j; after C.atomic() iterations may collide; "
        "R = C.rfactor(k) makes them independent in R");
    EXPECT_EQ(refusal(matmul(), "C.bind(i, block.x)\nC.persistent(i)\n"), "applied");
    expect_round_trip("C.persistent(i)");
}

// 6000 x 512 elements of f32, a block's part first in shared memory.
PipelinePtr copy() {
    return parsed("pipeline p\ninput A[i, j]: f32[6000, 512]\nstage C[i, j]: f32 = A[i, j] + 1.0\n"
                  "output C: [6000, 512]\n");
}

std::map<std::string, std::int64_t> blocks(const std::string& lines,
                                           const device::Device& device = device::generic_gpu()) {
    std::map<std::string, std::int64_t> out;
    const auto tree = tree_of(scheduled(copy(), lines));
    for (const auto& [loop, count] : persistent_blocks(map_to_gpu(*tree), device))
        out[loop.text()] = count;
    return out;
}

using Counts = std::map<std::string, std::int64_t>;

// 108 multiprocessors with 2048 threads each.
TEST(Persistent, AsManyBlocksRunAsTheDeviceHolds) {
    EXPECT_EQ(blocks("C.bind(i, block.x)\nC.bind(j, thread.x)\n"), Counts{});
    EXPECT_EQ(blocks("C.bind(i, block.x)\nC.bind(j, thread.x)\nC.persistent(i)\n"),
              (Counts{{"C/i", 108 * 2048 / 512}}));
    // No more than there is to do.
    EXPECT_EQ(blocks("C.split(i, io, ii, 64)\nC.bind(io, block.x)\nC.bind(j, thread.x)\n"
                     "C.persistent(io)\n"),
              (Counts{{"C/io", 94}}));
    // 32 blocks of a multiprocessor are the most.
    EXPECT_EQ(blocks("C.split(j, jo, ji, 16)\nC.bind(i, block.x)\nC.bind(ji, thread.x)\n"
                     "C.reorder(i, ji, jo)\nC.persistent(i)\n"),
              (Counts{{"C/i", 108 * 32}}));
    auto few = device::generic_gpu();
    few.gpu->multiprocessors = 2;
    EXPECT_EQ(blocks("C.bind(i, block.x)\nC.bind(j, thread.x)\nC.persistent(i)\n", few),
              (Counts{{"C/i", 8}}));
}

// What limits occupancy: 64 KiB of shared memory, 2 blocks of 164 KiB; registers of a thread's own.
TEST(Persistent, SharedMemoryAndRegistersCount) {
    const std::string tile = "C.split(i, io, ii, 32)\nC.bind(io, block.x)\nC.bind(j, thread.x)\n"
                             "C.reorder(io, j, ii)\n";
    EXPECT_EQ(blocks(tile + "C.persistent(io)\n"), (Counts{{"C/io", 188}}));
    EXPECT_EQ(
        blocks(tile + "As = C.cache_read(A, shared)\nAs.compute_at(C, io)\nC.persistent(io)\n",
               [] {
                   auto device = device::generic_gpu();
                   device.gpu->multiprocessors = 10;
                   return device;
               }()),
        (Counts{{"C/io", 20}}));
    auto ten = device::generic_gpu();
    ten.gpu->multiprocessors = 10;
    // 512 threads of 32 + 32 registers: two blocks of 32,768.
    EXPECT_EQ(
        blocks(tile + "As = C.cache_read(A, register)\nAs.compute_at(C, j)\nC.persistent(io)\n",
               ten),
        (Counts{{"C/io", 20}}));
    EXPECT_EQ(blocks(tile + "C.persistent(io)\n", ten), (Counts{{"C/io", 40}}));
}

// Beside other dimensions of the grid there are fewer; of two persistent ones x has as many as it
// can.
TEST(Persistent, DimensionsShareWhatThereIs) {
    const std::string tile =
        "C.split(i, io, ii, 8)\nC.split(j, jo, ji, 64)\nC.reorder(io, jo, ii, ji)\n"
        "C.bind(io, block.y)\nC.bind(jo, block.x)\nC.bind(ii, thread.y)\n"
        "C.bind(ji, thread.x)\n";
    EXPECT_EQ(blocks(tile + "C.persistent(io)\n"), (Counts{{"C/io", 432 / 8}}));
    EXPECT_EQ(blocks(tile + "C.persistent(jo)\n"), (Counts{{"C/jo", 1}}));
    EXPECT_EQ(blocks(tile + "C.persistent(io)\nC.persistent(jo)\n"),
              (Counts{{"C/io", 54}, {"C/jo", 8}}));
}

TEST(Persistent, IsShownInTheTree) {
    const auto tree = tree_of(scheduled(copy(), "C.bind(i, block.x)\nC.persistent(i)\n"));
    EXPECT_THAT(to_text(*tree), testing::HasSubstr("i 6000 block.x persistent"));
    EXPECT_NE(tree->root->hash, tree_of(scheduled(copy(), "C.bind(i, block.x)\n"))->root->hash);
    // Bound anew it is an ordinary loop of blocks.
    EXPECT_THAT(to_text(*tree_of(scheduled(
                    copy(), "C.bind(i, block.x)\nC.persistent(i)\nC.bind(i, block.y)\n"))),
                testing::Not(testing::HasSubstr("persistent")));
}

TEST(Persistent, LoopsThatAreOneAreBothSoOrNeither) {
    const auto pair = parsed("pipeline p\ninput A[i]: f32[64]\nstage B[i]: f32 = A[i]*2.0\n"
                             "stage C[i]: f32 = A[i] + 1.0\noutput B: [64]\noutput C: [64]\n");
    const std::string bound = "B.bind(i, block.x)\nC.bind(i, block.x)\n";
    const std::string why =
        "B.i and C.i run in different ways, and would be one loop; give both the "
        "same kind before they are merged";
    EXPECT_THAT(refusal(pair, bound + "C.persistent(i)\nB.compute_with(C, i)\n"),
                testing::HasSubstr(why));
    EXPECT_THAT(refusal(pair, bound + "B.compute_with(C, i)\nC.persistent(i)\n"),
                testing::HasSubstr(why));
    EXPECT_EQ(refusal(pair, bound + "B.persistent(i)\nC.persistent(i)\n"
                                    "B.compute_with(C, i)\n"),
              "applied");
}

// Beyond the limit there are fewer of them.
TEST(Persistent, TheGridIsNoLargerThanWhatRunsAtOnce) {
    const auto large = parsed("pipeline p\ninput A[i, j]: f32[100000, 32]\n"
                              "stage C[i, j]: f32 = A[i, j] + 1.0\noutput C: [100000, 32]\n");
    const std::string lines = "C.bind(i, block.y)\nC.bind(j, thread.x)\n";
    const auto& gpu = *device::generic_gpu().gpu;
    EXPECT_FALSE(not_runnable(*tree_of(scheduled(large, lines)), gpu).empty());
    EXPECT_TRUE(not_runnable(*tree_of(scheduled(large, lines + "C.persistent(i)\n")), gpu).empty());
}

TEST(Persistent, IsRefusedBesideClusters) {
    const auto tree = tree_of(
        scheduled(copy(), "C.split(i, io, ii, 8)\nC.split(io, io, ic, 2)\nC.bind(io, block.x)\n"
                          "C.bind(ic, cluster.x)\nC.bind(j, thread.x)\nC.persistent(io)\n"));
    const auto reasons = not_runnable(*tree, *device::generic_gpu().gpu);
    ASSERT_FALSE(reasons.empty());
    EXPECT_EQ(
        reasons[0].message + "; " + reasons[0].remedy,
        "C/io is persistent beside loops that are bound to clusters: blocks of one cluster would "
        "be at different iterations; leave out C.persistent(io), or bind the others to blocks");
}

} // namespace test_persistent
} // namespace loopscope::test
