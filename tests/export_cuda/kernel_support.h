#pragma once
// Exported kernels, compiled and run: CUDA C++ by nvcc, and on threads of the host in place of a
// GPU's (cuda_on_host.h); OpenCL C by whatever platform this machine has. All run in processes of
// their own: a platform may bring an LLVM along.

#include "compiler/codegen/cuda/cuda_source.h"
#include "compiler/codegen/opencl/opencl_source.h"
#include "core/device/generic_gpu.h"
#include "tests/export_c/export_support.h"

#include <optional>

namespace loopscope::test {

struct KernelCase {
    std::string name;
    std::string pipeline; // of resources/pipelines
    std::map<std::string, std::int64_t> params;
    std::string schedule;
    bool for_opencl = true; // false: it uses what OpenCL C has not
    bool tma = false;       // lowered for a device that has one, and for such devices alone
    int blocks_at_once = 0; // that the device runs; 0: as many as it says
};
// Schedules for GPUs that use, together, all that launches are made of.
const std::vector<KernelCase>& kernel_cases();

// Schedules for GPUs with a TMA, by which blocks load and of which producer warpgroups ask
// for it.
const std::vector<KernelCase>& tma_cases();

lower::Program lowered_for_kernels(const ScheduleTree& tree, bool tma = false,
                                   const device::Device& device = device::generic_gpu());

// What a case's exporters are given.
struct CaseProgram {
    ScheduleTreePtr tree;
    lower::Program program;
    codegen::CudaOptions options; // with a main
};
CaseProgram case_program(const KernelCase& which);
CaseProgram program_of(const ScheduleTreePtr& tree, const std::string& schedule, bool tma = false,
                       const device::Device& device = device::generic_gpu());

// With what the worker gives exporters to check by. `most_work`: of more, windows are compared.
CaseProgram checked(CaseProgram all, double most_work = 1e8);

std::string cuda_text(const lower::Program& program, const codegen::CudaOptions& options);
std::string opencl_text(const lower::Program& program, const codegen::KernelOptions& options);

// Why there is no such thing on this machine; empty: there is.
std::string no_nvcc();
std::string no_opencl();

// Compiles for machines of the given architectures, "75"; what the compiler says is a failure of
// the test.
void expect_nvcc_compiles(const std::string& cuda, const std::vector<std::string>& architectures,
                          const std::string& what);
// PTX that nvcc makes for an architecture, "90a"; what it says is a failure of the test.
std::string nvcc_ptx(const std::string& cuda, const std::string& architecture);
// An executable of an exported file with a main; empty, with a failure of the test, if a compiler
// has anything to say.
std::string on_host(const std::string& cuda);
std::string on_opencl(const std::string& opencl);
// Runs an executable on files.
Buffers run_on_files(const std::string& executable, const lower::Program& program,
                     const Buffers& inputs);
// Runs it by itself: it must find all right. Gives what it says.
std::string expect_right(const std::string& executable, const std::string& what);

} // namespace loopscope::test
