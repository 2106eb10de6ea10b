// The kernels that measure ceilings: they assemble without spills, and the figures follow from
// their work.
#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/gpu/ceilings.h"
#include "compiler/gpu/peak_ptx.h"
#include "tests/gpu/gpu_support.h"
#include "tests/support/must.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::gpu {
namespace {

std::vector<std::string> types(const std::vector<PeakKernel>& kernels) {
    std::vector<std::string> list;
    for (const auto& kernel : kernels)
        list.push_back(kernel.type);
    return list;
}

void expect_assembles(const PeakKernel& kernel) {
    auto assembly = codegen::assemble(kernel.ptx, kernel.architecture);
    if (!assembly && assembly.errors().front().code == "no-toolkit")
        GTEST_SKIP() << "no ptxas here";
    ASSERT_TRUE(assembly) << kernel.type << " " << kernel.architecture << "\n"
                          << format(assembly.errors()) << kernel.ptx;
    const auto& found = assembly->kernels.at(0);
    EXPECT_EQ(found.spill_stores, 0) << kernel.type;
    EXPECT_EQ(assembly->warnings, "") << kernel.type << ": as of wgmma that was serialised";
    EXPECT_LE(found.registers * kernel.threads * kernel.blocks_per_multiprocessor, 65536)
        << kernel.type;
}

TEST(PeakKernels, EachArchitectureHasItsTypes) {
    using testing::ElementsAre;
    EXPECT_THAT(types(multiply_add_kernels(75)), ElementsAre("f32", "f64", "f16", "i32"));
    EXPECT_THAT(types(multiply_add_kernels(80)), ElementsAre("f32", "f64", "f16", "bf16", "i32"));
    EXPECT_TRUE(tensor_kernels(75).empty());
    EXPECT_THAT(types(tensor_kernels(80)), ElementsAre("f16", "bf16", "tf32", "i8", "f64"));
    EXPECT_THAT(types(tensor_kernels(89)), ElementsAre("f16", "bf16", "tf32", "i8", "e4m3", "f64"));
    EXPECT_EQ(tensor_kernels(90)[0].architecture, "sm_90a");
    EXPECT_EQ(tensor_kernels(100)[0].architecture, "sm_80") << "wgmma is of 9.0 alone";
}

TEST(PeakKernels, Assemble) {
    expect_assembles(copy_kernel());
    for (int capability : {75, 80, 89, 90}) {
        for (const auto& kernel : multiply_add_kernels(capability))
            expect_assembles(kernel);
        for (const auto& kernel : tensor_kernels(capability))
            expect_assembles(kernel);
    }
}

TEST(PeakKernels, CountTheirWork) {
    // 8 tiles of 16 x 8 x 16, 4096 times, by 8 warps.
    EXPECT_EQ(tensor_kernels(80)[0].flops_per_block, 2.0 * 16 * 8 * 16 * 8 * 4096 * 8);
    // 64 x 256 x 16, 8 * 512 times, by 2 warpgroups.
    EXPECT_EQ(tensor_kernels(90)[0].flops_per_block, 2.0 * 64 * 256 * 16 * 8 * 512 * 2);
    EXPECT_EQ(multiply_add_kernels(80)[0].flops_per_block, 2.0 * 256 * 4096 * 8 * 8);
}

TEST(Ceilings, FollowFromWorkAndTime) {
    test::FakeDriver driver(
        test::Settings{{"FAKE_CUDA_KERNEL_US", "1000"}, {"FAKE_CUDA_MEMORY", "268435456"}});
    auto session = test::must(GpuSession::open());
    auto ceilings = test::must(measure_ceilings(*session, {}));
    EXPECT_NEAR(ceilings.copy_bytes_per_second, 2 * double(1 << 26) / 1e-3, 1e8);
    EXPECT_NEAR(ceilings.flops_per_second.at("f32"),
                132 * 4 * multiply_add_kernels(90)[0].flops_per_block / 1e-3, 1e11);
    EXPECT_NEAR(ceilings.tensor_flops_per_second.at("f16"),
                132 * tensor_kernels(90)[0].flops_per_block / 1e-3, 1e11);
    EXPECT_EQ(ceilings.tensor_instruction, "wgmma");
    EXPECT_EQ(ceilings.tensor_flops_per_second.count("e4m3"), 1u);
}

TEST(Ceilings, AGpuWithoutTensorCoresHasNoneOfTheirFigures) {
    test::FakeDriver driver(
        test::Settings{{"FAKE_CUDA_CAPABILITY", "75"}, {"FAKE_CUDA_MEMORY", "268435456"}});
    auto session = test::must(GpuSession::open());
    EXPECT_TRUE(test::must(measure_ceilings(*session, {})).tensor_flops_per_second.empty());
}

} // namespace
} // namespace loopscope::gpu
