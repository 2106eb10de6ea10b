// Instructions of warpgroups: which memory they take factors out of, how that lies, and what makes
// a schedule not runnable.
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/schedule/gpu/fragments.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_warpgroup_products {

using testing::HasSubstr;

// That compute capability 9.0 has more than 8.0.
device::Device hopper() {
    auto device = device::generic_gpu();
    device.gpu->architecture = "sm_90a";
    for (const char* type : {"f16", "bf16"})
        device.gpu->tensor_intrinsics.push_back(std::string("wgmma_m64nNk16_") + type);
    device.gpu->limits.shared_bytes_per_block = 227 << 10;
    return device;
}

const std::string kRowMajor = "input B[k, j]: f16[128, 256]",
                  kTransposed = "input B[j, k]: f16[256, 128]";

PipelinePtr product(const std::string& right = kRowMajor, const std::string& element = "B[k, j]") {
    return parsed("pipeline product\ninput A[i, k]: f16[128, 128]\n" + right +
                  "\nstage C[i, j]: f32 = sum[k in 0..128](f32(A[i, k])*f32(" + element +
                  "))\noutput C: [128, 256]\n");
}

const std::string kTiles =
    "S = C.cache_write(fragment)\nC.split(i, ig, i, 64)\nC.split(j, jb, j, 128)\n"
    "C.reorder(ig, jb, i, j)\nC.bind(ig, warpgroup)\nC.bind(jb, block.x)\n"
    "C.reorder(jb, ig, i, j)\nS.compute_at(C, ig)\nS.split(k, ks, k, 16)\n"
    "S.split(ks, kb, ks, 4)\nS.reorder(kb, ks, i, j, k)\nS.unroll(ks)\n";
const std::string kTensorize = "S.tensorize(i, wgmma_m64n128k16_f16)\n";
const std::string kShared = "As = S.cache_read(A, shared)\nBs = S.cache_read(B, shared)\n"
                            "As.compute_at(S, kb)\nBs.compute_at(S, kb)\n";
const std::string kSwizzled = kShared + "As.swizzle()\nBs.swizzle()\n";

Applied applied(const std::string& lines, const PipelinePtr& pipeline = product()) {
    const auto device = hopper();
    return scheduled(pipeline, lines, ApplyContext{&device, &declared_intrinsics()});
}

std::string problem(const std::string& lines, const PipelinePtr& pipeline = product()) {
    const auto reasons = not_runnable(*tree_of(applied(lines, pipeline)), *hopper().gpu);
    return reasons.empty() ? "runs" : reasons[0].message + "; " + reasons[0].remedy;
}

TEST(WarpgroupProducts, AreOfDevicesThatListThem) {
    EXPECT_THAT(refusal(product(), kTiles + kTensorize),
                HasSubstr("declares no intrinsic wgmma_m64n128k16_f16"));
    EXPECT_EQ(refusal(applied(kTiles + kTensorize)), "applied");
    const auto gpu = *hopper().gpu;
    for (const char* name : {"wgmma_m64n8k16_f16", "wgmma_m64n256k16_bf16"})
        EXPECT_TRUE(gpu.has_intrinsic(name)) << name;
    for (const char* name : {"wgmma_m64n12k16_f16", "wgmma_m64n264k16_f16", "wgmma_m64n0k16_f16",
                             "wgmma_m64nk16_f16", "wgmma_m64n128k8_tf32", "wgmma_m64n128k16_f16x",
                             "wgmma_m64n99999999999999999999k16_f16", "wgmma_m64n-8k16_f16"})
        EXPECT_FALSE(gpu.has_intrinsic(name)) << name;
}

// Rows of A along k, 64 elements of f16: one panel. Those of B along j, 128: two of 64 rows of 128
// bytes.
TEST(WarpgroupProducts, TakeFactorsAsTheyLie) {
    const auto lines = kTiles + kTensorize + kSwizzled;
    EXPECT_EQ(problem(lines), "runs");
    const auto found = find_fragments(*tree_of(applied(lines)));
    const auto& matrices = found.matrices.at({"S", 0});
    EXPECT_EQ(matrices.at("A"), (SharedMatrix{1, 16, 64, 128, 0}));
    EXPECT_EQ(matrices.at("B"), (SharedMatrix{1, 128, 16, 128, 64 * 128}));
    EXPECT_EQ(found.layouts.at("S").operand->registers, 64);
}

TEST(WarpgroupProducts, TakeTheOtherOrderOfRowsAsWell) {
    const auto pipeline = product(kTransposed, "B[j, k]");
    const auto lines = kTiles + kTensorize + kSwizzled;
    EXPECT_EQ(problem(lines, pipeline), "runs");
    const auto found = find_fragments(*tree_of(applied(lines, pipeline)));
    EXPECT_EQ(found.matrices.at({"S", 0}).at("B"), (SharedMatrix{0, 16, 128, 128, 0}));
}

TEST(WarpgroupProducts, WantFactorsInSharedMemory) {
    EXPECT_THAT(
        problem(kTiles + kTensorize),
        HasSubstr("A is operand A of wgmma_m64n128k16_f16, which reads it out of memory that the "
                  "block shares; a copy there: S.cache_read(A, shared)"));
    EXPECT_THAT(
        problem(kTiles + kTensorize +
                "As = S.cache_read(A, register)\nAs.compute_at(S, kb)\n"
                "Bs = S.cache_read(B, shared)\nBs.compute_at(S, kb)\nBs.swizzle()\n"),
        HasSubstr("As is operand A of wgmma_m64n128k16_f16, which reads it out of memory that the "
                  "block shares, and is in register memory"));
}

TEST(WarpgroupProducts, WantRowsSwizzled) {
    EXPECT_EQ(problem(kTiles + kTensorize + kShared + "Bs.swizzle()\n"),
              "As is operand A of wgmma_m64n128k16_f16, which takes rows whose chunks have changed "
              "places; "
              "As.swizzle()");
}

TEST(WarpgroupProducts, StandInLoopsOfWarpgroupsAlone) {
    auto lines = kTiles + kTensorize + kSwizzled;
    lines.replace(lines.find("warpgroup"), 9, "thread.y");
    EXPECT_THAT(problem(lines),
                HasSubstr("all lanes of a warpgroup do together, inside of C/ig, which is "
                          "bound to thread.y; bind C/ig to warpgroup"));
    lines.replace(lines.find("thread.y"), 8, "warp");
    EXPECT_THAT(problem(lines), HasSubstr("bind C/ig to warpgroup"));
}

TEST(WarpgroupProducts, BeginAtWholeRows) {
    const auto narrow =
        "S = C.cache_write(fragment)\nC.split(i, ig, i, 64)\nC.split(j, jb, j, 256)\n"
        "C.split(j, jt, j, 64)\nC.reorder(jb, ig, jt, i, j)\nC.bind(ig, warpgroup)\n"
        "C.bind(jb, block.x)\nS.compute_at(C, jt)\nS.split(k, ks, k, 16)\n"
        "S.reorder(ks, i, j, k)\nS.tensorize(i, wgmma_m64n64k16_f16)\n"
        "As = S.cache_read(A, shared)\nBs = S.cache_read(B, shared)\n"
        "As.compute_at(C, jb)\nBs.compute_at(C, jb)\nAs.swizzle()\nBs.swizzle()\n";
    EXPECT_EQ(problem(narrow), "runs");
    const auto found = find_fragments(*tree_of(applied(narrow)));
    EXPECT_EQ(found.matrices.at({"S", 0}).at("B").panel_bytes, 0)
        << "64 elements are a panel's row";
}

// A stage that both factors come from lies once, and each takes it its own way.
TEST(WarpgroupProducts, TakeBothFactorsOutOfOneStage) {
    const auto gram = parsed("pipeline gram\ninput A[i, k]: f16[128, 64]\n"
                             "stage C[i, j]: f32 = sum[k in 0..64](f32(A[i, k])*f32(A[j, k]))\n"
                             "output C: [128, 128]\n");
    const auto lines = std::string("S = C.cache_write(fragment)\nC.split(i, ig, i, 64)\n") +
                       "C.split(j, jb, j, 128)\nC.reorder(jb, ig, i, j)\nC.bind(jb, block.x)\n"
                       "C.bind(ig, warpgroup)\nS.compute_at(C, ig)\nS.split(k, ks, k, 16)\n"
                       "S.reorder(ks, i, j, k)\nS.tensorize(i, wgmma_m64n128k16_f16)\n"
                       "As = S.cache_read(A, shared)\nAs.compute_at(C, jb)\nAs.swizzle()\n";
    EXPECT_EQ(problem(lines, gram), "runs");
    const auto found = find_fragments(*tree_of(applied(lines, gram)));
    const auto& matrices = found.matrices.at({"S", 0});
    EXPECT_EQ(matrices.at("A"), (SharedMatrix{1, 16, 64, 128, 0}));
    EXPECT_EQ(matrices.at("B"), (SharedMatrix{0, 16, 128, 128, 0}));
}

// Copies of a pipeline, and panels, then begin where a pattern does.
TEST(WarpgroupProducts, WantRowsByEights) {
    EXPECT_THAT(
        problem(kTiles + kTensorize + kSwizzled + "As.pad_storage(i, 4)\n"),
        HasSubstr("takes rows eight by eight, and it has 132 along i; As.pad_storage(i, 8)"));
    EXPECT_EQ(problem(kTiles + kTensorize + kSwizzled + "As.pad_storage(i, 8)\n"), "runs");
}

// Rows are pixels: 4 of a line in each of 16 images.
PipelinePtr pixels() {
    return parsed("pipeline pixels\ninput P[n, x, k]: f16[16, 8, 64]\ninput F[k, c]: f16[64, 64]\n"
                  "stage C[n, x, c]: f32 = sum[k in 0..64](f32(P[n, x, k])*f32(F[k, c]))\n"
                  "output C: [16, 8, 64]\n");
}

std::string of_pixels(const std::string& order, const std::string& more = "",
                      const std::string& level = "xb") {
    return "S = C.cache_write(fragment)\nC.split(x, xb, x, 4)\nC.split(n, ng, n, 16)\n"
           "C.reorder(xb, ng, n, x, c)\nC.bind(xb, block.x)\nC.bind(ng, warpgroup)\n"
           "S.compute_at(C, ng)\nS.split(k, ks, k, 16)\nS.reorder(ks, " +
           order + ", k)\nS.tensorize(" + order.substr(0, 1) +
           ", wgmma_m64n64k16_f16)\nPs = S.cache_read(P, shared)\nFs = S.cache_read(F, shared)\n"
           "Ps.compute_at(C, " +
           level + ")\nFs.compute_at(C, xb)\nPs.swizzle()\nFs.swizzle()\n" + more;
}

TEST(WarpgroupProducts, TakeRowsOfSeveralDimensions) {
    for (const auto* order : {"n, x, c", "n, c, x", "c, n, x"}) {
        SCOPED_TRACE(order);
        EXPECT_EQ(problem(of_pixels(order), pixels()), "runs");
        const auto found = find_fragments(*tree_of(applied(of_pixels(order), pixels())));
        EXPECT_EQ(found.matrices.at({"S", 0}).at("A"), (SharedMatrix{1, 16, 64, 128, 0}));
        const auto& layout = found.layouts.at("S");
        EXPECT_EQ(layout.axes, (std::vector<int>{0, 0, 1}));
        EXPECT_EQ(layout.tile, (std::vector<std::int64_t>{16, 4, 64}));
        EXPECT_EQ(layout.steps, (std::vector<std::int64_t>{4, 1, 1}));
        EXPECT_EQ(layout.tiles, (std::vector<std::int64_t>{1, 1, 1}));
    }
}

TEST(WarpgroupProducts, CountRowsInTheOrderOfMemory) {
    EXPECT_THAT(problem(of_pixels("x, n, c"), pixels()),
                HasSubstr("between its rows there are others, along x; Ps.reorder_storage(…), the "
                          "operand's indices innermost, in the order of their loops"));
    const auto turned = of_pixels("x, n, c", "Ps.reorder_storage(x, n, k)\n");
    EXPECT_EQ(problem(turned, pixels()), "runs");
    EXPECT_EQ(find_fragments(*tree_of(applied(turned, pixels()))).layouts.at("S").steps,
              (std::vector<std::int64_t>{1, 16, 1}));
}

// Only 4 of a line's 8 pixels are taken: rows that are not taken stand between.
TEST(WarpgroupProducts, TakeWholeLinesOfRows) {
    auto wide = of_pixels("n, x, c");
    for (const auto& [what, by] :
         {std::pair{"C.split(x, xb, x, 4)", "C.split(x, xb, x, 8)"},
          std::pair{"C.reorder(xb, ng, n, x, c)",
                    "C.split(x, xt, x, 4)\nC.reorder(xb, ng, xt, n, x, c)"},
          std::pair{"S.compute_at(C, ng)", "S.compute_at(C, xt)"}})
        wide.replace(wide.find(what), std::string(what).size(), by);
    EXPECT_THAT(problem(wide, pixels()),
                HasSubstr("of 8 rows along x it takes 4, before the next ones along n"));
    // Where lines are the outer part, those beside are rows of their own.
    auto turned = wide + "Ps.reorder_storage(x, n, k)\n";
    for (const auto& [what, by] : {std::pair{"S.reorder(ks, n, x", "S.reorder(ks, x, n"},
                                   std::pair{"tensorize(n", "tensorize(x"}})
        turned.replace(turned.find(what), std::string(what).size(), by);
    EXPECT_EQ(problem(turned, pixels()), "runs");
}

TEST(WarpgroupProducts, TakeAsManyRowsAsTheyHave) {
    auto few = of_pixels("n, x, c");
    few.replace(few.find("x, 4)"), 5, "x, 2)");
    EXPECT_THAT(refusal(applied(few, pixels())),
                HasSubstr("n 16, x 2, c 64 and k 16, and wgmma_m64n64k16_f16 takes"));
}

TEST(WarpgroupProducts, WantFactorsInTheBlocksMemory) {
    EXPECT_THAT(
        problem(kTiles + kTensorize + kSwizzled + "As.compute_root()\n"),
        HasSubstr("As is in shared memory, which is a block's as long as its kernel runs, and "
                  "is a kernel of its own at root; As.compute_at(…), or"));
}

TEST(WarpgroupProducts, StandBesideNoLoopsOfWarps) {
    EXPECT_THAT(
        problem(kTiles + kTensorize + kSwizzled + "As.split(i, iw, i, 16)\nAs.bind(iw, warp)\n"),
        HasSubstr("they number the same threads; bind them to warpgroup and thread.x"));
}

} // namespace test_warpgroup_products
} // namespace loopscope::test
