// tensorize: what it takes for an instruction, and what the tree says of it. How other lines meet
// it: test_tensorize_lines.cpp; what it refuses: test_tensorize_refusals.cpp.

#include "tests/schedule/tensorize_support.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tensorize, ReplacesALoopAndAllInsideIt) {
    auto applied = scheduled(product(), kTiles + kTensorize);
    const auto& nest = applied.state.find("C")->definitions[0];
    ASSERT_TRUE(nest.tensorized);
    EXPECT_EQ(nest.tensorized->intrinsic->name, "mma_m16n8k16_f16");
    EXPECT_EQ(nest.tensorized->loop, nest.find("ii")->id);
    EXPECT_EQ(nest.tensorized_from(), 3u);
    EXPECT_TRUE(nest.reassociates);
    EXPECT_TRUE(nest.touched);
    EXPECT_EQ(to_text(*tree_of(applied)), "C output f32 [64, 48] host\n"
                                          "C → f32 [64, 48]\n"
                                          "  io 4\n"
                                          "    jo 6\n"
                                          "      ii 16 tensorize mma_m16n8k16_f16\n"
                                          "        ji 8\n"
                                          "          C init\n"
                                          "      ko 6 reduction\n"
                                          "        ii 16 tensorize mma_m16n8k16_f16\n"
                                          "          ji 8\n"
                                          "            ki 16 reduction\n"
                                          "              C step\n");
}

TEST(Tensorize, TheTreeSaysWhichOperandIsWhat) {
    auto applied = scheduled(product(), kTiles + kTensorize);
    const auto call = call_at(applied, "ii");
    ASSERT_TRUE(call);
    EXPECT_THAT(operands(*call),
                ElementsAre("D = C[C.io*16, C.jo*8] i→0 j→1", "A = A[C.io*16, C.ko*16] i→0 k→1",
                            "B = B[C.ko*16, C.jo*8] k→0 j→1"));
    ASSERT_EQ(call->axes.size(), 3u);
    EXPECT_EQ(call->axes[2].name, "k");
    EXPECT_EQ(call->axes[2].axis, "k");
    EXPECT_EQ(to_text(call->axes[2].base), "C.ko*16");
    EXPECT_FALSE(call->initializes || call->starts || call->rounds);
    EXPECT_EQ(to_text(call->term), "f32(A[i, k])*f32(B[k, j])");

    const auto init = call_at(applied, "ii@init");
    ASSERT_TRUE(init);
    EXPECT_TRUE(init->initializes);
    EXPECT_THAT(operands(*init), ElementsAre("D = C[C.io*16, C.jo*8] i→0 j→1"));
    EXPECT_EQ(init->axes.size(), 2u);
    EXPECT_FALSE(call_at(applied, "ji") || call_at(applied, "ji@init"));

    const auto json = to_json(*tree_of(applied));
    EXPECT_EQ(
        json.at("/nodes/1/children/0/children/0/children/1/children/0/intrinsic"_json_pointer),
        "mma_m16n8k16_f16");
    EXPECT_EQ(json.at("reassociates"), true);
}

TEST(Tensorize, TakesTheLoopsInAnyOrderAndInParts) {
    auto inside = scheduled(product(), kTiles + "C.reorder(ki, ji, ii)\n"
                                                "C.tensorize(ki, mma_m16n8k16_f16)\n");
    EXPECT_THAT(operands(*call_at(inside, "ki")),
                ElementsAre("D = C[C.io*16, C.jo*8] i→0 j→1", "A = A[C.io*16, C.ko*16] i→0 k→1",
                            "B = B[C.ko*16, C.jo*8] k→0 j→1"));
    // The first of the copies that initialise.
    EXPECT_TRUE(call_at(inside, "ji@init"));
    EXPECT_FALSE(call_at(inside, "ii@init"));
    EXPECT_THAT(to_text(*tree_of(inside)), HasSubstr("ki 16 tensorize mma_m16n8k16_f16 reduction"));

    auto parts = scheduled(product(), kTiles + "C.split(ii, i1, i2, 4)\nC.split(ki, k1, k2, 8)\n"
                                               "C.reorder(k2, i1, ji, k1, i2)\n"
                                               "C.tensorize(k2, mma_m16n8k16_f16)\n");
    EXPECT_EQ(refusal(parts), "applied");
    // Parts of parts outside.
    auto outside =
        scheduled(product(), kTiles + "C.split(io, i1, i2, 2)\nC.fuse(i1, i2, f)\n" + kTensorize);
    EXPECT_EQ(refusal(outside), "applied");
}

TEST(Tensorize, TakesOperandsAsTheyLie) {
    // The second operand is stored by columns.
    auto columns =
        scheduled(product("f16", "f32", "B[j, k]: f16[48, 96]", "B[j, k]"), kTiles + kTensorize);
    EXPECT_THAT(operands(*call_at(columns, "ii")),
                ElementsAre("D = C[C.io*16, C.jo*8] i→0 j→1", "A = A[C.io*16, C.ko*16] i→0 k→1",
                            "B = B[C.jo*8, C.ko*16] k→1 j→0"));
    // Factors in the other order.
    auto swapped = scheduled(parsed("pipeline product\n"
                                    "input A[i, k]: f16[64, 96]\n"
                                    "input B[k, j]: f16[96, 48]\n"
                                    "stage C[i, j] = sum[k in 0..96](f32(B[k, j])*f32(A[i, k]))\n"
                                    "output C: [64, 48]\n"),
                             kTiles + kTensorize);
    EXPECT_THAT(operands(*call_at(swapped, "ii")),
                ElementsAre("D = C[C.io*16, C.jo*8] i→0 j→1", "A = A[C.io*16, C.ko*16] i→0 k→1",
                            "B = B[C.ko*16, C.jo*8] k→0 j→1"));
    EXPECT_EQ(to_text(call_at(swapped, "ii")->term), "f32(A[i, k])*f32(B[k, j])");
    // Rows and columns change places where the tile is as wide as the instruction is high.
    auto turned =
        scheduled(product(), "C.split(i, io, ii, 8)\nC.split(j, jo, ji, 16)\n"
                             "C.split(k, ko, ki, 16)\nC.reorder(io, jo, ko, ii, ji, ki)\n" +
                                 kTensorize);
    EXPECT_THAT(operands(*call_at(turned, "ii")),
                ElementsAre("D = C[C.io*8, C.jo*16] i→1 j→0", "A = B[C.ko*16, C.jo*16] i→1 k→0",
                            "B = A[C.io*8, C.ko*16] k→1 j→0"));
}

TEST(Tensorize, ABatchAndAConvolution) {
    auto batch =
        scheduled(parsed("pipeline batch\n"
                         "input A[b, i, k]: f16[12, 64, 96]\n"
                         "input B[b, j, k]: f16[12, 48, 96]\n"
                         "stage C[b, i, j] = sum[k in 0..96](f32(A[b, i, k])*f32(B[b, j, k]))\n"
                         "output C: [12, 64, 48]\n"),
                  "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\nC.split(k, ko, ki, 16)\n"
                  "C.reorder(b, io, jo, ko, ii, ji, ki)\n" +
                      kTensorize);
    EXPECT_THAT(operands(*call_at(batch, "ii")),
                ElementsAre("D = C[C.b, C.io*16, C.jo*8] i→1 j→2",
                            "A = A[C.b, C.io*16, C.ko*16] i→1 k→2",
                            "B = B[C.b, C.jo*8, C.ko*16] k→2 j→1"));
    auto conv = scheduled(
        parsed("pipeline conv\n"
               "input A[y, x, c]: f16[16, 32, 32] boundary zero\n"
               "input B[r, s, c, k]: f16[3, 3, 32, 16]\n"
               "stage C[y, x, k] = sum[r in 0..3, s in 0..3, c in 0..32](\n"
               "    f32(A[y+r-1, x+s-1, c])*f32(B[r, s, c, k]))\n"
               "output C: [16, 32, 16]\n"),
        "C.split(x, xo, xi, 16)\nC.split(k, ko, ki, 8)\nC.split(c, co, ci, 16)\n"
        "C.reorder(y, xo, ko, r, s, co, xi, ki, ci)\nC.tensorize(xi, mma_m16n8k16_f16)\n");
    EXPECT_THAT(operands(*call_at(conv, "xi")),
                ElementsAre("D = C[C.y, C.xo*16, C.ko*8] i→1 j→2",
                            "A = A[C.r + C.y - 1, C.s + C.xo*16 - 1, C.co*16] i→1 k→2",
                            "B = B[C.r, C.s, C.co*16, C.ko*8] k→2 j→3"));
}

TEST(Tensorize, OneMatrixTwice) {
    auto applied = scheduled(parsed("pipeline product\n"
                                    "input A[i, k]: f16[64, 96]\n"
                                    "stage C[i, j] = sum[k in 0..96](f32(A[i, k])*f32(A[j, k]))\n"
                                    "output C: [64, 48]\n"),
                             kTiles + kTensorize);
    EXPECT_THAT(operands(*call_at(applied, "ii")),
                ElementsAre("D = C[C.io*16, C.jo*8] i→0 j→1", "A = A[C.io*16, C.ko*16] i→0 k→1",
                            "B = A[C.jo*8, C.ko*16] k→1 j→0"));
}

// Where all of the sum is inside, the instruction begins with 0.
TEST(Tensorize, StartsTheSumWhereAllOfItIsInside) {
    auto whole = parsed("pipeline product\n"
                        "input A[i, k]: f16[64, 16]\n"
                        "input B[k, j]: f16[16, 48]\n"
                        "stage C[i, j] = sum[k in 0..16](f32(A[i, k])*f32(B[k, j]))\n"
                        "output C: [64, 48]\n");
    const std::string tiles = "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\n";
    auto inside = scheduled(whole, tiles + "C.reorder(io, jo, ii, ji, k)\n" + kTensorize);
    EXPECT_TRUE(call_at(inside, "ii")->starts);
    EXPECT_THAT(to_text(*tree_of(inside)), HasSubstr("      ii 16 tensorize mma_m16n8k16_f16\n"
                                                     "        ji 8\n"
                                                     "          C init\n"
                                                     "          k 16 reduction\n"
                                                     "            C step\n"));
    auto before = scheduled(whole, tiles + "C.reorder(io, jo, k, ii, ji)\n"
                                           "C.tensorize(k, mma_m16n8k16_f16)\n");
    EXPECT_TRUE(call_at(before, "k")->starts);
    EXPECT_TRUE(call_at(before, "ii@init")->initializes);
}

TEST(Tensorize, UpdatesByAdding) {
    const auto text = [](const std::string& over) {
        return "pipeline product\n"
               "input A[i, k]: f16[64, 96]\n"
               "input B[k, j]: f16[96, 48]\n"
               "stage C[i, j] = f32(0)\n"
               "update C[i, j] += f32(A[i, k])*f32(B[k, j]) over " +
               over +
               "\n"
               "output C: [64, 48]\n";
    };
    const std::string lines = "C.update(0).split(i, io, ii, 16)\nC.update(0).split(j, jo, ji, 8)\n"
                              "C.update(0).split(k, ko, ki, 16)\n"
                              "C.update(0).reorder(io, jo, ko, ii, ji, ki)\n"
                              "C.update(0).tensorize(ii, mma_m16n8k16_f16)\n";
    auto free = scheduled(parsed(text("k in 0..96")), lines);
    const auto call = call_at(free, "ii", "C", 1);
    ASSERT_TRUE(call);
    EXPECT_THAT(operands(*call), ElementsAre("D = C[C.u0.io*16, C.u0.jo*8] i→0 j→1",
                                             "A = A[C.u0.io*16, C.u0.ko*16] i→0 k→1",
                                             "B = B[C.u0.ko*16, C.u0.jo*8] k→0 j→1"));
    EXPECT_FALSE(call->starts);
    // Elements of which the update says itself where they are.
    auto over =
        scheduled(parsed("pipeline product\n"
                         "input A[i, k]: f16[32, 96]\n"
                         "input B[k, j]: f16[96, 48]\n"
                         "stage C[i, j] = f32(0)\n"
                         "update C[r + 32, j] += f32(A[r, k])*f32(B[k, j]) over r in 0..32, "
                         "k in 0..96\n"
                         "output C: [64, 48]\n"),
                  "C.update(0).split(r, io, ii, 16)\nC.update(0).split(j, jo, ji, 8)\n"
                  "C.update(0).split(k, ko, ki, 16)\n"
                  "C.update(0).reorder(io, jo, ko, ii, ji, ki)\n"
                  "C.update(0).tensorize(ii, mma_m16n8k16_f16)\n");
    EXPECT_THAT(operands(*call_at(over, "ii", "C", 1))[0],
                "D = C[C.u0.io*16 + 32, C.u0.jo*8] i→0 j→1");
}

TEST(Tensorize, OtherTypes) {
    EXPECT_EQ(refusal(product("bf16"), kTiles + "C.tensorize(ii, mma_m16n8k16_bf16)\n"), "applied");
    auto whole = scheduled(product("i8", "i32"),
                           "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\nC.split(k, ko, ki, 32)\n"
                           "C.reorder(io, jo, ko, ii, ji, ki)\nC.tensorize(ii, mma_m16n8k32_s8)\n");
    EXPECT_EQ(refusal(whole), "applied");
    EXPECT_FALSE(whole.state.find("C")->definitions[0].reassociates); // whole numbers are exact
    EXPECT_EQ(refusal(product(), "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 16)\n"
                                 "C.split(k, ko, ki, 16)\n"
                                 "C.reorder(io, jo, ko, ii, ji, ki)\n"
                                 "C.tensorize(ii, wmma_m16n16k16_f16)\n"),
              "applied");
}

const std::string kNarrow =
    "C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\nC.split(k, ko, ki, 8)\n"
    "C.reorder(io, jo, ko, ii, ji, ki)\nC.tensorize(ii, mma_m16n8k8_tf32)\n";

TEST(Tensorize, RoundsOperandsToTf32) {
    auto applied = scheduled(product("f32"), kNarrow);
    const auto call = call_at(applied, "ii");
    ASSERT_TRUE(call);
    EXPECT_TRUE(call->rounds);
    EXPECT_EQ(to_text(call->term),
              "from_bits(f32, bits(A[i, k]) + 4096u32 & 4294959104u32)*from_bits(f32, bits(B[k, "
              "j]) + 4096u32 & 4294959104u32)");
    // A definition may round as the instruction does.
    auto rounded = scheduled(parsed("pipeline product\n"
                                    "input A[i, k]: f32[64, 96]\n"
                                    "input B[k, j]: f32[96, 48]\n"
                                    "def tf32(x) = from_bits(f32, (bits(x) + 4096) & 0xffffe000)\n"
                                    "stage C[i, j] = sum[k in 0..96](tf32(A[i, k])*tf32(B[k, j]))\n"
                                    "output C: [64, 48]\n"),
                             kNarrow);
    ASSERT_TRUE(call_at(rounded, "ii"));
    EXPECT_FALSE(call_at(rounded, "ii")->rounds);
}

// Operands in fragments that a warp's threads hold, results in one, from which they are written.
TEST(Tensorize, OperandsInFragments) {
    auto applied = scheduled(product(), "Cf = C.cache_write(fragment)\n"
                                        "C.tile(i, j, io, jo, ii, ji, 32, 16)\n"
                                        "C.bind(io, block.y)\nC.bind(jo, warp)\n"
                                        "Cf.compute_at(C, jo)\n"
                                        "Cf.tile(i, j, i1, j1, i2, j2, 16, 8)\n"
                                        "Cf.split(k, k1, k2, 16)\n"
                                        "Cf.reorder(k1, i1, j1, i2, j2, k2)\n"
                                        "Af = Cf.cache_read(A, fragment)\n"
                                        "Bf = Cf.cache_read(B, fragment)\n"
                                        "Af.compute_at(Cf, k1)\nBf.compute_at(Cf, k1)\n"
                                        "Cf.unroll(i1)\nCf.unroll(j1)\n"
                                        "Cf.tensorize(i2, mma_m16n8k16_f16)\n");
    const auto text = to_text(*tree_of(applied));
    EXPECT_THAT(text, HasSubstr("Cf storage f32 [32, 16] fragment"));
    EXPECT_THAT(text, HasSubstr("Af storage f16 [32, 16] fragment"));
    EXPECT_THAT(text, HasSubstr("Bf storage f16 [16, 16] fragment"));
    EXPECT_THAT(text, HasSubstr("i2 16 tensorize mma_m16n8k16_f16"));
    EXPECT_EQ(applied.state.find("Af")->scope.shared_by, device::Unit::Warp);
    EXPECT_THAT(operands(*call_at(applied, "i2", "Cf")),
                ElementsAre("D = Cf[Cf.i.min + Cf.i1*16, Cf.j.min + Cf.j1*8] i→0 j→1",
                            "A = Af[Cf.i.min + Cf.i1*16, Cf.k1*16] i→0 k→1",
                            "B = Bf[Cf.k1*16, Cf.j.min + Cf.j1*8] k→0 j→1"));
}

// A tile that ends beyond what is needed is computed whole.
TEST(Tensorize, PaddedTails) {
    auto applied =
        scheduled(parsed("pipeline product\n"
                         "input A[i, k]: f16[50, 32] boundary zero\n"
                         "input B[k, j]: f16[32, 48]\n"
                         "stage C[i, j] = sum[k in 0..32](f32(A[i, k])*f32(B[k, j]))\n"
                         "stage D[i, j] = C[i, j] + 1.0\n"
                         "output D: [50, 48]\n"),
                  "C.split(i, io, ii, 16, pad)\nC.split(j, jo, ji, 8)\nC.split(k, ko, ki, 16)\n"
                  "C.reorder(io, jo, ko, ii, ji, ki)\n" +
                      kTensorize);
    EXPECT_THAT(to_text(*tree_of(applied)), HasSubstr("C → f32 [64, 48]"));
}

} // namespace
} // namespace loopscope::test
