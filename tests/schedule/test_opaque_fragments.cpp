// wmma: fragments of which nobody knows which lane holds which element. How matrices must lie in
// memory, what lanes may do to what they hold, and what makes a schedule not runnable.
#include "core/device/generic_gpu.h"
#include "core/language/intrinsics.h"
#include "core/schedule/gpu/fragments.h"
#include "core/schedule/gpu/runnable.h"
#include "tests/schedule/scheduling.h"

namespace loopscope::test {
namespace test_opaque_fragments {

using testing::HasSubstr;

PipelinePtr product(const std::string& after = "output C: [128, 256]\n",
                    const std::string& right = "input B[k, j]: f16[128, 256]",
                    const std::string& element = "B[k, j]") {
    return parsed("pipeline product\ninput A[i, k]: f16[128, 128]\n" + right +
                  "\nstage C[i, j]: f32 = sum[k in 0..128](f32(A[i, k])*f32(" + element + "))\n" +
                  after);
}

const std::string kTiles =
    "S = C.cache_write(fragment)\nC.tile(i, j, ib, jb, i, j, 32, 64)\nC.bind(ib, block.y)\n"
    "C.bind(jb, block.x)\nC.tile(i, j, it, jt, i, j, 16, 16)\nS.compute_at(C, jb)\n"
    "S.tile(i, j, it, jt, i, j, 16, 16)\nS.split(k, ks, k, 16)\nS.split(ks, kb, ks, 2)\n"
    "S.reorder(kb, ks, it, jt, i, j, k)\nS.tensorize(i, wmma_m16n16k16_f16)\n";
const std::string kCopies = "As = S.cache_read(A, shared)\nBs = S.cache_read(B, shared)\n";
const std::string kPlaces = "As.compute_at(S, kb)\nBs.compute_at(S, kb)\n";
const std::string kShared = kCopies + kPlaces;
const std::string kFragments = kCopies +
                               "Af = S.cache_read(As, fragment)\n"
                               "Bf = S.cache_read(Bs, fragment)\n"
                               "Af.compute_at(S, ks)\nBf.compute_at(S, ks)\n" +
                               kPlaces;

Applied applied(const std::string& lines, const PipelinePtr& pipeline) {
    return scheduled(pipeline, lines, ApplyContext{&device::generic_gpu(), &declared_intrinsics()});
}

std::string problem(const std::string& lines, const PipelinePtr& pipeline = product()) {
    auto made = applied(lines, pipeline);
    if (refusal(made) != "applied")
        return refusal(made);
    const auto reasons = not_runnable(*tree_of(made), *device::generic_gpu().gpu);
    return reasons.empty() ? "runs" : reasons[0].message + "; " + reasons[0].remedy;
}

Fragments fragments(const std::string& lines, const PipelinePtr& pipeline = product()) {
    return find_fragments(*tree_of(applied(lines, pipeline)));
}

TEST(OpaqueFragments, AreLoadedAndStoredAsAWhole) {
    EXPECT_EQ(problem(kTiles + kFragments), "runs");
    const auto found = fragments(kTiles + kFragments);
    EXPECT_EQ(found.layouts.at("Af").order, MatrixOrder::Rows);
    EXPECT_EQ(found.layouts.at("Bf").order, MatrixOrder::Rows);
    EXPECT_EQ(found.layouts.at("S").operand->registers, 8);
    EXPECT_EQ(found.work.at({"Af", 0}).whole, LaneWork::Whole::Load);
    EXPECT_EQ(found.work.at({"C", 0}).whole, LaneWork::Whole::Store);
    // Four fragments of 16 registers for each step: two tiles of rows, one of terms.
    EXPECT_EQ(found.work.at({"Af", 0}).points(), 2u * 16);
}

TEST(OpaqueFragments, LieByColumnsToo) {
    const auto turned =
        product("output C: [128, 256]\n", "input B[j, k]: f16[256, 128]", "B[j, k]");
    EXPECT_EQ(problem(kTiles + kFragments, turned), "runs");
    EXPECT_EQ(fragments(kTiles + kFragments, turned).layouts.at("Bf").order, MatrixOrder::Columns);
    EXPECT_EQ(fragments(kTiles + kFragments + "As.reorder_storage(k, i)\n").layouts.at("Af").order,
              MatrixOrder::Columns);
}

// Not in fragments: the instruction's own registers are loaded from memory, and stored there.
TEST(OpaqueFragments, MayBeTheInstructionsOwn) {
    EXPECT_EQ(problem(kTiles + kShared), "runs");
    const auto found = fragments(kTiles + kShared);
    EXPECT_EQ(found.orders.at({"S", 0}).at("A"), MatrixOrder::Rows);
    EXPECT_EQ(problem(kTiles), "runs"); // out of global memory
    EXPECT_EQ(problem("C.tile(i, j, ib, jb, i, j, 16, 16)\nC.split(k, kb, k, 16)\n"
                      "C.reorder(ib, jb, kb, i, j, k)\nC.bind(ib, block.y)\nC.bind(jb, block.x)\n"
                      "C.tensorize(i, wmma_m16n16k16_f16)\n"),
              "runs");
}

TEST(OpaqueFragments, TakeRowsThatBeginAtMultiplesOf32Bytes) {
    EXPECT_EQ(problem(kTiles + kFragments + "As.pad_storage(k, 16)\n"), "runs");
    EXPECT_EQ(
        problem(kTiles + kFragments + "As.pad_storage(k, 8)\n"),
        "As is operand A of wmma_m16n16k16_f16, which is moved between registers and memory "
        "as a whole by rows that begin at multiples of 32 bytes, and those of As are 80 bytes "
        "apart; As.pad_storage(k, 16)");
    EXPECT_THAT(problem(kTiles + kShared + "As.pad_storage(k, 8)\n"), HasSubstr("80 bytes apart"));
    EXPECT_THAT(problem(kTiles + kFragments + "Bs.swizzle()\n"),
                HasSubstr("its chunks have changed places; pad_storage in place of Bs.swizzle()"));
    // Tiles that begin at any column of what is stored.
    const auto odd = parsed("pipeline product\ninput A[i, k]: f16[128, 128]\n"
                            "input B[k, j]: f16[128, 260]\nstage C[i, j]: f32 = "
                            "sum[k in 0..128](f32(A[i, k])*f32(B[k, j]))\noutput C: [128, 260]\n");
    auto lines = kTiles + kFragments;
    const std::string tile = "C.tile(i, j, ib, jb, i, j, 32, 64)";
    lines.replace(lines.find(tile), tile.size(), "C.tile(i, j, ib, jb, i, j, 32, 64, shift)");
    EXPECT_THAT(problem(lines, odd), HasSubstr("those of C are 1040 bytes apart"));
}

TEST(OpaqueFragments, AreLoadedFromMemoryThatIsThere) {
    const auto bordered = product("output C: [128, 256]\n",
                                  "input B[k, j]: f16[128, 256] boundary zero", "B[k, j - 1]");
    EXPECT_THAT(
        problem(kTiles + "Bf = S.cache_read(B, fragment)\nBf.compute_at(S, ks)\n", bordered),
        HasSubstr("and it has a boundary, where there is no memory; a copy in shared "
                  "memory: cache_read(B, shared)"));
}

TEST(OpaqueFragments, LanesWorkOnWhatTheyHoldWhereItIsAllTheSame) {
    const auto scaled = product("stage D[i, j] = max(C[i, j]*0.5, 0.0)\noutput D: [128, 256]\n");
    const std::string lines =
        "D.tile(i, j, ib, jb, i, j, 32, 64)\nD.bind(ib, block.y)\nD.bind(jb, block.x)\n"
        "D.tile(i, j, it, jt, i, j, 16, 16)\nC.compute_at(D, jb)\nC.scope(fragment)\n"
        "C.tile(i, j, it, jt, i, j, 16, 16)\nC.split(k, ks, k, 16)\n"
        "C.reorder(ks, it, jt, i, j, k)\nC.tensorize(i, wmma_m16n16k16_f16)\n";
    EXPECT_EQ(problem(lines, scaled), "runs");
    EXPECT_EQ(fragments(lines, scaled).work.at({"D", 0}).whole, LaneWork::Whole::Store);
    const auto with = [&](const std::string& stage) {
        return problem(lines, product(stage + "output D: [128, 256]\n"));
    };
    EXPECT_EQ(with("input bias[j]: f32[256]\nstage D[i, j] = C[i, j] + bias[j]\n"),
              "D takes each element of fragments of wmma_m16n16k16_f16 (C) together with bias's "
              "own, and which lane holds which element of such is not known; put C into shared "
              "memory as it is, by a stage in scope shared between, and compute from there");
    EXPECT_THAT(with("stage D[i, j] = C[i, j] + f32(i)\n"), HasSubstr("together with its index i"));
    EXPECT_THAT(with("stage D[i, j] = f16(C[i, j])\n"),
                HasSubstr("D is of f16, and fragments of wmma_m16n16k16_f16 (C) are of f32, which "
                          "is how they are stored"));
}

// Results of one instruction lie in one way.
TEST(OpaqueFragments, ResultsOfOneInstructionAreWorkedOnTogether) {
    const auto two =
        parsed("pipeline product\ninput A[i, k]: f16[32, 32]\ninput B[k, j]: f16[32, 32]\n"
               "input E[k, j]: f16[32, 32]\n"
               "stage P[i, j]: f32 = sum[k in 0..32](f32(A[i, k])*f32(B[k, j]))\n"
               "stage Q[i, j]: f32 = sum[k in 0..32](f32(A[i, k])*f32(E[k, j]))\n"
               "stage D[i, j] = P[i, j] + 2.0*Q[i, j]\noutput D: [32, 32]\n");
    std::string lines = "D.tile(i, j, ib, jb, i, j, 16, 16)\nD.bind(ib, block.y)\n"
                        "D.bind(jb, block.x)\n";
    for (const std::string s : {"P", "Q"})
        lines += s + ".compute_at(D, jb)\n" + s + ".scope(fragment)\n" + s +
                 ".split(k, ks, k, 16)\n" + s + ".reorder(ks, i, j, k)\n" + s +
                 ".tensorize(i, wmma_m16n16k16_f16)\n";
    EXPECT_EQ(problem(lines, two), "runs");
    // Fragments of another instruction lie otherwise.
    const auto q = lines.rfind("tensorize(i, wmma_m16n16k16_f16)");
    auto mixed = lines.substr(0, q) + "split(j, jt, j, 8)\nQ.reorder(ks, jt, i, j, k)\n"
                                      "Q.tensorize(i, mma_m16n8k16_f16)\n";
    EXPECT_NE(problem(mixed, two), "runs");
}

TEST(OpaqueFragments, FactorsAreCopiesOfMemory) {
    const auto computed = parsed(
        "pipeline product\ninput A[i, k]: f16[16, 32]\ninput B[k, j]: f16[32, 16]\n"
        "stage H[i, k] = A[i, k]*2.0\n"
        "stage C[i, j]: f32 = sum[k in 0..32](f32(H[i, k])*f32(B[k, j]))\noutput C: [16, 16]\n");
    EXPECT_THAT(problem("C.split(k, ks, k, 16)\nC.reorder(ks, i, j, k)\n"
                        "H.compute_at(C, ks)\nH.scope(fragment)\n"
                        "C.tensorize(i, wmma_m16n16k16_f16)\n",
                        computed),
                HasSubstr("H takes each element of fragments of wmma_m16n16k16_f16 (H) together "
                          "with A's own"));
}

TEST(OpaqueFragments, PartsAreNotLeftOut) {
    const auto odd = parsed("pipeline product\ninput A[i, k]: f16[40, 32]\n"
                            "input B[k, j]: f16[32, 64]\nstage C[i, j]: f32 = "
                            "sum[k in 0..32](f32(A[i, k])*f32(B[k, j]))\noutput C: [40, 64]\n");
    EXPECT_NE(problem("S = C.cache_write(fragment)\nC.tile(i, j, ib, jb, i, j, 16, 16)\n"
                      "C.bind(ib, block.y)\nC.bind(jb, block.x)\nS.compute_at(C, jb)\n"
                      "S.split(k, ks, k, 16)\nS.reorder(ks, i, j, k)\n"
                      "S.tensorize(i, wmma_m16n16k16_f16)\n",
                      odd),
              "runs");
}

} // namespace test_opaque_fragments
} // namespace loopscope::test
