// What tensorize refuses, and what is refused after it: each message says which part does not
// match, and what would be legal.

#include "tests/schedule/tensorize_support.h"

namespace loopscope::test {
namespace {

using testing::HasSubstr;

// `C[i, j] = STAGE` over A and B of f16; more statements before it.
std::string after_tiles(const std::string& stage, const std::string& more = {},
                        const std::string& lines = {}) {
    return refusal(parsed("pipeline product\n"
                          "input A[i, k]: f16[64, 96]\n"
                          "input B[k, j]: f16[96, 48]\n" +
                          more + "stage C[i, j] = " + stage + "\noutput C: [64, 48]\n"),
                   kTiles + lines + kTensorize);
}

std::string product_after(const std::string& lines) { return refusal(product(), lines); }

TEST(TensorizeRefuses, AnotherOperator) {
    EXPECT_EQ(after_tiles("max[k in 0..96](f32(A[i, k])*f32(B[k, j]))"),
              "5:13 C is a reduction by max, and mma_m16n8k16_f16 adds up f32(A[i, k])*f32(B[k, "
              "j]); tensorize a definition by sum, or by +=");
    EXPECT_EQ(after_tiles("sum[k in 0..96 where k < i](f32(A[i, k])*f32(B[k, j]))"),
              "5:13 C has a condition, `where`, and mma_m16n8k16_f16 has none; compute terms that "
              "do not count as 0, in a stage that C reads");
    EXPECT_EQ(
        after_tiles("sum[k in 0..96](f32(A[i, k]) + f32(B[k, j]))"),
        "5:13 the term of C is f32(A[i, k]) + f32(B[k, j]), where that of mma_m16n8k16_f16 is "
        "f32(A[i, k])*f32(B[k, j]); compute the other parts in a stage of their own");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A[i, k]))"),
              "5:13 the term of C is f32(A[i, k]), where that of mma_m16n8k16_f16 is f32(A[i, "
              "k])*f32(B[k, j]); compute the other parts in a stage of their own");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A[i, k])*(f32(B[k, j]) + 1.0))"),
              "5:13 operand B of mma_m16n8k16_f16 is one element, and C takes f32(B[k, j]) + 1.0; "
              "compute that in a stage of its own, of type f16");
    // The copy that cache_write leaves behind computes nothing.
    EXPECT_EQ(refusal(product(), "Cf = C.cache_write(fragment)\n"
                                 "C.tensorize(i, mma_m16n8k16_f16)\n"),
              "2:13 C computes each of its elements once, and mma_m16n8k16_f16 adds up f32(A[i, "
              "k])*f32(B[k, j]); tensorize a definition by sum, or by +=");
    EXPECT_EQ(refusal(parsed("pipeline scan\n"
                             "input A[i, k]: f16[64, 96]\n"
                             "stage C[i] = f32(0)\n"
                             "update C[r] += C[r - 1]*f32(A[r, 0]) over r in 1..64\n"
                             "output C: [64]\n"),
                      "C.update(0).tensorize(r, mma_m16n8k16_f16)\n"),
              "1:23 C.update(0) cannot be tensorised: it reads C itself, so that its iterations "
              "follow from each other; tensorize a definition by sum, or by +=");
}

TEST(TensorizeRefuses, AnotherType) {
    EXPECT_EQ(refusal(product("bf16"), kTiles + kTensorize),
              "5:13 operand A of mma_m16n8k16_f16 is of f16, and A in C of bf16; another intrinsic "
              "takes bf16, or a stage of f16 in place of A");
    EXPECT_EQ(after_tiles("sum[k in 0..96](A[i, k]*B[k, j])"),
              "5:13 C sums in f16, and mma_m16n8k16_f16 in f32; sum in f32, and cast the result in "
              "a stage that reads it");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A[i, k]*B[k, j]))"),
              "5:13 A[i, k]*B[k, j] in C is of f16, and f32(A[i, k])*f32(B[k, j]) in "
              "mma_m16n8k16_f16 of f32; cast the operands: f32(…)");
    EXPECT_EQ(refusal(product("i8", "i32"), kTiles + kTensorize),
              "5:13 C sums in i32, and mma_m16n8k16_f16 in f32; sum in f32, and cast the result in "
              "a stage that reads it");
    // A cast that loses digits is none to look through.
    EXPECT_THAT(refusal(parsed("pipeline product\n"
                               "input A[i, k]: f16[64, 96]\n"
                               "input B[k, j]: f16[96, 48]\n"
                               "stage C[i, j] = sum[k in 0..96](f32(bf16(A[i, k]))*"
                               "f32(B[k, j]))\n"
                               "output C: [64, 48]\n"),
                        kTiles + kTensorize),
                HasSubstr("C takes f32(bf16(A[i, k])), which is not as mma_m16n8k16_f16 takes its "
                          "operand A"));
}

TEST(TensorizeRefuses, OtherExtents) {
    EXPECT_EQ(
        product_after("C.tensorize(i, mma_m16n8k16_f16)\n"),
        "1:13 inside of C.i there are i 64, j 48 and k 96, and mma_m16n8k16_f16 takes i 16, j "
        "8 and k 16; split i by 16, j by 8 and k by 16 first, and tensorize the inner loops");
    EXPECT_EQ(
        product_after("C.split(i, io, ii, 16)\nC.split(j, jo, ji, 8)\n"
                      "C.reorder(io, jo, ii, ji, k)\n" +
                      kTensorize),
        "4:13 inside of C.ii there are i 16, j 8 and k 96, and mma_m16n8k16_f16 takes i 16, j "
        "8 and k 16; split k by 16 first, and tensorize the inner loops");
    EXPECT_EQ(product_after("C.split(i, io, ii, 8)\nC.split(j, jo, ji, 8)\nC.split(k, ko, ki, 16)\n"
                            "C.reorder(io, jo, ko, ii, ji, ki)\n" +
                            kTensorize),
              "5:13 inside of C.ii there are i 8, j 8 and k 16, and mma_m16n8k16_f16 takes i 16, j "
              "8 and k 16; another intrinsic may be smaller");
    EXPECT_EQ(
        product_after(kTiles + "C.tensorize(ji, mma_m16n8k16_f16)\n"),
        "5:13 inside of C.ji there are j 8 and k 16, and mma_m16n8k16_f16 takes i 16, j 8 and "
        "k 16 summed over; tensorize a loop further out, or put the loops that are missing "
        "inside of C.ji");
    EXPECT_EQ(refusal(parsed("pipeline batch\n"
                             "input A[b, i, k]: f16[4, 16, 16]\n"
                             "input B[b, k, j]: f16[4, 16, 8]\n"
                             "stage C[b, i, j] = sum[k in 0..16](f32(A[b, i, k])*"
                             "f32(B[b, k, j]))\n"
                             "output C: [4, 16, 8]\n"),
                      "C.tensorize(b, mma_m16n8k16_f16)\n"),
              "1:13 inside of C.b there are b 4, i 16, j 8 and k 16, and mma_m16n8k16_f16 takes i "
              "16, j 8 and k 16 summed over; put the other loops outside of C.b");
}

TEST(TensorizeRefuses, LoopsThatAreNotTheAxes) {
    EXPECT_EQ(product_after("C.split(i, ii, io, 4)\nC.split(j, jo, ji, 8)\nC.split(k, ko, ki, 16)\n"
                            "C.reorder(io, jo, ko, ii, ji, ki)\n" +
                            kTensorize),
              "5:13 the loops inside of C.ii do not take neighbouring values of i, each once; put "
              "the inner loop of each split innermost, and the outer one outside of C.ii");
    EXPECT_EQ(product_after(kTiles + "C.fuse(ii, ji, f)\nC.tensorize(f, mma_m16n8k16_f16)\n"),
              "6:13 i of C is not linear in the loops inside of C.f: a loop there is fused of two; "
              "tensorize before the loops are fused, or fuse those outside alone");
}

TEST(TensorizeRefuses, OtherIndices) {
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A2[i, 2*k])*f32(B[k, j]))",
                          "input A2[i, k]: f16[64, 192]\n"),
              "5:13 operand A of mma_m16n8k16_f16, A2, is loaded where its index 1, 2*k, moves by "
              "2 with k; its indices take each axis with the coefficient 1");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A2[i + k, k])*f32(B[k, j]))",
                          "input A2[i, k]: f16[160, 96]\n"),
              "5:13 operand A of mma_m16n8k16_f16, A2, is loaded where its index 0, i + k, moves "
              "by 1 with i and by 1 with k; its indices take each axis with the coefficient 1");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A[i, 95 - k])*f32(B[k, j]))"),
              "5:13 operand A of mma_m16n8k16_f16, A, is loaded where its index 1, 95 - k, moves "
              "by -1 with k; its indices take each axis with the coefficient 1");
    EXPECT_EQ(
        after_tiles("sum[k in 0..96](f32(A[i, k])*f32(B2[k, i]))", "input B2[k, i]: f16[96, 64]\n"),
        "5:13 operand B of mma_m16n8k16_f16, B2, is loaded at indices that move with i, and "
        "B[k, j] does not; the intrinsic takes B[k, j]");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A[0, k])*f32(B[k, j]))"),
              "5:13 operand A of mma_m16n8k16_f16, A, is loaded at indices that do not move with "
              "i; the intrinsic takes A[i, k]");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A[min(i, 50), k])*f32(B[k, j]))"),
              "5:13 operand A of mma_m16n8k16_f16, A, is loaded where its index 0, min(i, 50), is "
              "not linear; its indices take each axis with the coefficient 1");
    EXPECT_EQ(after_tiles("sum[k in 0..96](f32(A3[i32(f[i]), k])*f32(B[k, j]))",
                          "input f[i]: u8[64]\ninput A3[i, k]: f16[256, 96]\n"),
              "5:13 operand A of mma_m16n8k16_f16, A3, is loaded where its index 0, i32(f[i]), is "
              "not linear; gather such elements in a stage of their own, which C reads");
}

TEST(TensorizeRefuses, Tails) {
    const auto text = [](const std::string& rows, const std::string& depth) {
        return parsed("pipeline product\n"
                      "input A[i, k]: f16[" +
                      rows + ", " + depth + "] boundary zero\ninput B[k, j]: f16[" + depth +
                      ", 48]\nstage C[i, j] = sum[k in 0.." + depth +
                      "](f32(A[i, k])*f32(B[k, j]))\nstage D[i, j] = C[i, j]\noutput D: [" + rows +
                      ", 48]\n");
    };
    EXPECT_EQ(refusal(text("50", "32"), kTiles + kTensorize),
              "5:13 the loops over i of C end at 50, within a tile: its tail is guarded, and "
              "mma_m16n8k16_f16 computes whole tiles; split by factors that divide, or with the "
              "tail pad");
    EXPECT_EQ(refusal(text("64", "40"), kTiles + kTensorize),
              "5:13 the loops over k of C end at 40, within a tile: its tail is guarded, and "
              "mma_m16n8k16_f16 computes whole tiles; split by factors that divide, or give k an "
              "extent that they divide");
    // A guard of loops outside is none of the instruction's.
    EXPECT_EQ(refusal(text("80", "32"), kTiles + "C.split(io, i1, i2, 2)\n" + kTensorize),
              "applied");
}

TEST(TensorizeRefuses, WhatStandsInside) {
    EXPECT_EQ(product_after(kTiles + "C.vectorize(ki)\n" + kTensorize),
              "6:13 C.ki is vectorised, and mma_m16n8k16_f16 replaces it; C.serial(ki) first");
    EXPECT_EQ(product_after(kTiles + "C.unroll(ji)\n" + kTensorize),
              "6:13 C.ji is unrolled, and mma_m16n8k16_f16 replaces it; C.serial(ji) first");
    EXPECT_EQ(product_after(kTiles + "C.bind(ii, thread.x)\n" + kTensorize),
              "6:13 C.ii is bound to thread.x, and mma_m16n8k16_f16 replaces it; C.serial(ii) "
              "first");
    EXPECT_EQ(product_after(kTiles + "C.vectorize(jo)\n" + kTensorize),
              "6:13 C.jo is vectorised, and its lanes would execute mma_m16n8k16_f16 at once; "
              "C.serial(jo) first, or unroll it");
    EXPECT_EQ(
        product_after(kTiles + "As = C.cache_read(A, local)\nAs.compute_at(C, ji)\n" + kTensorize),
        "7:13 As is computed at C.ji, which mma_m16n8k16_f16 replaces; As.compute_at(C, ko) "
        "is outside of it");
    EXPECT_EQ(product_after(kTiles + "C.prefetch(A, ii, 1)\n" + kTensorize),
              "6:13 A is prefetched at C.ii, which mma_m16n8k16_f16 replaces; prefetch at a loop "
              "around C.ii");
    EXPECT_EQ(product_after(kTiles + "C.atomic()\nC.parallel(ko)\n" + kTensorize),
              "7:13 C combines by atomic operations, and mma_m16n8k16_f16 adds to registers; R = "
              "C.rfactor(…) in place of atomic() gives colliding iterations results of their own");
    EXPECT_EQ(product_after(kTiles + kTensorize + "C.tensorize(ji, mma_m16n8k16_f16)\n"),
              "6:13 C.tensorize(ii, mma_m16n8k16_f16) stands already: one is all of a nest; "
              "C.serial(ii) undoes it");
}

TEST(TensorizeRefuses, Names) {
    EXPECT_EQ(product_after("C.tensorize(i, dot4)\n"),
              "1:16 a GPU of compute capability 8.0 declares no intrinsic dot4; tensorize takes "
              "mma_m16n8k16_bf16, mma_m16n8k16_f16, mma_m16n8k32_s8, mma_m16n8k8_tf32 and "
              "wmma_m16n16k16_f16 there");
    EXPECT_EQ(product_after("C.tensorize(x, mma_m16n8k16_f16)\n"),
              "1:13 C has no loop x; its loops are i, j, k");
    EXPECT_EQ(product_after("C.tensorize(i)\n"),
              "1:14 tensorize needs an intrinsic here; write S.tensorize(loop, intrinsic)");
    // Who knows of no declarations knows of no intrinsics.
    auto state = ScheduleState::initial(product());
    const auto line = parse_directive("C.tensorize(i, mma_m16n8k16_f16)");
    const auto refused = apply_line(state, **line, {});
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.errors()[0].message,
              "a GPU of compute capability 8.0 has mma_m16n8k16_f16, but what it computes is not "
              "declared in the tensor-expression language");
}

// Lines after it, on the loops that it replaced.
TEST(TensorizeRefuses, LaterLinesOnItsLoops) {
    const auto lines = kTiles + kTensorize;
    const std::string remedy = ": mma_m16n8k16_f16 replaces it; write this line before "
                               "C.tensorize(ii, mma_m16n8k16_f16), or C.serial(ii) first";
    EXPECT_EQ(product_after(lines + "C.split(ii, i1, i2, 4)\n"),
              "6:9 C.ii cannot be split" + remedy);
    EXPECT_EQ(product_after(lines + "C.fuse(ii, ji, f)\n"), "6:8 C.ii cannot be fused" + remedy);
    EXPECT_EQ(product_after(lines + "C.tile(ii, ji, a, b, c, d, 4, 4)\n"),
              "6:8 C.ii cannot be tiled" + remedy);
    EXPECT_EQ(product_after(lines + "C.unroll(ji)\n"), "6:10 C.ji cannot be unrolled" + remedy);
    EXPECT_EQ(product_after(lines + "C.unroll(ji, 4)\n"), "6:10 C.ji cannot be split" + remedy);
    EXPECT_EQ(product_after(lines + "C.vectorize(ki)\n"),
              "6:13 C.ki cannot be vectorised" + remedy);
    EXPECT_EQ(product_after(lines + "C.parallel(ii)\n"), "6:12 C.ii cannot be parallel" + remedy);
    EXPECT_EQ(product_after(lines + "C.bind(ii, thread.x)\n"),
              "6:8 C.ii cannot be bound to thread.x" + remedy);
    EXPECT_EQ(product_after(lines + "C.serial(ji)\n"), "6:10 C.ji cannot be serial" + remedy);
    EXPECT_EQ(product_after(lines + "C.reorder(ji, ii)\n"), "6:1 C.ii cannot be moved" + remedy);
    EXPECT_EQ(product_after(lines + "C.reorder(ii, ko)\n"), "6:1 C.ii cannot be moved" + remedy);
}

TEST(TensorizeRefuses, LaterLinesThatWouldStandInside) {
    const auto lines = kTiles + kTensorize;
    EXPECT_EQ(product_after(lines + "As = C.cache_read(A, local)\nAs.compute_at(C, ji)\n"),
              "7:18 As cannot be computed at C.ji: mma_m16n8k16_f16 replaces it, with all inside; "
              "legal for As: compute_root(), compute_at(C, io), compute_at(C, jo), compute_at(C, "
              "ko)");
    EXPECT_EQ(product_after(lines + "C.prefetch(A, ji, 1)\n"),
              "6:15 mma_m16n8k16_f16 replaces C.ji: no iteration of it is left to prefetch at; "
              "prefetch at a loop around C.ii");
    EXPECT_EQ(product_after(lines + "C.vectorize(jo)\n"),
              "6:1 C.tensorize(ii, mma_m16n8k16_f16) would not hold any longer: C.jo is "
              "vectorised, and its lanes would execute mma_m16n8k16_f16 at once; remove that "
              "line, or write it after this one as it then applies");
}

// Lines that would make another term, other regions or another nest of it.
TEST(TensorizeRefuses, LaterLinesThatWouldChangeWhatItComputes) {
    const auto pipeline = parsed("pipeline product\n"
                                 "input A[i, k]: f16[64, 96]\n"
                                 "input B[k, j]: f16[96, 48]\n"
                                 "stage A2[i, k] = A[i, k]*A[i, k]\n"
                                 "stage C[i, j] = sum[k in 0..96](f32(A2[i, k])*f32(B[k, j]))\n"
                                 "stage D[i, j] = C[i, j] + C[i, j + 1]\n"
                                 "output D: [64, 47]\n");
    const auto after = [&](const std::string& lines) {
        return refusal(pipeline, kTiles + kTensorize + lines);
    };
    const std::string front = "C.tensorize(ii, mma_m16n8k16_f16) would not hold any longer: ";
    const std::string remedy = "; remove that line, or write it after this one as it then applies";
    EXPECT_EQ(after(""), "applied");
    EXPECT_EQ(after("A2.inline()\n"),
              "6:1 " + front +
                  "operand A of mma_m16n8k16_f16 is one element, and C takes f32(A[i, k]*A[i, k])" +
                  remedy);
    // A row of D needs one row of C.
    EXPECT_EQ(after("C.compute_at(D, i)\n"),
              "6:1 " + front +
                  "the loops over i of C end at 1, within a tile: its tail is guarded, and "
                  "mma_m16n8k16_f16 computes whole tiles" +
                  remedy);
    EXPECT_THAT(after("R = C.rfactor(ko)\n"), HasSubstr(front));
}

} // namespace
} // namespace loopscope::test
