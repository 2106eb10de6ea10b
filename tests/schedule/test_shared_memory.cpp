// Memory that a block's threads share holds what all of them need (languages.md: the box of a
// buffer is taken over all binding levels that share its scope).
#include "core/schedule/region.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_shared_memory {

const std::string kBlocks = "CL = C.cache_write(register)\nC.tile(i, j, io, jo, ii, ji, 16, 16)\n"
                            "C.bind(io, block.y)\nC.bind(jo, block.x)\nC.bind(ii, thread.y)\n"
                            "C.bind(ji, thread.x)\nCL.compute_at(C, ji)\nCL.split(k, ko, ki, 8)\n";

PipelinePtr product() {
    return parsed("pipeline p\ninput A[i, k]: f32[64, 64]\ninput B[k, j]: f32[64, 64]\n"
                  "stage C[i, j]: f32 = sum[k in 0..64](A[i, k]*B[k, j])\noutput C: [64, 64]\n");
}

std::vector<std::int64_t> extents(const Applied& applied, const std::string& stage) {
    return tree_of(applied)->layout->stages.at(stage).extents;
}

const TreeNode* storage(const ScheduleTreePtr& tree, const std::string& stage) {
    return tree->find({stage, -1, "@storage"});
}

TEST(SharedMemory, HoldsWhatAllThreadsOfABlockNeed) {
    auto lines = [](const char* scope) {
        return kBlocks + "As = CL.cache_read(A, " + scope + ")\nAs.compute_at(CL, ko)\n";
    };
    EXPECT_EQ(extents(scheduled(product(), lines("shared")), "As"),
              (std::vector<std::int64_t>{16, 8}));
    EXPECT_EQ(extents(scheduled(product(), lines("register")), "As"),
              (std::vector<std::int64_t>{1, 8}));
    // Global memory holds all of it: a block's part is no answer.
    EXPECT_EQ(extents(scheduled(product(), lines("global")), "As")[1], 8);
    EXPECT_GT(extents(scheduled(product(), lines("global")), "As")[0], 16);
}

// Whatever the order of the lines.
TEST(SharedMemory, BindingLaterIsTheSame) {
    auto applied = scheduled(
        product(), "CL = C.cache_write(register)\nC.tile(i, j, io, jo, ii, ji, 16, 16)\n"
                   "CL.compute_at(C, ji)\nCL.split(k, ko, ki, 8)\n"
                   "As = CL.cache_read(A, shared)\nAs.compute_at(CL, ko)\nC.bind(io, block.y)\n"
                   "C.bind(jo, block.x)\nC.bind(ii, thread.y)\nC.bind(ji, thread.x)\n");
    EXPECT_EQ(refusal(applied), "applied");
    EXPECT_EQ(extents(applied, "As"), (std::vector<std::int64_t>{16, 8}));
}

TEST(SharedMemory, IsInferredFromWhatIsBoundAround) {
    const auto pair = parsed("pipeline pair\n"
                             "input img[y, x]: f32[64, 48] boundary edge\n"
                             "stage a[y, x] = img[y, x - 1] + img[y, x + 1]\n"
                             "stage out[y, x] = a[y, x] * 2.0\n"
                             "output out: [64, 48]\n");
    auto scope = [&](const std::string& lines) {
        return storage(tree_of(scheduled(pair, lines)), "a")->scope.name;
    };
    EXPECT_EQ(scope(""), "host");
    const std::string tiled = "out.split(x, xo, xi, 8)\nout.bind(xo, block.x)\n";
    EXPECT_EQ(scope(tiled + "out.bind(xi, thread.x)\na.compute_at(out, xo)\n"), "shared");
    EXPECT_EQ(scope(tiled + "out.bind(xi, thread.x)\na.compute_at(out, xi)\n"), "local");
    EXPECT_EQ(scope(tiled + "a.compute_at(out, xi)\n"), "shared");
    EXPECT_EQ(scope("out.split(x, xo, xi, 8)\nout.bind(xo, vthread)\na.compute_at(out, xo)\n"),
              "local");
}

} // namespace test_shared_memory
} // namespace loopscope::test
