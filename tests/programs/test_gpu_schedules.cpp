// The schedules for GPUs at their programs' full sizes: each becomes PTX that NVIDIA's assembler
// takes, within the limits of a block, and keeps in registers what it means to keep there, about as
// many as the model says. That they compute the right thing is compared at small sizes, with the
// other schedules of each program.
#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/worker/program.h"
#include "core/device/generic_gpu.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/must.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"
#include "tuner/model/gpu/analysis.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace loopscope::test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSharedOfBlock = 163 * 1024; // of sm_80; sm_90 has more
constexpr std::int64_t kThreadsOfBlock = 1024;
// How far an estimate of registers may be from what the assembler gives a kernel, as a factor.
constexpr double kFarthest = 3;

std::vector<std::string> programs_for_gpus() {
    const std::string ending = ".gpu.sched";
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(source_path("resources/pipelines"))) {
        const auto file = entry.path().filename().string();
        if (file.size() > ending.size() && file.ends_with(ending))
            out.push_back(file.substr(0, file.size() - ending.size()));
    }
    std::sort(out.begin(), out.end());
    return out;
}

// A thread goes back over a line that it has gone along: more than registers hold.
bool keeps_lines(const std::string& program) { return program == "iir_blur"; }

// What the model takes a thread's registers for, by launch, beyond what it may have as well.
std::vector<double> estimated_registers(const ScheduleTree& tree) {
    std::vector<double> out;
    for (const auto& kernel : model::gpu::analyse_launches(tree, device::generic_gpu(), {}).kernels)
        out.push_back(static_cast<double>(kernel.shape.registers + kernel.shape.registers_spilled));
    return out;
}

class GpuSchedules : public testing::TestWithParam<std::string> {};

TEST_P(GpuSchedules, AssembleWithoutSpills) {
    const auto bundled = load_bundled(GetParam(), {}, Variant{true, 0, true});
    const auto lowered = must(worker::lower_program(
        {bundled.pipeline, {}, bundled.tree, bundled.vector_bits, true, device::generic_gpu()}));
    const auto estimated = estimated_registers(*bundled.tree);
    for (const auto& architecture : in_turn<std::string>({"sm_80", "sm_90"}, 0, "architecture")) {
        SCOPED_TRACE(architecture);
        codegen::PtxOptions options;
        options.architecture = architecture;
        const auto ptx = must(codegen::compile_ptx(lowered, options));
        for (const auto& kernel : ptx.kernels) {
            EXPECT_LE(kernel.block[0] * kernel.block[1] * kernel.block[2], kThreadsOfBlock)
                << kernel.name;
            EXPECT_LE(kernel.shared_bytes, kSharedOfBlock) << kernel.name;
        }
        const auto assembly = codegen::assemble(ptx.ptx.text, architecture);
        if (!assembly && assembly.errors()[0].code == "no-toolkit")
            GTEST_SKIP() << format(assembly.errors());
        ASSERT_TRUE(assembly) << format(assembly.errors());
        ASSERT_EQ(assembly->kernels.size(), ptx.kernels.size());
        ASSERT_EQ(estimated.size(), ptx.kernels.size());
        for (const auto& kernel : assembly->kernels) {
            EXPECT_EQ(kernel.spill_stores + kernel.spill_loads, 0)
                << kernel.name << ", " << kernel.registers << " registers";
            EXPECT_TRUE(kernel.stack_bytes == 0 || keeps_lines(GetParam()))
                << kernel.name << ": " << kernel.stack_bytes << " bytes of a thread's own memory";
            const auto launch =
                std::find_if(ptx.kernels.begin(), ptx.kernels.end(),
                             [&](const auto& launched) { return launched.name == kernel.name; });
            ASSERT_NE(launch, ptx.kernels.end()) << kernel.name;
            const auto guess = estimated[static_cast<std::size_t>(launch - ptx.kernels.begin())];
            EXPECT_TRUE(guess <= kFarthest * kernel.registers || keeps_lines(GetParam()))
                << kernel.name << ": " << kernel.registers << " registers, estimated " << guess;
            EXPECT_GE(kFarthest * guess, kernel.registers) << kernel.name;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Bundled, GpuSchedules,
                         testing::ValuesIn(part_in_turn(programs_for_gpus(), 2)),
                         [](const auto& info) { return info.param; });

} // namespace
} // namespace loopscope::test
