// What exported kernels look like, and what exporters refuse.
#include "tests/export_cuda/device_programs.h"
#include "tests/export_cuda/kernel_support.h"
#include "tests/simt/simt_support.h"
#include "tests/support/must.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>

#include <sstream>

using namespace loopscope;
using namespace loopscope::test;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::size_t lines_of(const std::string& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

// A tile in shared memory, copies ahead, vectors: one small program in both languages.
constexpr const char* kSmall = R"(
program small
input A: f32[4, 64]
output B: f32[4, 64]
launch B on device (A, B) {
    bound block.x for b in 0..4 {
        bound thread.x for t in 0..16 {
            allocate s: f32[64] in shared  @ s/@storage
            allocate r: f32[4] in register  @ r/@storage
            copy s.copies s[broadcast(t*4, 4) + ramp(0, 1, 4)] = A[b, broadcast(t*4, 4) + ramp(0, 1, 4)]  @ s/@compute
            commit s.copies  @ s/@compute
            wait s.copies 0  @ s/@compute
            barrier block  @ B/x
            unrolled for i in 0..4 {  @ B/i
                r[i] = s[63 - t*4 - i]*0.5 + 1.0  @ B/@compute
            }
            B[b, broadcast(t*4, 4) + ramp(0, 1, 4)] = r[ramp(0, 1, 4)]  @ B/@store
        }
    }
}
)";

TEST(KernelText, SmallProgramsAsTheyWere) {
    auto program = parsed(kSmall);
    auto cuda = must(codegen::cuda_source(program));
    EXPECT_EQ(golden_difference("export_cuda/small.cu", cuda.text), "");
    EXPECT_EQ(cuda.function, "small");
    EXPECT_EQ(cuda.lines.size(), lines_of(cuda.text));
    auto opencl = must(codegen::opencl_source(program));
    EXPECT_EQ(golden_difference("export_cuda/small.cl", opencl.text), "");
    EXPECT_EQ(opencl.lines.size(), lines_of(opencl.text));
}

// CUDA's own; OpenCL has groups alone, which are numbered as clusters have them.
TEST(KernelText, Clusters) {
    for (const auto& which : device_programs()) {
        codegen::CudaOptions options;
        const auto older = cuda_text(parsed(which.text), options);
        EXPECT_THAT(older, Not(HasSubstr("__cluster_dims__"))) << which.name << ": sm_80 has none";
        options.architecture = "sm_90";
        const auto cuda = cuda_text(parsed(which.text), options);
        if (!which.has_clusters) {
            EXPECT_THAT(cuda, Not(HasSubstr("__cluster_dims__"))) << which.name;
            continue;
        }
        EXPECT_THAT(cuda, HasSubstr("__global__ void __cluster_dims__(2, 3, 1) "
                                    "__launch_bounds__(16) "));
        EXPECT_THAT(cuda, HasSubstr("8 x 6 blocks of 16 threads, numbered by clusters of 2 x 3"));
        EXPECT_THAT(cuda, HasSubstr("(blockIdx.x / 2)"));
        EXPECT_THAT(cuda, HasSubstr("(blockIdx.y % 3)"));
        const auto opencl = opencl_text(parsed(which.text), {});
        EXPECT_THAT(opencl, HasSubstr("(get_group_id(1) % 3)"));
        EXPECT_THAT(opencl, Not(HasSubstr("cluster_dims")));
    }
}

TEST(KernelText, EveryLineOfACaseKnowsItsNode) {
    std::size_t copies = 0;
    for (const auto& which : kernel_cases()) {
        auto all = case_program(which);
        auto source = must(codegen::cuda_source(all.program, all.options));
        EXPECT_EQ(source.lines.size(), lines_of(source.text)) << which.name;
        std::size_t line = 0, known = 0;
        for (std::size_t at = 0; line < source.lines.size(); ++line) {
            auto end = source.text.find('\n', at);
            auto text = source.text.substr(at, end - at);
            at = end + 1;
            known += !(source.lines[line] == NodeId{});
            text.erase(0, text.find_first_not_of(' '));
            if (text.starts_with("copy_ahead<")) {
                ++copies;
                EXPECT_FALSE(source.lines[line] == NodeId{}) << text;
            }
        }
        EXPECT_GT(known, 4u) << which.name;
    }
    EXPECT_GT(copies, 0u);
}

TEST(KernelText, SharedMemoryBeyondWhatIsStaticIsAskedFor) {
    for (const auto& which : kernel_cases()) {
        if (which.name != "matmul_large")
            continue;
        auto all = case_program(which);
        auto text = cuda_text(all.program, all.options);
        EXPECT_THAT(text, HasSubstr("extern __shared__"));
        EXPECT_THAT(text, HasSubstr("cudaFuncAttributeMaxDynamicSharedMemorySize"));
    }
}

// What one thread writes and another reads behind a barrier is reached by more than one pointer.
TEST(KernelText, MemoryThatThreadsExchangeIsNotAlone) {
    const std::string text = R"(
program p
input A: i32[64]
buffer T: i32[64]
output out: i32[64]
launch p on device (A, T, out) {
    bound thread.x for t in 0..64 {
        T[t] = A[t]
        barrier block
        out[t] = T[63 - t]
    }
}
)";
    auto cuda = cuda_text(parsed(text), {});
    EXPECT_THAT(cuda, HasSubstr("const int32_t *__restrict__ A"));
    EXPECT_THAT(cuda, HasSubstr("int32_t *T"));
    EXPECT_THAT(cuda, HasSubstr("void *memory"));
    auto opencl = opencl_text(parsed(text), {});
    EXPECT_THAT(opencl, HasSubstr("barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"));
    EXPECT_THAT(opencl, HasSubstr("__global int32_t *T"));
}

std::string cuda_error(const std::string& text, const std::string& architecture = "sm_80") {
    codegen::CudaOptions options;
    options.architecture = architecture;
    auto source = codegen::cuda_source(parsed(text), options);
    EXPECT_FALSE(source.ok());
    return source ? "" : format(source.errors());
}

std::string opencl_error(const std::string& text) {
    auto source = codegen::opencl_source(parsed(text));
    EXPECT_FALSE(source.ok());
    return source ? "" : format(source.errors());
}

std::string launch_of(const std::string& body, const std::string& threads = "32") {
    return "program p\noutput out: f32[" + threads + "]\nlaunch p on device (out) {\n" +
           "bound thread.x for t in 0.." + threads + " {\n" + body + "}\n}\n";
}

TEST(KernelText, WhatALanguageHasNotIsRefused) {
    const auto shuffle =
        launch_of("allocate a: f32[1] in register\na[0] = 1.0\nintrinsic shuffle_xor_1 a[0], a[0]\n"
                  "out[t] = a[0]\n");
    EXPECT_THAT(opencl_error(shuffle), HasSubstr("OpenCL C: it has no instruction shuffle_xor_1"));
    EXPECT_THAT(opencl_error(launch_of("barrier warp\nout[t] = 1.0\n")),
                HasSubstr("OpenCL C: it has no barrier of the level warp"));
    EXPECT_THAT(
        cuda_error("program p\noutput out: f32[4]\nlaunch p on host (out) {\nout[0] = 1.0\n}\n"),
        HasSubstr("launch p is placed on \"host\""));
    EXPECT_THAT(cuda_error(launch_of("out[t] = 1.0\n", "2048")),
                HasSubstr("thread.x has an extent of 2048"));
    EXPECT_THAT(cuda_error(launch_of("out[t] = 1.0\n"), "i386"),
                HasSubstr("is no architecture of NVIDIA's"));
    const auto product = launch_of("allocate d: f32[4] in register\nallocate a: f16[8] in "
                                   "register\nallocate b: f16[4] in register\n"
                                   "for i in 0..8 {\na[i] = 1.0\nd[i/2] = 0.0\nb[i/2] = 1.0\n}\n"
                                   "intrinsic mma_m16n8k16_f16 d[0], a[0], b[0]\nout[t] = d[0]\n");
    EXPECT_THAT(cuda_error(product, "sm_75"), HasSubstr("sm_75 has no mma_m16n8k16_f16"));
    EXPECT_TRUE(codegen::cuda_source(parsed(product)).ok());
}

// PoCL makes kernels that never end of barriers under conditions.
TEST(KernelText, BarriersOfOpenclStandUnderNoCondition) {
    const std::string text = R"(
program p
input A: i32[8, 8]
output out: i32[8, 8]
launch p on device (A, out) {
    bound block.x for b in 0..3 {
        bound thread.x for t in 0..8 {
            if b*3 < 6 {
                if b < 1 {
                    allocate s: i32[8] in shared
                    for i in 0..3 {
                        let row = b*3 + i
                        s[t] = A[row, t]
                        barrier block
                        out[row, t] = s[7 - t]
                        barrier block
                    }
                } else {
                    out[7, t] = 1
                    barrier block
                }
            }
        }
    }
}
)";
    auto opencl = opencl_text(parsed(text), {});
    int depth = 0, barriers = 0;
    std::vector<int> conditions; // depths of braces at which one begins
    std::istringstream lines(opencl.substr(opencl.find("__kernel")));
    for (std::string line; std::getline(lines, line);) {
        if (line.find("if (") != std::string::npos)
            conditions.push_back(depth);
        for (char c : line) {
            depth += (c == '{') - (c == '}');
            while (!conditions.empty() && c == '}' && depth <= conditions.back())
                conditions.pop_back();
        }
        if (line.find("barrier(") == std::string::npos)
            continue;
        ++barriers;
        EXPECT_TRUE(conditions.empty()) << opencl;
    }
    EXPECT_EQ(barriers, 3) << opencl;
    EXPECT_THAT(opencl, HasSubstr("if (b*3 < 6) {"));
    EXPECT_THAT(opencl, HasSubstr("if (b < 1) {"));
}

// PoCL parts work-items at the end of such a loop by the condition behind it; other platforms see
// nothing of what keeps it from that.
TEST(KernelText, WhatStandsBehindLoopsWithBarriersIsKeptBehindThem) {
    const std::string text = R"(
program p
input A: i32[8, 8]
output out: i32[8, 8]
launch p on device (A, out) {
    bound thread.x for t in 0..8 {
        allocate s: i32[8] in shared
        for i in 0..3 {
            for j in 0..2 {
                s[t] = A[i, j]
                barrier block
            }
            for j_1 in 0..2 {
                out[i, t] = s[7 - t] + j_1
            }
            barrier block
        }
        if t < 1 {
            out[7, t] = s[t]
        }
    }
}
)";
    const auto opencl = opencl_text(parsed(text), {});
    EXPECT_THAT(opencl, HasSubstr("#ifdef POCL_DEVICE_ADDRESS_BITS\n#define KEEP_TOGETHER "));
    EXPECT_THAT(opencl, HasSubstr("            barrier(CLK_LOCAL_MEM_FENCE);\n        }\n"
                                  "        KEEP_TOGETHER\n        for ("));
    EXPECT_THAT(opencl, HasSubstr("        barrier(CLK_LOCAL_MEM_FENCE);\n    }\n"
                                  "    KEEP_TOGETHER\n    if ("));
    EXPECT_THAT(opencl, HasSubstr("j_1);\n        }\n        barrier("));
    EXPECT_THAT(cuda_text(parsed(text), {}), Not(HasSubstr("KEEP_TOGETHER")));
    const auto without = opencl_text(
        parsed("program p\noutput out: i32[8]\nlaunch p on device (out) {\n"
               "bound thread.x for t in 0..8 {\nfor i in 0..1 {\nout[t] = t\n}\n}\n}\n"),
        {});
    EXPECT_THAT(without, Not(HasSubstr("KEEP_TOGETHER")));
}

TEST(KernelText, AMainNeedsToKnowAllSizes) {
    const auto text = "program p\nsymbol L = 8\noutput out: f32[L]\nlaunch p on device (out) {\n"
                      "bound thread.x for t in 0..4 {\nout[t] = 1.0\n}\n}\n";
    auto program = parsed(text);
    codegen::CudaOptions options;
    EXPECT_THAT(cuda_text(program, options), HasSubstr("int64_t L"));
    options.with_main = true;
    EXPECT_FALSE(codegen::cuda_source(program, options).ok());
}

} // namespace
