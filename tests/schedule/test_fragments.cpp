// Stages that the lanes of a warp hold together: which elements each lane holds, which lane does
// what beside instructions, and what makes a schedule not runnable.
#include "core/device/generic_gpu.h"
#include "core/schedule/gpu/fragments.h"
#include "tests/schedule/tensorize_support.h"

#include <set>

namespace loopscope::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// The sums of a warp in fragments, which C takes from there; `tiles` are C's loops inside of a
// warp's part, `rest` follows.
std::string warps(const std::string& tiles, const std::string& rest = {}) {
    return "S = C.cache_write(fragment)\nC.split(i, io, i, 32)\nC.split(j, jo, j, 16)\n" + tiles +
           "C.bind(io, block.y)\nC.bind(jo, warp)\nS.compute_at(C, jo)\n"
           "S.split(i, im, ii, 16)\nS.split(j, jm, ji, 8)\nS.split(k, ko, ki, 16)\n"
           "S.reorder(ko, im, jm, ii, ji, ki)\nS.tensorize(ii, mma_m16n8k16_f16)\n" +
           rest;
}

const std::string kWhole = "C.split(i, im, ii, 16)\nC.split(j, jm, ji, 8)\n"
                           "C.reorder(io, jo, im, jm, ii, ji)\n";
const std::string kOperands = "As = S.cache_read(A, shared)\nAf = S.cache_read(As, fragment)\n"
                              "Af.compute_at(S, ko)\nAs.compute_at(S, ko)\n";

Fragments of(const std::string& lines, const PipelinePtr& pipeline = product()) {
    return find_fragments(*tree_of(scheduled(pipeline, lines)));
}

std::string first_problem(const std::string& lines, const PipelinePtr& pipeline = product()) {
    const auto found = of(lines, pipeline);
    return found.problems.empty() ? "none"
                                  : found.problems[0].message + "; " + found.problems[0].remedy;
}

// PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
TEST(Fragments, LanesHoldWhatTheInstructionSays) {
    const auto intrinsic = call_at(scheduled(product(), kTiles + kTensorize), "ii")->intrinsic;
    const auto sums = register_elements(*intrinsic, intrinsic->result);
    ASSERT_EQ(sums.size(), 32u);
    EXPECT_THAT(sums[5], ElementsAre(ElementsAre(1, 2), ElementsAre(1, 3), ElementsAre(9, 2),
                                     ElementsAre(9, 3)));
    // Each element is held once.
    for (const auto* operand : {&intrinsic->operands[0], &intrinsic->operands[1],
                                static_cast<const IntrinsicOperand*>(&intrinsic->result)}) {
        std::set<std::vector<std::int64_t>> seen;
        std::size_t count = 0;
        for (const auto& lane : register_elements(*intrinsic, *operand))
            for (const auto& element : lane) {
                seen.insert(element);
                ++count;
            }
        EXPECT_EQ(count, seen.size()) << operand->name;
        EXPECT_EQ(static_cast<std::int64_t>(count), operand->extents[0] * operand->extents[1]);
    }
}

TEST(Fragments, AStageIsTilesOfOperands) {
    const auto found = of(warps(kWhole, kOperands));
    ASSERT_TRUE(found.problems.empty()) << found.problems[0].message;
    ASSERT_EQ(found.layouts.size(), 2u);
    const auto& sums = found.layouts.at("S");
    EXPECT_EQ(sums.operand->name, "D");
    EXPECT_THAT(sums.tile, ElementsAre(16, 8));
    EXPECT_THAT(sums.tiles, ElementsAre(2, 2));
    EXPECT_EQ(sums.number({1, 0}), 2);
    const auto& left = found.layouts.at("Af");
    EXPECT_EQ(left.operand->name, "A");
    EXPECT_THAT(left.tile, ElementsAre(16, 16));
    EXPECT_THAT(left.tiles, ElementsAre(2, 1));
}

// C's inner loops run over one fragment; those of the copy over all of them.
TEST(Fragments, LanesDivideLoopsOverWholeOnes) {
    const auto found = of(warps(kWhole, kOperands));
    const auto& store = found.work.at({"C", 0});
    EXPECT_EQ(store.from.text(), "C/ii");
    EXPECT_EQ(store.fragment, "S");
    EXPECT_EQ(store.points(), 4u);
    ASSERT_EQ(store.digits.size(), 2u);
    EXPECT_EQ(store.digits[0].variable, "C.ii");
    EXPECT_EQ(store.values[3][0][5], 9); // row of the last element of lane 5
    EXPECT_EQ(store.values[3][1][5], 3);
    EXPECT_THAT(store.places.at("S")[3].tile, ElementsAre(0, 0));
    EXPECT_EQ(store.places.at("S")[3].r, 3);

    const auto& copy = found.work.at({"Af", 0});
    EXPECT_EQ(copy.from.text(), "Af/i");
    EXPECT_EQ(copy.points(), 16u); // two fragments of 8
    EXPECT_THAT(copy.places.at("Af")[9].tile, ElementsAre(1, 0));
    EXPECT_EQ(copy.places.at("Af")[9].r, 1);
    EXPECT_EQ(copy.values[9][0][5], 17);

    // Loops over parts of tiles, in any order, are taken apart.
    const auto parts = of(warps("C.split(i, im, ii, 8)\nC.split(j, jm, ji, 4)\n"
                                "C.reorder(io, jo, jm, im, ji, ii)\n"));
    ASSERT_TRUE(parts.problems.empty()) << parts.problems[0].message;
    EXPECT_EQ(parts.work.at({"C", 0}).from.text(), "C/jm");
    EXPECT_EQ(parts.work.at({"C", 0}).points(), 16u);
}

// What one instruction computes another one takes: the layout of its sums, two side by side, is
// that of a factor.
TEST(Fragments, ALaneReadsWhatItHoldsInAnotherFragment) {
    const auto two = parsed("pipeline two\n"
                            "input A[i, k]: f16[16, 16]\ninput B[k, j]: f16[16, 16]\n"
                            "input D[j, l]: f16[16, 8]\n"
                            "stage first[i, j]: f32 = sum[k in 0..16](f32(A[i, k])*f32(B[k, j]))\n"
                            "stage half[i, j]: f16 = f16(max(first[i, j], 0.0))\n"
                            "stage C[i, l]: f32 = sum[j in 0..16](f32(half[i, j])*f32(D[j, l]))\n"
                            "output C: [16, 8]\n");
    const auto found =
        of("S = C.cache_write(fragment)\nC.split(i, io, i, 16)\nC.split(l, lo, l, 8)\n"
           "C.reorder(io, lo, i, l)\nC.bind(io, block.x)\nS.compute_at(C, lo)\n"
           "S.reorder(i, l, j)\nS.tensorize(i, mma_m16n8k16_f16)\n"
           "half.compute_at(C, lo)\nhalf.scope(fragment)\n"
           "first.compute_at(C, lo)\nfirst.scope(fragment)\n"
           "first.split(j, jo, j, 8)\nfirst.reorder(jo, i, j, k)\n"
           "first.tensorize(i, mma_m16n8k16_f16)\n",
           two);
    ASSERT_TRUE(found.problems.empty()) << found.problems[0].message;
    const auto& work = found.work.at({"half", 0});
    EXPECT_EQ(work.points(), 8u);
    // Registers 4 to 7 of the factor are columns 8 to 15: the second tile of the sums.
    EXPECT_THAT(work.places.at("first")[5].tile, ElementsAre(0, 1));
    EXPECT_EQ(work.places.at("first")[5].r, 1);
    EXPECT_EQ(work.places.at("half")[5].r, 5);
}

TEST(Fragments, Refusals) {
    EXPECT_EQ(first_problem("S = C.cache_write(fragment)\nC.split(i, io, i, 16)\n"
                            "S.compute_at(C, io)\n"),
              "S is in fragments, and no tensor instruction takes it: how its elements lie in "
              "registers is not known; S.scope(register), or tensorize what reads it");
    EXPECT_EQ(first_problem(warps("C.reorder(io, jo, i, j)\nC.split(j, jm, j, 4)\n"
                                  "C.bind(j, thread.x)\n")),
              "C reads S, which the lanes of a warp hold together in tiles of 16 x 8, and its "
              "inner loops do not run over whole ones; split its loops by 16 and 8, those inner "
              "loops innermost, serial or unrolled");
    EXPECT_THAT(first_problem("S = C.cache_write(register)\nC.split(i, io, i, 16)\n"
                              "C.split(j, jo, j, 8)\nC.reorder(io, jo, i, j)\nC.bind(io, block.x)\n"
                              "S.compute_at(C, jo)\nS.split(k, ko, ki, 16)\n"
                              "S.reorder(ko, i, j, ki)\nS.tensorize(i, mma_m16n8k16_f16)\n"),
                HasSubstr("S is in register memory, which each thread has for itself, and the "
                          "lanes of a warp take it together for mma_m16n8k16_f16; "
                          "S.scope(fragment)"));
    // A sum over what lanes hold.
    const auto rows = parsed("pipeline rows\n"
                             "input A[i, k]: f16[16, 16]\ninput B[k, j]: f16[16, 8]\n"
                             "stage S[i, j]: f32 = sum[k in 0..16](f32(A[i, k])*f32(B[k, j]))\n"
                             "stage C[i]: f32 = sum[j in 0..8](S[i, j])\n"
                             "output C: [16]\n");
    EXPECT_THAT(first_problem("C.split(i, io, i, 16)\nC.bind(io, block.x)\nS.compute_at(C, io)\n"
                              "S.scope(fragment)\nS.reorder(i, j, k)\n"
                              "S.tensorize(i, mma_m16n8k16_f16)\n",
                              rows),
                HasSubstr("C reduces, and S is in fragments, of which each lane holds a part"));
}

// The instruction is the warp's, a thread's loop is not around it.
TEST(Fragments, AreNotInsideOfThreads) {
    const auto tree = tree_of(scheduled(
        product(), "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\nC.split(k, ko, ki, 16)\n"
                   "C.reorder(io, jo, ko, ii, ji, ki)\nC.bind(io, block.x)\nC.bind(jo, thread.x)\n"
                   "C.tensorize(ii, mma_m16n8k16_f16)\n"));
    const auto reasons = not_runnable(*tree, *device::generic_gpu().gpu);
    ASSERT_FALSE(reasons.empty());
    EXPECT_EQ(reasons[0].message + "; " + reasons[0].remedy,
              "C/ii is mma_m16n8k16_f16, which all lanes of a warp do together, inside of C/jo, "
              "which is bound to thread.x; bind C/jo to warp");
}

} // namespace
} // namespace loopscope::test
