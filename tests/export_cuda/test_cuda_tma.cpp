// Exported CUDA C++ that asks the TMA for boxes, some of whose warps do nothing else: it is
// the kernel that the in-process path makes of the same schedule, in the same order of steps, and
// gives the reference's bits on threads of the host.
#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/lower/build.h"
#include "compiler/lower/passes.h"
#include "compiler/run/reference/reference.h"
#include "tests/export_cuda/device_programs.h"
#include "tests/export_cuda/kernel_support.h"
#include "tests/simt/simt_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

#include <gmock/gmock.h>

#include <csignal>
#include <fstream>
#include <regex>

using namespace loopscope;
using namespace loopscope::test;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

// What readers keep in memory of their own, at a barrier of theirs; the last slot is asked for
// before it is free once.
constexpr const char* kReaders = R"(program readers
input A: f32[512]
output C: f32[16, 64]
launch p on device (A, C) {
    bound thread.x for t in 0..192 {
        allocate done: u64[3] in shared at 512
        allocate here: u64[3] in shared at 384
        allocate own: f32[64] in shared at 640
        allocate s: f32[3, 32] in shared at 0
        threads 0..64 {
            for k in 0..16 {
                wait tok 0 by here
                own[t] = s[k % 3, t/2]
                barrier block
                C[k, t] = own[63 - t]
                barrier block
                release tok by done
            }
        }
        threads 64..65 {
            for g in 0..16 {
                acquire tok by done
                bulk copy tok s[g % 3, 0] = A[g*32] of [32] by here
                commit tok by here
            }
        }
    }
}
)";

codegen::CudaOptions for_hopper(bool with_main = false) {
    codegen::CudaOptions options;
    options.architecture = "sm_90a";
    options.with_main = with_main;
    return options;
}

// ---- Results ------------------------------------------------------------------------------------

TEST(TmaOnHost, CasesGiveTheReferencesBits) {
    for (const auto& which : tma_cases()) {
        const auto all = checked(case_program(which));
        const auto text = cuda_text(all.program, all.options);
        EXPECT_THAT(text, HasSubstr("copy_box_2d(&")) << which.name;
        const auto executable = on_host(text);
        auto inputs = random_inputs_of(*all.tree->pipeline, 3);
        expect_equal(run_on_files(executable, all.program, inputs),
                     must(evaluate(*all.tree->pipeline, inputs)), which.name);
    }
}

// Readers that do not wait are found out: what they are to read arrives later. They may also
// release a slot before it is filled, and leave everybody waiting, which `timeout` ends, or arrive
// at a barrier more often than it counts.
TEST(TmaOnHost, AWaitThatIsLeftOutIsWrong) {
    constexpr int kWrong = 1, kHangs = 124, kAborts = 128 + SIGABRT;
    const auto all = checked(case_program(tma_cases()[1]));
    auto text = cuda_text(all.program, all.options);
    const auto right = on_host(text);
    const std::string wait = "await_phase(&As_copies_arrivals[taken%3], taken/3%2);";
    const auto at = text.find(wait);
    ASSERT_NE(at, std::string::npos) << text;
    text.erase(at, wait.size());
    std::string said;
    EXPECT_EQ(run_command("timeout 20 " + right, said), 0) << said;
    const int status = run_command("timeout 20 " + on_host(text), said);
    EXPECT_THAT(status, AnyOf(kWrong, kHangs, kAborts)) << said;
    EXPECT_THAT(said, Not(HasSubstr("every bit is right")));
}

TEST(TmaOnHost, ReadersHaveABarrierOfTheirOwn) {
    const auto program = parsed(kReaders);
    const auto inputs = whole_inputs(program);
    const auto text = cuda_text(program, for_hopper(true));
    EXPECT_THAT(text, HasSubstr("barrier_of<1, 64>();"));
    expect_equal(run_on_files(on_host(text), program, inputs), interpreted(program, inputs),
                 "readers");
}

// Programs of a warpgroup's instructions, which the host has not: what is printed of them is right
// by the interpreter, which tells of reads before arrival and of slots that are filled too early.
// Five turns go round four slots.
TEST(TmaSource, TheInterpreterFindsShippedProgramsRight) {
    const auto base = source_path("resources/pipelines/matmul_f16");
    for (const std::string variant : {"gpu_hopper", "gpu_hopper_one_role"}) {
        const auto schedule = read_file(base + "." + variant + ".sched");
        const auto tree =
            tree_of(read_file(base + ".loop"), schedule, {{"M", 128}, {"N", 256}, {"K", 320}});
        // The interpreter asks where elements of matrices lie.
        const auto program = lower::flatten(program_of(tree, schedule, true).program, {});
        const auto inputs = whole_inputs(program);
        expect_equal(interpreted(program, inputs), must(evaluate(*tree->pipeline, inputs)),
                     variant);
    }
}

// ---- Text ---------------------------------------------------------------------------------------

TEST(TmaText, SmallProgramAsItWas) {
    const auto source = must(codegen::cuda_source(parsed(kReaders), for_hopper()));
    EXPECT_EQ(golden_difference("export_cuda/readers.cu", source.text), "");
    EXPECT_EQ(source.lines.size(),
              static_cast<std::size_t>(std::count(source.text.begin(), source.text.end(), '\n')));
}

// Each of these words behind the one before it.
void expect_order(const std::string& text, const std::vector<std::string>& words) {
    std::size_t at = 0;
    for (const auto& word : words) {
        const auto found = text.find(word, at);
        ASSERT_NE(found, std::string::npos) << word << " does not come then, in\n" << text;
        at = found + word.size();
    }
}

// With each statement on one line.
std::string kernel_of(const std::string& text) {
    return std::regex_replace(text.substr(text.find("extern \"C\"")), std::regex("\n +"), " ");
}

TEST(TmaText, MbarriersAreMadeBeforeTheyAreUsedAndAwaitedByTheirPhases) {
    const auto& cases = tma_cases();
    const auto one_role = case_program(cases[0]), two_roles = case_program(cases[1]);
    const std::string box = "2048"; // bytes: 32 rows of 64 of As, 16 of 128 of Bs
    expect_order(kernel_of(cuda_text(one_role.program, one_role.options)),
                 {"uint32_t committed = 0, bytes = 0;", "if (thread == 0)", "make_arrivals(",
                  ", 3, 1);", "__syncthreads();", "bytes += " + box + ";",
                  "if (thread == 0) copy_box_2d(&As[", "bytes += " + box + ";",
                  "if (thread == 0) copy_box_2d(&Bs[", "if (thread == 0) arrive_expecting(",
                  "[committed%3], bytes);", "bytes = 0;", "committed++;", "#pragma unroll 1",
                  "if (committed >= 2) await_phase(", "[(committed - 2)%3], (committed - 2)/3%2);",
                  "__syncthreads();"});
    expect_order(kernel_of(cuda_text(two_roles.program, two_roles.options)),
                 {"uint32_t acquired = 0, released = 0;",
                  "if (thread == 0)",
                  "make_arrivals(",
                  ", 3, 2);",
                  "uint32_t committed = 0, bytes = 0, taken = 0;",
                  "make_arrivals(",
                  ", 3, 1);",
                  "__syncthreads();",
                  "if (thread < 64) {",
                  "await_phase(",
                  "[taken%3], taken/3%2);",
                  "taken++;",
                  "__syncwarp();",
                  "if (thread%32 == 0) arrive(",
                  "[released%3]);",
                  "released++;",
                  "if (thread == 64) {",
                  "await_phase(",
                  "[acquired%3], acquired/3%2 ^ 1);",
                  "acquired++;",
                  "copy_box_2d(&As[",
                  "copy_box_2d(&Bs[",
                  "arrive_expecting(",
                  "[committed%3], bytes);",
                  "committed++;"});
}

TEST(TmaText, TheHostDescribesBoxesAsTheInProcessPathDoes) {
    const auto all = case_program(tma_cases()[0]);
    const auto text = cuda_text(all.program, all.options);
    EXPECT_THAT(text, HasSubstr("const __grid_constant__ CUtensorMap A_boxes"));
    EXPECT_THAT(text, HasSubstr("const cuuint64_t A_extents[] = {80, 64};"));
    EXPECT_THAT(text, HasSubstr("const cuuint32_t A_box[] = {16, 32};"));
    EXPECT_THAT(text, HasSubstr("CU_TENSOR_MAP_SWIZZLE_64B"));
    EXPECT_THAT(text, HasSubstr("const cuuint32_t B_box[] = {32, 16};"));
    EXPECT_THAT(text, HasSubstr("CU_TENSOR_MAP_SWIZZLE_NONE"));
    EXPECT_THAT(text, HasSubstr("-gencode arch=compute_90a,code=sm_90a"));
    EXPECT_THAT(text, HasSubstr("#error \"copy_box_2d needs sm_90\""));
    // Without a pointer to what is read by boxes alone, and without the driver's library.
    EXPECT_THAT(text, Not(HasSubstr("const float *__restrict__ A")));
    EXPECT_THAT(text, Not(HasSubstr(" -lcuda")));
}

TEST(TmaText, OlderArchitecturesAndOpenclRefuse) {
    const auto program = parsed(kReaders);
    codegen::CudaOptions options;
    options.architecture = "sm_80";
    const auto cuda = codegen::cuda_source(program, options);
    ASSERT_FALSE(cuda);
    EXPECT_THAT(format(cuda.errors()), HasSubstr("CUDA C++: the bulk copy to s"));
    EXPECT_THAT(format(cuda.errors()), HasSubstr("or export it for sm_90"));
    EXPECT_THAT(format(cuda.errors()), HasSubstr("statements of some of a block's threads"));
    const auto opencl = codegen::opencl_source(program);
    ASSERT_FALSE(opencl);
    EXPECT_THAT(format(opencl.errors()), HasSubstr("OpenCL C: the bulk copy to s"));
}

// ---- The kernel that was tuned ------------------------------------------------------------------

// The shipped schedules below are for sm_90a.
TEST(TmaNvcc, CompilesForArchitecturesWithoutWarpgroups) {
    if (auto reason = no_nvcc(); !reason.empty())
        GTEST_SKIP() << reason;
    auto all = case_program(tma_cases().back());
    all.options.architecture = "sm_90";
    all.options.with_main = false;
    expect_nvcc_compiles(cuda_text(all.program, all.options), {"90"}, "staying_blocks");
    expect_nvcc_compiles(cuda_text(parsed(kReaders), for_hopper()), {"90"}, "readers");
}

// As its first comment says, to a program that needs no library of the driver's.
TEST(TmaNvcc, TheCommandInTheFileMakesAProgram) {
    if (auto reason = no_nvcc(); !reason.empty())
        GTEST_SKIP() << reason;
    const auto base = source_path("resources/pipelines/matmul_f16");
    const auto schedule = read_file(base + ".gpu_hopper.sched");
    const auto all = checked(program_of(
        tree_of(read_file(base + ".loop"), schedule, {{"M", 128}, {"N", 256}, {"K", 256}}),
        schedule, true));
    const auto text = cuda_text(all.program, all.options);
    std::smatch command;
    ASSERT_TRUE(
        std::regex_search(text, command, std::regex("nvcc( -std.*)FILE\\.cu -o PROGRAM\n")));
    const auto file = (scratch() / "as_the_file_says").string();
    std::ofstream(file + ".cu") << text;
    std::string said;
    EXPECT_EQ(
        run_command(codegen::find_cuda_tool("nvcc") + command[1].str() + file + ".cu -o " + file,
                    said),
        0)
        << said;
    EXPECT_EQ(said, "");
}

int count_of(const std::string& text, const std::string& pattern) {
    const std::regex instruction(pattern);
    return static_cast<int>(std::distance(
        std::sregex_iterator(text.begin(), text.end(), instruction), std::sregex_iterator()));
}

codegen::PtxProgram in_process(const ScheduleTree& tree) {
    lower::LowerOptions options;
    options.target.bulk_tensor_copies = true;
    codegen::PtxOptions ptx;
    ptx.architecture = "sm_90a";
    return must(codegen::compile_ptx(must(lower::run_passes(must(lower::build_for_device(tree)),
                                                            lower::device_passes(), options)),
                                     ptx));
}

struct Shipped {
    std::string pipeline, schedule;
};
class ShippedHopper : public testing::TestWithParam<Shipped> {};

TEST_P(ShippedHopper, IsTheKernelOfTheInProcessPath) {
    if (auto reason = no_nvcc(); !reason.empty())
        GTEST_SKIP() << reason;
    const auto& [name, variant] = GetParam();
    const auto base = source_path("resources/pipelines/" + name);
    const auto schedule = read_file(base + "." + variant + ".sched");
    const auto tree = tree_of(read_file(base + ".loop"), schedule);
    auto program = program_of(tree, schedule, true);
    program.options.with_main = false;
    const auto exported = nvcc_ptx(cuda_text(program.program, program.options), "90a");
    const auto own = in_process(*tree);
    for (const std::string step :
         {"cp\\.async\\.bulk\\.tensor\\.", "mbarrier\\.init", "fence\\.mbarrier_init",
          "mbarrier\\.arrive\\.expect_tx", "mbarrier\\.arrive\\.shared",
          "mbarrier\\.try_wait\\.parity", "wgmma\\.mma_async", "wgmma\\.fence",
          "wgmma\\.commit_group", "wgmma\\.wait_group", "bar\\.warp\\.sync",
          "fence\\.proxy\\.async", "cp\\.async\\.c"})
        EXPECT_EQ(count_of(exported, step), count_of(own.ptx.text, step)) << step;
    EXPECT_GT(count_of(exported, "cp\\.async\\.bulk\\.tensor\\."), 0);
    const auto ours = must(codegen::assemble(own.ptx.text, "sm_90a"));
    const auto theirs = must(codegen::assemble(exported, "sm_90a"));
    EXPECT_EQ(theirs.warnings, "");
    ASSERT_EQ(ours.kernels.size(), theirs.kernels.size());
    for (const auto& kernel : theirs.kernels)
        EXPECT_EQ(kernel.spill_stores + kernel.spill_loads + kernel.stack_bytes, 0) << kernel.name;
    // The assembler tells of kernels in an order of its own.
    auto most = [](const codegen::Assembly& assembly) {
        int registers = 0;
        for (const auto& kernel : assembly.kernels)
            registers = std::max(registers, kernel.registers);
        return registers;
    };
    EXPECT_LE(most(theirs), most(ours) + 16);
}

INSTANTIATE_TEST_SUITE_P(
    All, ShippedHopper,
    testing::ValuesIn(part_in_turn<Shipped>({{"matmul_f16", "gpu_hopper"},
                                             {"matmul_f16", "gpu_hopper_one_role"},
                                             {"matmul_f16", "gpu_hopper_persistent"},
                                             {"matmul_bias_relu_f16", "gpu_hopper"},
                                             {"matmul_residual_f16", "gpu_hopper"},
                                             {"batch_matmul_qk_f16", "gpu_hopper"},
                                             {"batch_matmul_sv_f16", "gpu_hopper"},
                                             {"attention_f16", "gpu_hopper"}},
                                            2)),
    [](const auto& parameter) {
        return parameter.param.pipeline + "_" + parameter.param.schedule;
    });

} // namespace
