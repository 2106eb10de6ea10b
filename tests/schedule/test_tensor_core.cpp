// What S.tensor_core() stands for: the lines, by program, and why it stands for none. That they
// compute what the definitions say is seen in tests/programs/test_tensor_core.cpp.
#include "core/device/generic_gpu.h"
#include "core/language/expand_schedule.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/schedule/recipe.h"
#include "tests/schedule/tensorize_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

namespace loopscope::test {
namespace test_tensor_core {

using testing::HasSubstr;
using testing::Not;

const ApplyContext& on_gpu() {
    static const ApplyContext context{&device::generic_gpu(), &declared_intrinsics()};
    return context;
}

device::Device described(const std::string& name) {
    const auto file = source_path("resources/devices/" + name + ".json");
    return must(device::read_device(std::make_shared<SourceFile>(file, read_file(file))));
}

PipelinePtr shipped(const std::string& name,
                    const std::map<std::string, std::int64_t>& params = {}) {
    LoadOptions options;
    options.params = params;
    return must(load_pipeline_file(source_path("resources/pipelines/" + name + ".loop"), options))
        .pipeline;
}

std::string expanded(const PipelinePtr& pipeline, const std::string& lines,
                     const ApplyContext& context = on_gpu()) {
    const auto script =
        std::make_shared<SourceFile>("test.sched", "schedule for " + pipeline->name + "\n" + lines);
    auto text = expand_schedule_source(script, pipeline, context);
    return text ? *text : format(text.errors());
}

struct Case {
    const char* program;
    const char* lines;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.program; }

class Expansion : public testing::TestWithParam<Case> {};

TEST_P(Expansion, IsLinesThatDoTheSame) {
    const auto pipeline = shipped(GetParam().program);
    const auto text = expanded(pipeline, GetParam().lines);
    EXPECT_EQ(golden_difference("tensor_core/" + std::string(GetParam().program) + ".sched", text),
              "");
    const auto as_word = must(
        schedule_tree(pipeline,
                      must(parse_schedule(std::make_shared<SourceFile>(
                          "word", "schedule for " + pipeline->name + "\n" + GetParam().lines))),
                      on_gpu()));
    const auto schedule = must(parse_schedule(std::make_shared<SourceFile>("lines", text)));
    const auto as_lines = must(schedule_tree(pipeline, schedule, on_gpu()));
    EXPECT_EQ(as_word->root->hash, as_lines->root->hash);
    // Nothing is left to write out.
    EXPECT_EQ(must(expand_schedule_source(schedule.source, pipeline, on_gpu())), text);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Expansion,
                         testing::Values(Case{"matmul_f16", "C.tensor_core()\n"},
                                         Case{"matmul_f16_nt", "C.tensor_core()\n"},
                                         Case{"matmul_s8", "C.tensor_core()\n"},
                                         Case{"matmul_bias_relu_f16", "product.tensor_core()\n"},
                                         Case{"batch_matmul_sv_f16", "mean.tensor_core()\n"},
                                         Case{"conv2d_f16", "out.tensor_core()\n"},
                                         Case{"conv3d_f16", "out.tensor_core()\n"}),
                         [](const auto& info) { return std::string(info.param.program); });

// The device decides: with fewer multiprocessors larger tiles keep all of them busy.
TEST(TensorCore, SizesFollowFromTheDeviceAndTheExtents) {
    const auto residual = shipped("matmul_residual_f16");
    const auto text = [&](const std::string& name) {
        const auto device = described(name);
        return expanded(residual, "product.tensor_core()\n",
                        ApplyContext{&device, &declared_intrinsics()});
    };
    EXPECT_THAT(text("h200"), HasSubstr("out.split(i, i_block, i, 64, shift)"));
    EXPECT_THAT(text("rtx3090"), HasSubstr("out.split(i, i_block, i, 32, shift)"));
    // A sum of one block of operands has nothing to load ahead; one of two, one block.
    const auto short_sum = [&](std::int64_t terms) {
        return expanded(shipped("matmul_f16", {{"K", terms}}), "C.tensor_core()\n");
    };
    EXPECT_THAT(short_sum(16), Not(HasSubstr("pipeline")));
    EXPECT_THAT(short_sum(64), HasSubstr("C_left_block.pipeline(2)"));
    EXPECT_THAT(short_sum(48), HasSubstr("C_sums.split(k_step, k_block, k_step, 3)"));
    // Shared memory that holds one copy of a block alone, and less than one of the largest.
    auto small = device::generic_gpu();
    small.gpu->limits.shared_bytes_per_block = 12 << 10;
    const auto tight = expanded(shipped("matmul_f16"), "C.tensor_core()\n",
                                ApplyContext{&small, &declared_intrinsics()});
    EXPECT_THAT(tight, Not(HasSubstr("128, shift")));
    EXPECT_THAT(tight, HasSubstr("C_sums.tensorize(i, mma_m16n8k16_f16)"));
}

// A grid has room for 65535 blocks along its second and third dimension, and for more along the
// first.
TEST(TensorCore, TheFirstDimensionOfAGridTakesWhatTheOthersCannot) {
    const auto sized = [](const char* rows, const char* columns, const char* batches) {
        return expanded(
            parsed(std::string("pipeline p\n") + "input A[b, i, k]: f16[" + batches + ", " + rows +
                   ", 16]\ninput B[b, k, j]: f16[" + batches + ", 16, " + columns +
                   "]\nstage C[b, i, j]: f32 = sum[k in 0..16](f32(A[b, i, k])*f32(B[b, "
                   "k, j]))\noutput C: [" +
                   batches + ", " + rows + ", " + columns + "]\n"),
            "C.tensor_core()\n");
    };
    EXPECT_THAT(sized("4096", "64", "8"), HasSubstr("C.bind(b, block.z)\nC.bind(i_block, block.y)\n"
                                                    "C.bind(j_block, block.x)"));
    EXPECT_THAT(
        sized("16777216", "64", "8"),
        HasSubstr("C.bind(b, block.z)\nC.bind(i_block, block.x)\nC.bind(j_block, block.y)"));
    EXPECT_THAT(
        sized("64", "64", "131072"),
        HasSubstr("C.bind(b, block.x)\nC.bind(i_block, block.y)\nC.bind(j_block, block.z)"));
}

// Names that are taken get a number; loops keep the names that the definition gave its axes.
TEST(TensorCore, MakesNamesThatAreFree) {
    const auto text = expanded(parsed("pipeline p\n"
                                      "input A[i, k]: f16[64, 64]\ninput B[k, j]: f16[64, 64]\n"
                                      "stage C_left_part[i, i_block] = f16(A[i, i_block] + A[i, "
                                      "i_block])\n"
                                      "stage C[i, i_block]: f32 = sum[i_tile in 0..64]("
                                      "f32(C_left_part[i, i_tile])*f32(B[i_tile, i_block]))\n"
                                      "output C: [64, 64]\n"),
                               "C.tensor_core()\n");
    EXPECT_THAT(text, HasSubstr("C.split(i, i_block2, i, "));
    EXPECT_THAT(text, HasSubstr("C_sums.split(i, i_tile2, i, 16)"));
    EXPECT_THAT(text, HasSubstr("C_left_part2 = C_sums.cache_read(C_left_block, fragment)"));
}

TEST(TensorCore, OfEachStageOfAPattern) {
    const auto twice = parsed("pipeline p\n"
                              "input A[i, k]: f16[64, 64]\ninput B[k, j]: f16[64, 64]\n"
                              "for n in 0..2 {\n"
                              "stage C{n}[i, j]: f32 = sum[k in 0..64](f32(A[i, k])*f32(B[k, j]))\n"
                              "output C{n}: [64, 64]\n}\n");
    const auto text = expanded(twice, "C*.tensor_core()\n");
    EXPECT_THAT(text, HasSubstr("# C*.tensor_core():\nC0_sums = C0.cache_write(fragment)"));
    EXPECT_THAT(text, HasSubstr("C1_sums = C1.cache_write(fragment)"));
}

// An update starts from what the definition before it says, in the registers that hold the sums.
TEST(TensorCore, OfAnUpdate) {
    const auto gemm = parsed("pipeline gemm\n"
                             "input A[i, k]: f16[64, 64]\ninput B[k, j]: f16[64, 64]\n"
                             "input D[i, j]: f32[64, 64]\n"
                             "stage C[i, j]: f32 = 2.0*D[i, j]\n"
                             "update C[i, j] += f32(A[i, k])*f32(B[k, j]) over k in 0..64\n"
                             "output C: [64, 64]\n");
    const auto text = expanded(gemm, "C.update(0).tensor_core()\n");
    EXPECT_THAT(text, HasSubstr("C_sums.update(0).tensorize(i, mma_m16n8k16_f16)"));
    EXPECT_THAT(text, HasSubstr("C_sums.reorder(i_tile, j_tile, i, j)"));
    EXPECT_EQ(refusal(gemm, "C.tensor_core()\n", on_gpu()),
              "1:1 C has 2 definitions, and the recipe keeps the sums of its last one, or of the "
              "only update; C.update(0).tensor_core() is of that one");
}

std::string refused(const PipelinePtr& pipeline, const std::string& lines,
                    const ApplyContext& context = on_gpu()) {
    return refusal(pipeline, lines, context);
}

TEST(TensorCore, NeedsATargetWithTensorCores) {
    const std::string remedy =
        "; name one that has: `target h200`, or another of resources/devices";
    EXPECT_EQ(refused(product(), "C.tensor_core()\n", {}),
              "1:1 no target is named that has tensor cores" + remedy);
    device::Device device;
    ApplyContext context{&device, &declared_intrinsics()};
    EXPECT_EQ(refused(product(), "C.tensor_core()\n", context),
              "1:1 this machine has no tensor cores" + remedy);
    device.name = "i7-6700";
    EXPECT_EQ(refused(product(), "C.tensor_core()\n", context),
              "1:1 i7-6700 has no tensor cores" + remedy);
    device = device::generic_gpu();
    device.name = "old";
    device.gpu->tensor_intrinsics.clear();
    EXPECT_EQ(refused(product(), "C.tensor_core()\n", context),
              "1:1 old has no tensor cores" + remedy);
    device.gpu->tensor_intrinsics = {"mma_m16n8k32_s8"};
    EXPECT_THAT(refused(product(), "C.tensor_core()\n", context),
                HasSubstr("1:1 C sums in f32, and mma_m16n8k32_s8 in i32"));
    device.gpu->tensor_intrinsics = {"wgmma_m64nNk16_f16"};
    EXPECT_EQ(refused(product(), "C.tensor_core()\n", context),
              "1:1 what old has for C, wgmma_m64n112k16_f16, wgmma_m64n128k16_f16, "
              "wgmma_m64n256k16_f16 and "
              "wgmma_m64n64k16_f16, does not take operands out of a warp's registers, where this "
              "recipe keeps them; a target of compute capability 8.0 or above has others");
    device = device::generic_gpu();
    device.name = "tiny";
    device.gpu->limits.shared_bytes_per_block = 1024;
    context.device = &device;
    EXPECT_EQ(refused(product(), "C.tensor_core()\n", context),
              "1:1 no block of the operands of C fits what tiny has for a block: 1024 bytes of "
              "shared memory; another target, or C.tensorize(…) with operands that stay where "
              "they are");
}

// The first devices with tensor cores have whole matrices alone; later ones others beside, which
// are chosen.
TEST(TensorCore, TakesWholeMatricesWhereThereIsNothingElse) {
    for (const char* name : {"v100", "rtx2080ti", "agx-xavier"}) {
        const auto device = described(name);
        const ApplyContext context{&device, &declared_intrinsics()};
        const auto text = expanded(shipped("matmul_f16"), "C.tensor_core()\n", context);
        EXPECT_THAT(text, HasSubstr("C_sums.tensorize(i, wmma_m16n16k16_f16)")) << name;
        EXPECT_THAT(text, HasSubstr("C_left_block.pad_storage(k, 16)"));
        EXPECT_THAT(text, HasSubstr("C_left_block.pipeline(2)"));
        const auto through =
            expanded(shipped("matmul_bias_relu_f16"), "product.tensor_core()\n", context);
        EXPECT_THAT(through, HasSubstr("product.scope(shared)")) << name;
        EXPECT_THAT(through, HasSubstr("product_sums = product.cache_write(fragment)"));
        EXPECT_THAT(refused(parsed("pipeline updated\ninput A[i, k]: f16[64, 32]\n"
                                   "input B[k, j]: f16[32, 64]\ninput D[i, j]: f32[64, 64]\n"
                                   "stage C[i, j] = D[i, j]\n"
                                   "update C[i, j] += f32(A[i, k])*f32(B[k, j]) over k in 0..32\n"
                                   "output C: [64, 64]\n"),
                            "C.update(0).tensor_core()\n", context),
                    HasSubstr("C.update(0) adds to values of each element, and which lane holds "
                              "which element of wmma_m16n16k16_f16's fragments is not known"));
    }
    EXPECT_THAT(expanded(shipped("matmul_f16"), "C.tensor_core()\n"), Not(HasSubstr("wmma")));
    const auto a100 = described("a100-sxm-40gb");
    EXPECT_THAT(expanded(shipped("matmul_f16"), "C.tensor_core()\n",
                         ApplyContext{&a100, &declared_intrinsics()}),
                HasSubstr("mma_m16n8k16_f16"));
}

TEST(TensorCore, NeedsASumOfProducts) {
    EXPECT_EQ(refused(product("f64", "f64"), "C.tensor_core()\n"),
              "1:1 C sums in f64, and mma_m16n8k16_bf16 in f32; sum in f32, and cast the result in "
              "a stage that reads it");
    EXPECT_EQ(refused(product("f32"), "C.tensor_core()\n"),
              "1:1 mma_m16n8k8_tf32 rounds its operands, and C does not say so: the recipe changes "
              "no results by more than the order of sums; round them in the definition as the "
              "instruction does, or C.tensorize(…, mma_m16n8k8_tf32) step by step");
    const auto other = [](const std::string& stage, const std::string& inputs = {}) {
        return refused(parsed("pipeline p\n"
                              "input A[i, k]: f16[64, 96]\ninput B[k, j]: f16[96, 48]\n" +
                              inputs + "stage C[i, j]: f32 = " + stage + "\noutput C: [64, 48]\n"),
                       "C.tensor_core()\n");
    };
    EXPECT_EQ(other("max[k in 0..96](f32(A[i, k])*f32(B[k, j]))"),
              "1:1 C is a reduction by max, and mma_m16n8k16_bf16 adds up f32(A[i, k])*f32(B[k, "
              "j]); tensorize a definition by sum, or by +=");
    EXPECT_EQ(other("f32(A[i, j])"),
              "1:1 C computes each of its elements once, and mma_m16n8k16_bf16 adds up f32(A[i, "
              "k])*f32(B[k, j]); tensorize a definition by sum, or by +=");
    EXPECT_EQ(other("sum[k in 0..96](f32(A[i, k]) + f32(B[k, j]))"),
              "1:1 the term of C is f32(A[i, k]) + f32(B[k, j]), where that of mma_m16n8k16_bf16 "
              "is f32(A[i, k])*f32(B[k, j]); compute the other parts in a stage of their own");
    EXPECT_EQ(other("sum[k in 0..96 where k > i](f32(A[i, k])*f32(B[k, j]))"),
              "1:1 C has a condition, `where`, and mma_m16n8k16_bf16 has none; compute terms that "
              "do not count as 0, in a stage that C reads");
    EXPECT_EQ(other("sum[k in 0..96](f32(A[i, k])*f32(B[k, j])*2.0)"),
              "1:1 operand A of mma_m16n8k16_bf16 is one element, and C takes f32(A[i, "
              "k])*f32(B[k, j]); compute that in a stage of its own, of type bf16");
    EXPECT_EQ(other("sum[k in 0..48](f32(A[i, 2*k])*f32(B[k, j]))"),
              "1:1 C is no product of matrices: no axis of the sum moves both operands (one index "
              "of each, by 1 with each step); such a sum is C[i, j] = sum[k](A[i, k]*B[k, j]), in "
              "whatever order of the indices");
    EXPECT_EQ(other("sum[k in 0..96](f32(A[i, k])*f32(A[j, k]))"),
              "1:1 both operands of C are A, and one copy in shared memory would hold both; make a "
              "stage that copies A, and read one of them from it");
    EXPECT_EQ(other("sum[k in 0..96](f32(A[i, k])*f32(D[k]))", "input D[k]: f16[96]\n"),
              "1:1 C is no product of matrices: no axis moves D and leaves A where it is (one "
              "index of each, by 1 with each step); such a sum is C[i, j] = sum[k](A[i, k]*B[k, "
              "j]), in whatever order of the indices");
    EXPECT_EQ(other("sum[k in 0..96, l in 3..3](f32(A[i, k])*f32(B[k, j]))"),
              "1:1 C sums over nothing: l has no values; a sum of at least one term");
    EXPECT_EQ(other("sum[k in 0..96](f32(A[i, k/2])*f32(B[k, j]))"),
              "1:1 C reads A where its index 1, k/2, is not linear in its axes; gather such "
              "elements in a stage of their own, which C reads");
}

TEST(TensorCore, NeedsExtentsOfAnInstruction) {
    const auto sized = [](int rows, int columns, int terms) {
        return refused(shipped("matmul_f16", {{"M", rows}, {"N", columns}, {"K", terms}}),
                       "C.tensor_core()\n");
    };
    EXPECT_EQ(sized(16, 8, 16), "applied");
    EXPECT_EQ(sized(12, 8, 16), "1:1 C has 12 values of i, and mma_m16n8k16_f16 takes 16 rows; an "
                                "extent of at least 16, with elements that are 0");
    EXPECT_EQ(sized(16, 7, 16), "1:1 C has 7 values of j, and mma_m16n8k16_f16 takes 8 columns; an "
                                "extent of at least 8, with elements that are 0");
    EXPECT_EQ(sized(64, 64, 40),
              "1:1 C sums over 40 values of k, and mma_m16n8k16_f16 adds up 16 at once; give k an "
              "extent that 16 divides, with terms that are 0");
}

TEST(TensorCore, NeedsAStageAsItStands) {
    EXPECT_EQ(refused(product(), "C.split(i, io, ii, 16)\nC.tensor_core()\n"),
              "2:1 C has loop directives already, and the recipe makes its loops; remove them, or "
              "go on with C.tensorize(…)");
    EXPECT_EQ(refused(product(), "C.tensor_core()\nC.tensor_core()\n"),
              "2:1 C has loop directives already, and the recipe makes its loops; remove them, or "
              "go on with C.tensorize(…)");
    EXPECT_EQ(refused(product(), "C.tensor_core()\nC_sums.tensor_core()\n"),
              "2:1 C_sums is a cache of C, and the recipe makes its own; write C.tensor_core() in "
              "place of the cache_write");
    EXPECT_EQ(refused(product(), "D.tensor_core()\n"),
              "1:1 there is no stage D; `show` lists the stages");
    const auto bias = shipped("matmul_bias_relu_f16");
    EXPECT_EQ(refused(bias, "product.compute_at(out, j)\nproduct.tensor_core()\n"),
              "2:1 product is computed at out.j already, and the recipe places it; "
              "product.compute_root() first, or remove the line that moves it");
    // An epilogue that has loops of its own stays a kernel of its own.
    EXPECT_THAT(expanded(bias, "out.split(i, io, i, 16)\nproduct.tensor_core()\n"),
                HasSubstr("product_sums = product.cache_write(fragment)"));
}

TEST(TensorCore, ReadsAsItIsWritten) { expect_round_trip("C.tensor_core()"); }

} // namespace test_tensor_core
} // namespace loopscope::test
