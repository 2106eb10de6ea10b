// wmma: whole matrices between memory and fragments, on all devices that have tensor cores.
#include "tests/nvptx/nvptx_support.h"

#include <gmock/gmock.h>

namespace loopscope::test {
namespace test_whole_matrix {

using ::testing::HasSubstr;

// C = A B of 16 x 16, four times added up; rows of A in shared memory are 48 elements apart, those
// of B lie in global memory.
std::string product(const std::string& a = "row", const std::string& b = "row") {
    return R"(program p flat
input A: f16[256]
input B: f16[256]
output C: f32[512]
launch p on device (A, B, C) {
    bound thread.x for t in 0..32 {
        allocate x: f16[16] in register
        allocate y: f16[16] in register
        allocate d: f32[8] in register
        d[ramp(0, 1, 8)] = broadcast(0.0, 8)
        allocate s: f16[768] in shared
        for n_1 in 0..8 {
            s[t/2*48 + t%2*8 + n_1] = A[t*8 + n_1]
        }
        barrier block
        for k in 0..4 {
            intrinsic wmma_load_a_)" +
           a + R"(_m16n16k16_f16 x[0], s[0], s[48]
            intrinsic wmma_load_b_)" +
           b + R"(_m16n16k16_f16 y[0], B[0], B[16]
            intrinsic wmma_m16n16k16_f16_)" +
           a + "_" + b + R"( d[0], x[0], y[0], d[0]
        }
        intrinsic wmma_store_d_row_m16n16k16_f32 C[0], C[16], d[0]
        intrinsic wmma_load_c_col_m16n16k16_f32 d[0], C[0], C[16]
        intrinsic wmma_store_d_col_m16n16k16_f32 C[256], C[272], d[0]
    }
}
)";
}

TEST(WholeMatrices, AreLoadedMultipliedAndStored) {
    const auto ptx = ptx_of(product("row", "col"), "sm_70");
    EXPECT_EQ(count_of(ptx, "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16"), 1) << ptx;
    EXPECT_EQ(count_of(ptx, "wmma.load.b.sync.aligned.col.m16n16k16.global.f16"), 1);
    EXPECT_EQ(count_of(ptx, "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32"), 1);
    EXPECT_EQ(count_of(ptx, "wmma.store.d.sync.aligned.row.m16n16k16.global.f32"), 1);
    EXPECT_EQ(count_of(ptx, "wmma.load.c.sync.aligned.col.m16n16k16.global.f32"), 1);
    EXPECT_EQ(count_of(ptx, "wmma.store.d.sync.aligned.col.m16n16k16.global.f32"), 1);
    EXPECT_EQ(count_of(ptx, ".local"), 0) << ptx; // sums stay in registers around the loop
}

TEST(WholeMatrices, AreAssembledForAllDevicesThatHaveTensorCores) {
    for (const std::string a : {"row", "col"})
        for (const std::string b : {"row", "col"}) {
            expect_runs_everywhere(product(a, b));
            // No toolkit at hand knows sm_70 any longer; what is written for it is taken for sm_75.
            for (const char* architecture : {"sm_70", "sm_72"})
                expect_assembles(compiled(product(a, b), architecture), "sm_75");
        }
}

// The distance of rows is a constant where they are written so, whatever begins before.
TEST(WholeMatrices, DistancesAreConstants) {
    auto text = product();
    const std::string first = "s[0], s[48]", moved = "s[k*16], s[k*16 + 48]";
    text.replace(text.find(first), first.size(), moved);
    const auto ptx = ptx_of(text, "sm_75");
    EXPECT_THAT(ptx, HasSubstr("48;"));
    EXPECT_EQ(count_of(ptx, "sub."), 0) << ptx;
}

TEST(WholeMatrices, AreNotMovedIntoBranchesOfSomeLanes) {
    auto text = product();
    const auto from = text.find("        intrinsic wmma_store_d_row");
    text.insert(from, "        if t < 3 {\n            C[t] = d[0]\n        }\n");
    const auto ptx = ptx_of(text, "sm_75");
    EXPECT_EQ(count_of(ptx, "wmma.mma.sync"), 1) << ptx;
    EXPECT_LT(ptx.find("wmma.mma.sync"), ptx.rfind("@%p")) << ptx;
}

TEST(WholeMatrices, RefusalsNameWhatWouldBeRight) {
    const auto refused = [](const std::string& from, const std::string& to) {
        auto text = product();
        text.replace(text.find(from), from.size(), to);
        return refusal_of(text, "sm_75");
    };
    EXPECT_THAT(
        refused("x[0], s[0], s[48]", "x[0], y[0], y[0]"),
        HasSubstr("takes its matrix from y in register (at p); it takes shared or global memory"));
    EXPECT_THAT(refused("d[0], x[0], y[0], d[0]", "d[0], s[0], y[0], d[0]"),
                HasSubstr("takes its left factor from s in shared (at p); it works on registers"));
    EXPECT_THAT(refused("C[0], C[16], d[0]", "A[0], A[16], d[0]"),
                HasSubstr("takes its matrix as f32, and A is f16"));
}

} // namespace test_whole_matrix
} // namespace loopscope::test
