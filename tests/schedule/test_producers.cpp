// Warps that do nothing but load a stage: where they can be, how many threads they are, and what
// the tree says of them.
#include "core/device/device.h"
#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/block_threads.h"
#include "core/schedule/gpu/runnable.h"
#include "core/schedule/tree.h"
#include "tests/schedule/scheduling.h"
#include "tests/schedule/tensorize_support.h"

#include <gmock/gmock.h>

namespace loopscope::test {
namespace test_producers {

using ::testing::HasSubstr;

device::Device with_engine() {
    auto device = device::generic_gpu();
    device.gpu->capabilities.push_back("bulk_tensor_copy");
    return device;
}

constexpr const char* kBound = "C.bind(io, block.x)\nC.bind(ii, thread.y)\nC.bind(j, thread.x)\n";

// Reasons against a product whose copy of A is pipelined; `copies` are lines between its copy and
// where it is computed.
std::string reasons(const std::string& lines, const device::Device& device = with_engine(),
                    const std::string& bound = kBound, const std::string& copies = "") {
    const auto tree = tree_of(
        scheduled(product(),
                  "C.split(i, io, ii, 2)\nC.reorder(io, k, ii, j)\nAs = C.cache_read(A, shared)\n" +
                      copies + bound + "As.compute_at(C, k)\n" + lines));
    std::string out;
    for (const auto& reason : not_runnable(*tree, *device.gpu))
        out += reason.message + "; " + reason.remedy + "\n";
    return out;
}

TEST(Producers, NeedATma) {
    const std::string lines = "As.pipeline(2)\nAs.specialize(1)\n";
    EXPECT_EQ(reasons(lines), "");
    EXPECT_EQ(reasons(lines, device::generic_gpu()),
              "As has producer warpgroups, and the target has no tensor memory accelerator (TMA) "
              "for these to ask; "
              "leave out As.specialize(…), or choose a target of compute capability 9.0\n");
}

TEST(Producers, HandOverInSharedMemory) {
    EXPECT_THAT(reasons("As.scope(local)\nAs.pipeline(2)\nAs.specialize(1)\n"),
                HasSubstr("their consumers would not see it in local memory"));
}

TEST(Producers, AreNotReadAheadOf) {
    EXPECT_THAT(reasons("As.pipeline(2)\nAs.specialize(1)\nAr.pipeline(2)\n", with_engine(), kBound,
                        "Ar = C.cache_read(As, local)\nAr.compute_at(C, k)\n"),
                HasSubstr("Ar, which is pipelined, would read it ahead of being handed over"));
}

TEST(Producers, BeginWithAWarp) {
    EXPECT_THAT(reasons("As.pipeline(2)\nAs.specialize(1)\n", with_engine(),
                        "C.bind(io, block.x)\nC.bind(j, thread.x)\n"),
                HasSubstr("a block has 48 threads beside the producers of As"));
}

TEST(Producers, CountAmongABlocksThreads) {
    EXPECT_THAT(reasons("As.pipeline(2)\nAs.specialize(32)\n"),
                HasSubstr("threads, with the producers of As, and the target at most 1024"));
}

// Rows of threads along z are at most 64: producers are more of them.
TEST(Producers, AreRowsThatThereMustBeRoomFor) {
    EXPECT_THAT(reasons("As.pipeline(2)\nAs.specialize(1)\n", with_engine(),
                        "C.split(j, jo, ji, 32)\nC.bind(io, block.x)\nC.bind(ii, thread.x)\n"
                        "C.reorder(io, k, ii, ji, jo)\nC.bind(ji, thread.z)\n"),
                HasSubstr("thread.z has 96 threads, with the producers of As, and the target "
                          "at most 64"));
}

// Where the pipelined loop is the kernel's outermost, its copies lie beside the kernel in the tree.
TEST(Producers, OfAKernelsOutermostLoop) {
    const auto tree = tree_of(scheduled(
        product(), "As = C.cache_read(A, shared)\nC.reorder(k, i, j)\nC.bind(j, thread.x)\n"
                   "As.compute_at(C, k)\nAs.pipeline(2)\nAs.specialize(1)\n"));
    const auto reasons = not_runnable(*tree, *with_engine().gpu);
    ASSERT_FALSE(reasons.empty());
    EXPECT_THAT(reasons[0].message, HasSubstr("a block has 48 threads beside the producers of As"));
}

TEST(Producers, AreSeenInTheTree) {
    const auto tree = tree_of(scheduled(
        product(), "As = C.cache_read(A, shared)\nC.reorder(i, k, j)\nC.bind(i, block.x)\n"
                   "As.compute_at(C, k)\nAs.pipeline(2)\nAs.specialize(3)\n"));
    EXPECT_THAT(to_text(*tree), HasSubstr("shared by producers 3"));
    EXPECT_EQ(tree->find({"As", -1, "@storage"})->producers, 3);
}

TEST(BlockThreads, AreNumberedByLevels) {
    EXPECT_EQ(block_threads({{"thread.x", 16}, {"thread.y", 4}}, 0, 32), (BlockThreads{16, 4, 1}));
    EXPECT_EQ(block_threads({{"warp.x", 2}, {"warp.y", 3}}, 32, 32), (BlockThreads{32, 2, 3}));
    EXPECT_EQ(block_threads({{"warpgroup", 2}}, 128, 32), (BlockThreads{128, 1, 2}));
    EXPECT_EQ(block_threads({{"warpgroup", 2}, {"warp", 4}}, 0, 32), (BlockThreads{32, 4, 2}));
    EXPECT_EQ(block_threads({}, 0, 32), (BlockThreads{1, 1, 1}));
    EXPECT_EQ(thread_count({std::int64_t{1} << 30, 1 << 20, 2}), std::int64_t{1} << 40)
        << "saturated";
}

TEST(BlockThreads, ProducersAreRowsBehindTheOthers) {
    EXPECT_EQ(with_producers({128, 1, 2}, 1, 32), (BlockThreads{128, 1, 3}));
    EXPECT_EQ(with_producers({256, 1, 1}, 2, 32), (BlockThreads{512, 1, 1}));
    EXPECT_EQ(with_producers({32, 4, 1}, 1, 32), (BlockThreads{32, 8, 1}));
    EXPECT_EQ(with_producers({32, 3, 2}, 1, 32), (BlockThreads{32, 3, 4})) << "rows of 96 threads";
    EXPECT_EQ(with_producers({32, 4, 2}, 0, 32), (BlockThreads{32, 4, 2}));
}

} // namespace test_producers
} // namespace loopscope::test
