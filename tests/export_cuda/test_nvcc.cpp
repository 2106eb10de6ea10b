// nvcc takes exported CUDA C++, and has nothing to say about it.
#include "tests/export_cuda/device_programs.h"
#include "tests/export_cuda/kernel_support.h"
#include "tests/simt/simt_support.h"
#include "tests/support/quick_run.h"
#include "tests/support/turns.h"

using namespace loopscope;
using namespace loopscope::test;

namespace {

// Each takes as long as all that is the same for them.
const std::vector<std::string> architectures{"75", "80", "90"};

TEST(Nvcc, CompilesCases) {
    LOOPSCOPE_LONG_TEST();
    if (auto reason = no_nvcc(); !reason.empty())
        GTEST_SKIP() << reason;
    for (std::size_t number = 0; const auto& which : part_in_turn(kernel_cases(), 3)) {
        const auto all = checked(case_program(which));
        expect_nvcc_compiles(cuda_text(all.program, all.options),
                             in_turn(architectures, number++, "architecture"), which.name);
    }
}

TEST(Nvcc, CompilesKernelsAlone) {
    if (auto reason = no_nvcc(); !reason.empty())
        GTEST_SKIP() << reason;
    auto all = case_program(kernel_cases().front());
    all.options.with_main = false;
    expect_nvcc_compiles(cuda_text(all.program, all.options), {"75", "90"}, "kernels alone");
}

TEST(Nvcc, CompilesHandWrittenPrograms) {
    LOOPSCOPE_LONG_TEST();
    if (auto reason = no_nvcc(); !reason.empty())
        GTEST_SKIP() << reason;
    for (std::size_t number = 0; const auto& which : part_in_turn(device_programs(), 2)) {
        const auto older = cuda_text(parsed(which.text), {}); // with no clusters but by number
        expect_nvcc_compiles(older, in_turn(architectures, number++, "architecture"), which.name);
        if (!which.has_clusters)
            continue;
        codegen::CudaOptions options;
        options.architecture = "sm_90";
        expect_nvcc_compiles(cuda_text(parsed(which.text), options),
                             in_turn<std::string>({"90", "90a"}, number, "architecture"),
                             which.name);
    }
}

struct Product {
    std::string name, factor, sum;
    int a, b;
};

// Fragments from shared memory by ldmatrix where elements have 16 bits, else element by element.
std::string product_program(const Product& p) {
    const bool half = p.factor == "f16" || p.factor == "bf16";
    const auto a = std::to_string(p.a), b = std::to_string(p.b);
    std::string text = "program p\ninput A: " + p.factor + "[512]\noutput out: " + p.sum +
                       "[128]\nlaunch p on device (A, out) {\nbound thread.x for t in 0..32 {\n"
                       "allocate s: " +
                       p.factor + "[512] in shared\nallocate a: " + p.factor + "[" + a +
                       "] in register\nallocate b: " + p.factor + "[" + b +
                       "] in register\nallocate c: " + p.sum +
                       "[4] in register\nallocate d: " + p.sum +
                       "[4] in register\nfor e in 0..16 {\ns[e*32 + t] = A[e*32 + t]\n}\n"
                       "for z in 0..4 {\nc[z] = " +
                       (p.sum == "i32" ? "0" : "0.0") + "\n}\nbarrier block\n";
    if (half)
        text += "intrinsic ldmatrix_x4_b16 a[0], s[t % 16 * 16 + t/16*8]\n"
                "intrinsic ldmatrix_x2_trans_b16 b[0], s[256 + t % 16 * 8]\n";
    else
        text += "for m in 0.." + a + " {\na[m] = s[t*8 + m % 8]\n}\nfor n in 0.." + b +
                " {\nb[n] = s[256 + t*4 + n % 4]\n}\n";
    return text + "intrinsic " + p.name + " d[0], a[0], b[0], c[0]\nintrinsic " + p.name +
           " d[0], a[0], b[0]\nfor i in 0..4 {\nout[t*4 + i] = d[i]\n}\n}\n}\n";
}

TEST(Nvcc, CompilesTensorInstructions) {
    LOOPSCOPE_LONG_TEST();
    if (auto reason = no_nvcc(); !reason.empty())
        GTEST_SKIP() << reason;
    for (const Product& p : {Product{"mma_m16n8k16_f16", "f16", "f32", 8, 4},
                             {"mma_m16n8k16_bf16", "bf16", "f32", 8, 4},
                             {"mma_m16n8k8_tf32", "f32", "f32", 4, 2},
                             {"mma_m16n8k32_s8", "i8", "i32", 16, 8}})
        expect_nvcc_compiles(cuda_text(parsed(product_program(p)), {}),
                             in_turn<std::string>({"80", "90"}), p.name);
}

// Factors that threads store, of rows of either kind; sums of two tiles in one group.
std::string group_program(const std::string& type) {
    const std::string product = "intrinsic wgmma_m64n64k16_" + type;
    return "program p\ninput A: " + type + "[4096]\noutput out: f32[8192]\n" +
           "launch p on device (A, out) {\nbound thread.x for t in 0..128 {\n"
           "allocate a: " +
           type + "[4096] in shared align 1024\nallocate b: " + type +
           "[4096] in shared align 1024\nallocate d: f32[64] in register\n"
           "d[ramp(0, 1, 64)] = broadcast(0.0, 64)\n"
           "for e in 0..32 {\na[e*128 + t] = A[e*128 + t]\nb[e*128 + t] = A[e*128 + t]\n}\nbarrier "
           "block\n"
           "intrinsic wgmma_begin_32 d[0], d[32]\n" +
           product +
           " d[0], a[0] matrix 64, 16 along 1 of 128, b[0] matrix 16, 64 along 1 of 128, d[0]\n" +
           product +
           " d[32], a[16] matrix 16, 64 along 0 of 128, b[16] matrix 64, 16 along 0 of 128, "
           "d[32]\n" +
           "intrinsic wgmma_end_32 d[0], d[32]\n"
           "out[ramp(t*64, 1, 64)] = d[ramp(0, 1, 64)]\n}\n}\n";
}

TEST(Nvcc, CompilesInstructionsOfWarpgroups) {
    for (const std::string type : {"f16", "bf16"}) {
        const auto program = parsed(group_program(type));
        codegen::CudaOptions options;
        options.architecture = "sm_90a";
        const auto text = cuda_text(program, options);
        EXPECT_NE(text.find("fence_matrices(); __syncthreads();"), std::string::npos) << text;
        EXPECT_NE(text.find("wgmma_m64n64k16_" + type + "_nt("), std::string::npos);
        EXPECT_NE(text.find("wgmma_m64n64k16_" + type + "_tn("), std::string::npos);
        options.architecture = "sm_90";
        const auto other = codegen::cuda_source(program, options);
        ASSERT_FALSE(other);
        EXPECT_NE(format(other.errors()).find("sm_90a has, and it alone"), std::string::npos);
        if (auto reason = no_nvcc(); !reason.empty())
            GTEST_SKIP() << reason;
        expect_nvcc_compiles(text, {"90a"}, type);
    }
}

// Whole matrices, of rows and of columns, out of shared and out of global memory.
std::string whole_program(const std::string& a, const std::string& b) {
    return "program p\ninput A: f16[256]\noutput out: f32[256]\n"
           "launch p on device (A, out) {\nbound thread.x for t in 0..32 {\n"
           "allocate s: f16[256] in shared\nallocate x: f16[16] in register\n"
           "allocate y: f16[16] in register\nallocate d: f32[8] in register\n"
           "for e in 0..8 {\ns[e*32 + t] = A[e*32 + t]\n}\nbarrier block\n"
           "intrinsic wmma_load_a_" +
           a + "_m16n16k16_f16 x[0], s[0], s[16]\nintrinsic wmma_load_b_" + b +
           "_m16n16k16_f16 y[0], A[0], A[16]\n"
           "intrinsic wmma_load_c_row_m16n16k16_f32 d[0], out[0], out[16]\n"
           "intrinsic wmma_m16n16k16_f16_" +
           a + "_" + b +
           " d[0], x[0], y[0], d[0]\n"
           "intrinsic wmma_store_d_col_m16n16k16_f32 out[0], out[16], d[0]\n}\n}\n";
}

TEST(Nvcc, CompilesInstructionsOnWholeMatrices) {
    LOOPSCOPE_LONG_TEST();
    for (const std::string a : {"row", "col"})
        for (const std::string b : {"row", "col"}) {
            codegen::CudaOptions options;
            options.architecture = "sm_75";
            const auto text = cuda_text(parsed(whole_program(a, b)), options);
            EXPECT_NE(text.find("wmma.mma.sync.aligned." + a + "." + b + ".m16n16k16"),
                      std::string::npos)
                << text;
            if (auto reason = no_nvcc(); !reason.empty())
                GTEST_SKIP() << reason;
            expect_nvcc_compiles(text, in_turn(architectures), a + b);
        }
}

} // namespace
