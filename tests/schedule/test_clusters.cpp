// S.bind(a, cluster.x): blocks that run at once, beside each other. What a target's clusters
// refuse.
#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_clusters {

PipelinePtr copy() {
    return parsed("pipeline p\ninput A[i, j]: f32[4096, 64]\nstage C[i, j]: f32 = A[i, j] + 1.0\n"
                  "output C: [4096, 64]\n");
}

// In clusters of x times y blocks, on a target that allows so many.
std::string reasons(int x, int y, int most) {
    auto gpu = *device::generic_gpu().gpu;
    gpu.limits.blocks_per_cluster = most;
    const auto lines = "C.split(i, io, ii, 64)\nC.split(ii, cy, ii, " + std::to_string(64 / y) +
                       ")\nC.split(ii, cx, ii, " + std::to_string(64 / y / x) +
                       ")\nC.bind(io, block.x)\nC.bind(cy, cluster.y)\nC.bind(cx, cluster.x)\n"
                       "C.bind(j, thread.x)\n";
    std::string text;
    for (const auto& reason : not_runnable(*tree_of(scheduled(copy(), lines)), gpu))
        text += reason.message + "; " + reason.remedy + "\n";
    return text;
}

TEST(Clusters, AreAsLargeAsTheTargetAllows) {
    EXPECT_EQ(reasons(4, 2, 8), "");
    EXPECT_EQ(
        reasons(4, 4, 8),
        "a cluster has 16 blocks, and the target allows at most 8; split a loop that is bound "
        "to cluster.x or cluster.y, and bind its outer part to blocks\n");
}

TEST(Clusters, AreRefusedWhereTheTargetHasNone) {
    EXPECT_EQ(
        reasons(2, 1, 0),
        "loops are bound to clusters, and the target has none; bind them to blocks, or choose "
        "a target of compute capability 9.0\n");
    EXPECT_EQ(reasons(1, 1, 0), "") << "a cluster of one block is a block";
}

} // namespace test_clusters
} // namespace loopscope::test
