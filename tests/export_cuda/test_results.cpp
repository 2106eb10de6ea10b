// Exported kernels give the bits of the reference: CUDA C++ on threads of the host, OpenCL C on
// what is here.
#include "compiler/run/reference/reference.h"
#include "tests/export_c/bundled_programs.h"
#include "tests/export_cuda/device_programs.h"
#include "tests/export_cuda/kernel_support.h"
#include "tests/simt/simt_support.h"
#include "tests/support/exact_programs.h"
#include "tests/support/must.h"
#include "tests/support/quick_run.h"
#include "tests/support/support.h"
#include "tests/support/turns.h"

using namespace loopscope;
using namespace loopscope::test;

namespace {

// The reference's bits, also where the schedule contracts.
Buffers expected_of(const CaseProgram& all, const Buffers& inputs) {
    return must(evaluate(*all.tree->pipeline, inputs));
}

bool is_exact(const KernelCase& which) {
    return which.for_opencl && which.schedule.find("contract") == std::string::npos;
}

void expect_reference(const std::string& executable, const KernelCase& which,
                      const CaseProgram& all) {
    if (is_exact(which)) {
        auto inputs = random_inputs_of(*all.tree->pipeline, 3);
        expect_equal(run_on_files(executable, all.program, inputs), expected_of(all, inputs),
                     which.name);
    }
    expect_right(executable, which.name);
}

TEST(CudaOnHost, CasesGiveTheReferencesBits) {
    for (const auto& which : part_in_turn(kernel_cases(), 3)) {
        const auto all = checked(case_program(which));
        expect_reference(on_host(cuda_text(all.program, all.options)), which, all);
    }
}

// Zeros, NaNs, casts that saturate and indices that wrap.
TEST(CudaOnHost, ExactProgramsGiveTheReferencesBits) {
    LOOPSCOPE_LONG_TEST();
    for (const auto* text : in_turn<const char*>({kZeros, kWraps, kSaturations})) {
        const auto all = program_of(tree_of(text, "", {}), "");
        const auto inputs = random_inputs_of(*all.tree->pipeline, 3);
        const auto expected = expected_of(all, inputs);
        const auto& name = all.tree->pipeline->name;
        expect_equal(
            run_on_files(on_host(cuda_text(all.program, all.options)), all.program, inputs),
            expected, name);
        if (no_opencl().empty())
            expect_equal(
                run_on_files(on_opencl(opencl_text(all.program, all.options)), all.program, inputs),
                expected, name);
    }
}

TEST(CudaOnHost, ProgramsGiveWhatTheInterpreterGives) {
    LOOPSCOPE_LONG_TEST();
    for (const auto& which : part_in_turn(device_programs(), 3)) {
        auto program = parsed(which.text);
        auto inputs = whole_inputs(program);
        codegen::CudaOptions options;
        options.with_main = true;
        expect_equal(run_on_files(on_host(cuda_text(program, options)), program, inputs),
                     interpreted(program, inputs), which.name);
    }
}

// A wrong kernel is found out.
TEST(CudaOnHost, TheHostProgramTellsRightFromWrong) {
    const auto all = checked(case_program(kernel_cases()[1]));
    auto text = cuda_text(all.program, all.options);
    const std::string product = "__fmul_rn(A[";
    auto at = text.find(product);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, product.size(), "__fmul_rn(2*A[");
    auto executable = on_host(text);
    std::string said;
    EXPECT_EQ(run_command(executable, said), 1) << said;
    EXPECT_NE(said.find("C: WRONG in "), std::string::npos) << said;
}

TEST(OpenCL, CasesGiveTheReferencesBits) {
    LOOPSCOPE_LONG_TEST();
    if (auto reason = no_opencl(); !reason.empty())
        GTEST_SKIP() << reason;
    for (const auto& which : part_in_turn(kernel_cases(), 3)) {
        if (!which.for_opencl)
            continue;
        const auto all = checked(case_program(which));
        expect_reference(on_opencl(opencl_text(all.program, all.options)), which, all);
    }
}

TEST(OpenCL, ProgramsGiveWhatTheInterpreterGives) {
    LOOPSCOPE_LONG_TEST();
    if (auto reason = no_opencl(); !reason.empty())
        GTEST_SKIP() << reason;
    for (const auto& which : part_in_turn(device_programs(), 3)) {
        if (!which.for_opencl)
            continue;
        auto program = parsed(which.text);
        auto inputs = whole_inputs(program);
        codegen::KernelOptions options;
        options.with_main = true;
        expect_equal(run_on_files(on_opencl(opencl_text(program, options)), program, inputs),
                     interpreted(program, inputs), which.name);
    }
}

// Without a schedule every stage runs in one thread: that covers expressions, types and functions
// of all bundled programs. They have turns; LOOPSCOPE_KERNEL_PROGRAMS=1 runs all.
TEST(OpenCL, BundledProgramsGiveTheReferencesBits) {
    LOOPSCOPE_LONG_TEST();
    if (auto reason = no_opencl(); !reason.empty())
        GTEST_SKIP() << reason;
    const auto every = setting("LOOPSCOPE_KERNEL_PROGRAMS", 24);
    std::size_t number = 0;
    for (const auto& bundled : bundled_programs()) {
        if (!bundled.schedule.empty() || !has_turn(number++, every))
            continue;
        auto all = program_of(bundled.tree, "");
        auto inputs = random_inputs_of(*bundled.tree->pipeline, 5);
        expect_equal(
            run_on_files(on_opencl(opencl_text(all.program, all.options)), all.program, inputs),
            expected_of(all, inputs), bundled.label);
    }
}

} // namespace
