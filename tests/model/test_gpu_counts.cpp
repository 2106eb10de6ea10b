// Counts of launches against those of the SIMT interpreter, which runs the lowered programs.
#include "gpu_support.h"

using namespace loopscope;
using namespace loopscope::test;

namespace test_gpu_counts {

struct Case {
    const char* name;
    const char* program;
    std::string lines;
    std::map<std::string, std::int64_t> params;
    double tolerance = 0;
    const char* until = "barriers"; // vectors are wide after "vectorize"
    bool combines = false;          // threads reduce together, which takes more operations
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class SimtCounts : public testing::TestWithParam<Case> {};

TEST_P(SimtCounts, AreThoseOfTheModel) {
    const auto& c = GetParam();
    auto tree = bundled_gpu_tree(c.program, c.lines, c.params);
    ASSERT_TRUE(tree);
    expect_simt_counts_hold(*tree, c.tolerance, c.until, c.combines);
}

const std::map<std::string, std::int64_t> kSmall{{"H", 64}, {"W", 64}};
const std::map<std::string, std::int64_t> kProduct{{"M", 128}, {"N", 128}, {"K", 64}};
const std::string kTile = "out.gpu_tile(y, x, by, bx, ty, tx, 8, 32)\n";
const std::string kTiled = kTiledMatmul;
const std::string kThroughShared = R"(t = out.cache_read(img, shared)
out.tile(y, x, by, bx, ty, tx, 32, 32)
out.split(ty, tv, tt, 8)
out.bind(by, block.y)
out.bind(bx, block.x)
out.bind(tt, thread.y)
out.bind(tx, thread.x)
t.compute_at(out, bx)
)";

// Some iterations are looked at where rows of images begin anywhere.
constexpr double kSampled = 0.05;

const std::vector<Case>& cases() {
    static const std::vector<Case> all{
        {"copy", "copy", kTile, kSmall},
        {"wide_copy", "copy",
         "out.split(x, xo, xv, 4)\nout.vectorize(xv)\n"
         "out.gpu_tile(y, xo, by, bx, ty, tx, 8, 8)\n",
         kSmall, 0, "vectorize"},
        {"tails", "copy", kTile, {{"H", 60}, {"W", 96}}},
        {"row_of_threads", "copy", "out.bind(y, block.x)\nout.bind(x, thread.x)\n", kSmall},
        {"transpose", "transpose", "out.gpu_tile(y, x, by, bx, ty, tx, 4, 64)\n", kSmall},
        {"transpose_shared", "transpose", kThroughShared, kSmall},
        {"transpose_padded", "transpose", kThroughShared + "t.pad_storage(x, 1)\n", kSmall},
        {"transpose_swizzled", "transpose", kThroughShared + "t.swizzle()\n", kSmall, 0, "swizzle"},
        {"matmul_one_thread", "matmul", "", {{"M", 8}, {"N", 8}, {"K", 8}}},
        {"matmul_plain", "matmul", "C.gpu_tile(i, j, io, jo, ii, ji, 8, 32)\n", kProduct},
        {"matmul_tiled", "matmul", kTiled, kProduct},
        {"matmul_pipelined", "matmul", kTiled + "As.pipeline(3)\nBs.pipeline(3)\n", kProduct},
        // Rows of 64 bytes; stored whole chunks, read element by element.
        {"matmul_swizzled", "matmul",
         kTiled + "As.vectorize(k, 4)\nAs.swizzle()\nBs.vectorize(j, 4)\nBs.swizzle()\n", kProduct,
         0, "swizzle"},
        {"blur_apart", "blur", kTile + "blur_x.gpu_tile(y, x, by, bx, ty, tx, 2, 32)\n", kSmall,
         kSampled},
        {"blur_shared", "blur", kTile + "blur_x.compute_at(out, bx)\n", kSmall, kSampled},
        // Each thread computes what it needs.
        {"blur_own", "blur", kTile + "blur_x.compute_at(out, tx)\n", kSmall, kSampled},
        // Its own loops number 10 × 16 threads of 10 × 32.
        {"blur_masked", "blur",
         kTile + "blur_x.compute_at(out, bx)\nblur_x.split(x, xo, xi, 16)\n"
                 "blur_x.bind(y, thread.y)\nblur_x.bind(xi, thread.x)\n",
         kSmall, kSampled},
        // As numbers the threads along y itself; along x one copies.
        {"own_threads", "matmul",
         "C.gpu_tile(i, j, io, jo, ii, ji, 8, 8)\nC.split(k, ko, ki, 16)\n"
         "As = C.cache_read(A, shared)\nAs.compute_at(C, ko)\nAs.bind(i, thread.y)\n",
         kProduct},
        {"warps", "matmul",
         "C.split(i, io, ii, 4)\nC.bind(io, block.x)\nC.bind(ii, warp)\n"
         "C.split(j, jo, ji, 32)\nC.reorder(io, ii, ji, jo, k)\nC.bind(ji, thread.x)\n",
         kProduct},
        {"doitgen",
         "doitgen",
         "out.bind(r, block.x)\nout.bind(q, thread.y)\nout.bind(p, thread.x)\n",
         {{"R", 4}, {"Q", 8}, {"P", 24}}},
        {"softmax",
         "softmax",
         "out.bind(i, block.x)\nout.bind(k, thread.x)\ntotal.compute_at(out, i)\n"
         "power.compute_at(out, i)\n",
         {{"N", 4}, {"D", 32}}},
        {"virtual_threads", "matmul",
         "Cl = C.cache_write(local)\nC.tile(i, j, io, jo, ii, ji, 32, 32)\n"
         "C.split(ii, v, t, 16)\nC.bind(io, block.y)\nC.bind(jo, block.x)\n"
         "C.reorder(io, jo, v, t, ji)\nC.bind(v, vthread)\nC.bind(t, thread.y)\n"
         "C.bind(ji, thread.x)\nCl.compute_at(C, ji)\nCl.split(k, ko, ki, 8)\n"
         "Bs = Cl.cache_read(B, shared)\nBs.compute_at(Cl, ko)\n",
         kProduct},
        {"shuffles",
         "matmul",
         "C.bind(i, block.x)\nC.bind(j, thread.y)\nC.split(k, ko, kt, 32)\n"
         "C.bind(kt, thread.x)\n",
         {{"M", 4}, {"N", 8}, {"K", 128}},
         0,
         "barriers",
         true},
        {"halves",
         "matmul",
         "C.bind(i, block.x)\nC.bind(j, block.y)\nC.bind(k, thread.x)\n",
         {{"M", 4}, {"N", 8}, {"K", 192}},
         0,
         "barriers",
         true},
        {"halves_along_y",
         "matmul",
         "C.bind(i, block.x)\nC.bind(j, thread.x)\nC.bind(k, thread.y)\n",
         {{"M", 4}, {"N", 32}, {"K", 12}},
         0,
         "barriers",
         true},
    };
    return all;
}

INSTANTIATE_TEST_SUITE_P(GpuCounts, SimtCounts, testing::ValuesIn(cases()),
                         [](const auto& info) { return std::string(info.param.name); });

} // namespace test_gpu_counts
