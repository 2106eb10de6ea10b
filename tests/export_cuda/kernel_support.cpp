#include "tests/export_cuda/kernel_support.h"

#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/lower/build.h"
#include "compiler/lower/pass.h"
#include "compiler/run/numpy.h"
#include "compiler/worker/kernel_check.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <regex>

namespace loopscope::test {

namespace {

std::string path(const std::string& name) { return (scratch() / name).string(); }

std::string fresh(const std::string& name) {
    static std::atomic<int> number = 0;
    return path(name + std::to_string(number++));
}

// Compiles a file; its name without an ending is the executable's.
std::string compiled(const std::string& text, const std::string& ending, const std::string& before,
                     const std::string& after) {
    auto executable = fresh("kernels_");
    auto file = executable + ending;
    std::ofstream(file) << text;
    std::string said;
    int status = run_command(before + " " + file + " " + after + " -o " + executable, said);
    if (status == 0 && said.empty())
        return executable;
    ADD_FAILURE() << before << " says:\n"
                  << said.substr(0, 4000) << "\nof\n"
                  << text.substr(0, 40000);
    return {};
}

// Does a platform answer? Asked in another process.
constexpr const char* kProbe = R"(
#include <dlfcn.h>
int main(void) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW);
    if (!library)
        return 1;
    int (*platforms)(unsigned, void *, unsigned *) = (int (*)(unsigned, void *, unsigned *))dlsym(library, "clGetPlatformIDs");
    unsigned count = 0;
    return platforms && platforms(0, 0, &count) == 0 && count > 0 ? 0 : 2;
}
)";

std::string find_opencl() {
    std::string said;
    std::ofstream(path("probe.c")) << kProbe;
    std::ofstream(path("header.c"))
        << "#define CL_TARGET_OPENCL_VERSION 120\n#include <CL/cl.h>\n"
           "int main(void) { return clGetPlatformIDs(0, 0, 0) == 1; }\n";
    if (run_command("cc -o " + path("probe") + " " + path("probe.c") + " -ldl", said) != 0)
        return "the C compiler does not compile: " + said;
    const int status = run_command(path("probe"), said);
    if (status == 1)
        return "there is no libOpenCL.so.1";
    if (status != 0)
        return "libOpenCL.so.1 knows no platform";
    if (run_command("cc -o " + path("header") + " " + path("header.c") + " -lOpenCL", said) != 0)
        return "OpenCL's headers are not installed (ocl-icd-opencl-dev)";
    return {};
}

} // namespace

lower::Program lowered_for_kernels(const ScheduleTree& tree, bool tma,
                                   const device::Device& device) {
    lower::LowerOptions options;
    options.verify_each = true;
    options.target.bulk_tensor_copies = tma;
    return must(lower::run_passes(must(lower::build_for_device(tree, device)),
                                  lower::device_source_passes(), options));
}

CaseProgram program_of(const ScheduleTreePtr& tree, const std::string& schedule, bool tma,
                       const device::Device& device) {
    CaseProgram all;
    all.tree = tree;
    all.program = lowered_for_kernels(*tree, tma, device);
    if (tma)
        all.options.architecture = "sm_90a";
    all.options.schedule = schedule;
    all.options.with_main = true;
    return all;
}

CaseProgram case_program(const KernelCase& which) {
    auto pipeline = read_file(source_path("resources/pipelines/" + which.pipeline + ".loop"));
    const auto tree = tree_of(pipeline, which.schedule, which.params);
    auto device = device::generic_gpu();
    if (which.blocks_at_once > 0) {
        device.gpu->multiprocessors = which.blocks_at_once;
        device.gpu->limits.blocks_per_multiprocessor = 1;
    }
    auto all = program_of(tree, which.schedule, which.tma, device);
    all.options.sizes = which.params;
    return all;
}

CaseProgram checked(CaseProgram all, double most_work) {
    all.options.check = must(worker::kernel_check(*all.tree, most_work));
    return all;
}

std::string cuda_text(const lower::Program& program, const codegen::CudaOptions& options) {
    return must(codegen::cuda_source(program, options)).text;
}

std::string opencl_text(const lower::Program& program, const codegen::KernelOptions& options) {
    return must(codegen::opencl_source(program, codegen::OpenclOptions{options})).text;
}

std::string no_nvcc() { return codegen::find_cuda_tool("nvcc").empty() ? "there is no nvcc" : ""; }

std::string no_opencl() {
    static const std::string reason = find_opencl();
    return reason;
}

void expect_nvcc_compiles(const std::string& cuda, const std::vector<std::string>& architectures,
                          const std::string& what) {
    auto object = fresh("cuda_");
    std::ofstream(object + ".cu") << cuda;
    std::string targets, said;
    for (const auto& a : architectures)
        targets += " -gencode arch=compute_" + a + ",code=sm_" + a;
    const int status =
        run_command(codegen::find_cuda_tool("nvcc") + targets +
                        " -std=c++17 -O3 -fmad=false -Werror all-warnings -Xcompiler "
                        "-Wall,-Werror,-ffp-contract=off -c -o " +
                        object + ".o " + object + ".cu",
                    said);
    EXPECT_TRUE(status == 0 && said.empty()) << what << ": nvcc says\n"
                                             << said.substr(0, 4000) << "\nof\n"
                                             << cuda.substr(0, 40000);
}

std::string nvcc_ptx(const std::string& cuda, const std::string& architecture) {
    const auto file = fresh("cuda_");
    std::ofstream(file + ".cu") << cuda;
    std::string said;
    const int status = run_command(codegen::find_cuda_tool("nvcc") + " -arch=sm_" + architecture +
                                       " -std=c++17 -O3 -fmad=false -Werror all-warnings -ptx -o " +
                                       file + ".ptx " + file + ".cu",
                                   said);
    EXPECT_TRUE(status == 0 && said.empty()) << "nvcc says\n"
                                             << said.substr(0, 4000) << "\nof\n"
                                             << cuda.substr(0, 40000);
    return status == 0 ? read_file(file + ".ptx") : "";
}

namespace {

const std::string kHostCompiler = "g++ -std=c++20 -O1 -ffp-contract=off -pthread "
                                  "-Wno-unknown-pragmas -Winvalid-pch -I '" +
                                  source_path(".") + "'";

// The header takes most of a compilation: it is compiled once. What is here beside the result has
// its name, and is all of it where the result is not taken.
std::string compiled_header(const std::string& name) {
    static std::map<std::string, std::string> done;
    auto& header = done[name];
    if (header.empty()) {
        header = path(name);
        std::ofstream(header) << "#include \"" + source_path("tests/export_cuda/" + name) + "\"\n";
        std::string said;
        const int status = run_command(
            kHostCompiler + " -x c++-header " + header + " -o " + header + ".gch", said);
        EXPECT_TRUE(status == 0 && said.empty()) << said;
    }
    return header;
}

} // namespace

std::string on_host(const std::string& cuda) {
    auto text = std::regex_replace(
        cuda, std::regex(R"(extern __shared__ __align__\(\d+\) unsigned char shared_memory\[\];)"),
        "unsigned char *const shared_memory = emulated_shared_memory;");
    text = std::regex_replace(
        text, std::regex(R"((\w+)<<<(dim3\([^)]*\)), (dim3\([^)]*\)), [^>]*>>>\(([^;]*)\);)"),
        "run_kernel($2, $3, [&] { $1($4); });");
    // What asks the TMA by inline assembly is emulated.
    const auto asks = text.find("CUtensorMap") != text.npos;
    if (asks)
        text = std::regex_replace(
            text,
            std::regex(
                "#include <cuda.h>[^\n]*\n|(template <[^>]*> )?static __device__ inline void "
                "(make_arrivals|arrive|arrive_expecting|await_phase|barrier_of|"
                "fence_matrices|copy_box_.d)\\([^{]*\\{\n([^}].*\n|\n)*\\}\n"),
            "");
    const std::string header = asks ? "tma_on_host.h" : "cuda_on_host.h";
    return compiled("#include \"" + compiled_header(header) + "\"\n" + text, ".cpp",
                    kHostCompiler + " -Wall -Werror", "");
}

std::string on_opencl(const std::string& opencl) {
    return compiled(opencl, ".cl", "cc -std=c11 -O1 -Wall -Wextra -Werror -x c",
                    "-x none -lOpenCL -lm");
}

Buffers run_on_files(const std::string& executable, const lower::Program& program,
                     const Buffers& inputs) {
    Buffers outputs;
    if (executable.empty())
        return outputs;
    std::string command = executable, said;
    auto file = [&](const std::string& name) { return executable + "_" + name + ".npy"; };
    for (const auto& a : program.arguments) {
        if (a.role == lower::Role::Input) {
            EXPECT_TRUE(write_numpy(file(a.buffer), inputs.at(a.buffer)).ok());
        }
        command += " " + a.buffer + "=" + file(a.buffer);
    }
    EXPECT_EQ(run_command(command, said), 0) << said;
    for (const auto& a : program.arguments)
        if (a.role == lower::Role::Output) {
            auto read = read_numpy(file(a.buffer));
            EXPECT_TRUE(read.ok()) << format(read.errors());
            if (!read)
                continue;
            outputs[a.buffer] = std::move(*read);
            outputs[a.buffer].type = a.type; // bf16 is u2 in files
        }
    return outputs;
}

std::string expect_right(const std::string& executable, const std::string& what) {
    std::string said;
    if (executable.empty())
        return said;
    EXPECT_EQ(run_command(executable, said), 0) << what << ":\n" << said;
    EXPECT_NE(said.find(" ms on "), std::string::npos) << said;
    return said;
}

} // namespace loopscope::test
