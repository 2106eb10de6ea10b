// Instructions of a warpgroup: descriptors of matrices in shared memory, groups, and what goes
// between memory and tensor cores.
#include "tests/nvptx/nvptx_support.h"

#include <gmock/gmock.h>

namespace loopscope::test {
namespace test_warpgroup {

using ::testing::HasSubstr;
using ::testing::Not;

std::string zeros() {
    std::string out;
    for (int n = 0; n < 64; ++n)
        out += "            d[" + std::to_string(n) + "] = 0.0\n";
    return out;
}

// Two groups of 64 x 128; A along k, B along j in two panels.
std::string product(const std::string& filled) {
    return R"(program p flat
input A: f16[128, 64]
input B: f16[64, 128]
output C: f32[128, 128]
launch p on device (A, B, C) {
    bound thread.z for g in 0..2 {
        bound thread.x for t in 0..128 {
            allocate arrivals: u64[2] in shared at 32768
            allocate d: f32[64] in register
)" + zeros() +
           R"(            allocate a: f16[8192] in shared align 1024 at 0
            allocate b: f16[8192] in shared align 1024 at 16384
)" + filled +
           R"(            barrier block
            intrinsic wgmma_begin_64 d[0]
            intrinsic wgmma_m64n128k16_f16 d[0], a[g*4096] matrix 64, 16 along 1 of 128, b[0] matrix 16, 128 along 1 of 128 every 8192, d[0]
            intrinsic wgmma_m64n128k16_f16 d[0], a[g*4096 + 16] matrix 64, 16 along 1 of 128, b[1024] matrix 16, 128 along 1 of 128 every 8192, d[0]
            intrinsic wgmma_end_64 d[0]
            C[g*8192 + t*64] = d[0]
            C[g*8192 + t*64 + 1] = d[63]
        }
    }
}
)";
}

const std::string kByEngine =
    R"(            bulk copy tok a[0] = A[0, 0] of [128, 64] swizzle 128 by arrivals
            bulk copy tok b[0] = B[0, 0] of [64, 64] swizzle 128 by arrivals
            bulk copy tok b[4096] = B[0, 64] of [64, 64] swizzle 128 by arrivals
            commit tok by arrivals
            wait tok 0 by arrivals
)";
const std::string kByThreads = R"(            for n_1 in 0..32 {
                a[n_1*256 + g*128 + t] = A[n_1*256 + g*128 + t]
                b[n_1*256 + g*128 + t] = B[n_1*256 + g*128 + t]
            }
)";

std::string refused(const std::string& text, const char* architecture) {
    codegen::PtxOptions options;
    options.architecture = architecture;
    const auto ptx = codegen::compile_ptx(parsed(text), options);
    return ptx ? "compiled" : format(ptx.errors());
}

TEST(Warpgroups, SumsGoThroughTheGroup) {
    const auto ptx = compiled(product(kByEngine), "sm_90a").ptx.text;
    EXPECT_EQ(count_of(ptx, "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16"), 2) << ptx;
    EXPECT_EQ(count_of(ptx, "wgmma.fence.sync.aligned"), 1);
    EXPECT_EQ(count_of(ptx, "wgmma.commit_group.sync.aligned"), 1);
    EXPECT_EQ(count_of(ptx, "wgmma.wait_group.sync.aligned 0"), 1);
    EXPECT_LT(ptx.find("wgmma.fence"), ptx.find("wgmma.mma_async"));
    EXPECT_LT(ptx.rfind("wgmma.mma_async"), ptx.find("wgmma.commit_group"));
    EXPECT_EQ(count_of(ptx, "ld.local") + count_of(ptx, "st.local"), 0) << "sums are registers";
    EXPECT_EQ(count_of(ptx, ", 1, 1, 0, 1;"), 2) << "k along rows of A, j along those of B\n"
                                                 << ptx;
}

// PTX ISA, "Matrix Descriptor Format": strides in units of 16 bytes, the pattern in the last bits.
// 8 rows of 128 bytes, 64 units; the next panel after 8192 bytes, 512 units; where there is one
// panel, 1.
TEST(Warpgroups, DescriptorsSayHowMatricesLie) {
    constexpr std::uint64_t kPattern = 1ull << 62, kStride = 64ull << 32;
    const auto ptx = compiled(product(kByEngine), "sm_90a").ptx.text;
    EXPECT_THAT(ptx, HasSubstr(std::to_string(kPattern | kStride | 1ull << 16)));
    EXPECT_THAT(ptx, HasSubstr(std::to_string(kPattern | kStride | 512ull << 16)));
}

TEST(Warpgroups, WhatThreadsWriteIsMadeKnownToTensorCores) {
    EXPECT_EQ(count_of(compiled(product(kByThreads), "sm_90a").ptx.text, "fence.proxy.async"), 1);
    EXPECT_EQ(count_of(compiled(product(kByEngine), "sm_90a").ptx.text, "fence.proxy.async"), 0)
        << "the engine's own way is theirs";
}

TEST(Warpgroups, AssembleWithoutSpills) {
    for (const auto& filled : {kByEngine, kByThreads})
        expect_assembles(compiled(product(filled), "sm_90a"), "sm_90a");
}

// Tiles that a loop numbers lie in memory; while a group adds to one nothing of it does.
TEST(Warpgroups, SumsThatAreNumberedAreInRegistersMeanwhile) {
    auto text = product(kByThreads);
    const auto edit = [&](const std::string& what, const std::string& by) {
        for (auto at = text.find(what); at != std::string::npos;
             at = text.find(what, at + by.size()))
            text.replace(at, what.size(), by);
    };
    edit("f32[64] in register", "f32[128] in register");
    edit("            intrinsic wgmma_begin",
         "            for n in 0..2 {\n            intrinsic wgmma_begin");
    edit("wgmma_end_64 d[0]", "wgmma_end_64 d[0]\n            }");
    edit("wgmma_begin_64 d[0]", "wgmma_begin_64 d[n*64]");
    edit("wgmma_end_64 d[0]", "wgmma_end_64 d[n*64]");
    edit("f16 d[0],", "f16 d[n*64],");
    edit("8192, d[0]", "8192, d[n*64]");
    const auto ptx = compiled(text, "sm_90a").ptx.text;
    const auto begin = ptx.find("wgmma.fence"), end = ptx.find("wgmma.wait_group");
    ASSERT_LT(begin, end);
    EXPECT_EQ(count_of(ptx.substr(begin, end - begin), ".local"), 0)
        << ptx.substr(begin, end - begin);
    expect_assembles(compiled(text, "sm_90a"), "sm_90a");
}

// Turn for turn of a loop, its products run on into the next: no register of theirs is moved, and
// nothing but a wait stands behind the loop. ptxas would say that it serialises them (C7510, C7520)
// where it has to.
TEST(Warpgroups, ProductsRunOnIntoTheNextIteration) {
    auto text = product(kByEngine);
    const std::string begin = "            intrinsic wgmma_begin_64",
                      end = "            intrinsic wgmma_end_64 d[0]\n";
    text.insert(text.find(begin), "            for k in 0..5 {\n");
    text.replace(text.find(end), end.size(),
                 "            intrinsic wgmma_leave_64 d[0]\n            }\n" + end);
    const auto ptx = compiled(text, "sm_90a").ptx.text;
    EXPECT_EQ(count_of(ptx, "wgmma.commit_group.sync.aligned"), 1);
    EXPECT_EQ(count_of(ptx, "wgmma.wait_group.sync.aligned 1;"), 1);
    EXPECT_EQ(count_of(ptx, "wgmma.wait_group.sync.aligned 0;"), 1);
    expect_assembles(compiled(text, "sm_90a"), "sm_90a");
    if (const auto assembly = codegen::assemble(ptx, "sm_90a")) {
        EXPECT_EQ(assembly->warnings, "");
    }
}

TEST(Warpgroups, StandInGroups) {
    auto text = product(kByThreads);
    const std::string end = "            intrinsic wgmma_end_64 d[0]\n";
    text.erase(text.find(end), end.size());
    EXPECT_THAT(refused(text, "sm_90a"), HasSubstr("has no end"));
    text = product(kByThreads);
    const std::string begin = "            intrinsic wgmma_begin_64 d[0]\n";
    text.erase(text.find(begin), begin.size());
    EXPECT_THAT(refused(text, "sm_90a"), HasSubstr("stands outside of a group"));
}

TEST(Warpgroups, AreOfOneArchitectureAlone) {
    for (const char* other : {"sm_80", "sm_90", "sm_100"})
        EXPECT_THAT(refused(product(kByThreads), other), HasSubstr("has no wgmma_m64n128k16_f16"))
            << other;
    EXPECT_THAT(refused(product(kByThreads), "sm_90"), HasSubstr("sm_90a has, and it alone"));
    // Both of its products stand at one place of the schedule.
    EXPECT_EQ(count_of(refused(product(kByThreads), "sm_80"), "has no wgmma_m64n128k16_f16"), 1);
}

TEST(Warpgroups, FactorsAreMatrices) {
    auto text = product(kByThreads);
    const std::string matrix = " matrix 64, 16 along 1 of 128";
    text.replace(text.find(matrix), matrix.size(), "");
    EXPECT_THAT(refused(text, "sm_90a"), HasSubstr("takes its left factor as a matrix: a"));
}

} // namespace test_warpgroup
} // namespace loopscope::test
