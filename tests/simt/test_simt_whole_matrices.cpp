// wmma: whole matrices between memory and fragments of which no program knows how they lie, and
// what is found where one believes to.
#include "tests/simt/simt_support.h"

#include "compiler/run/reference/half_float.h"

namespace loopscope {
namespace test_simt_whole_matrices {

using namespace test;

// One warp: C = A B + 1, of A and B in shared memory with rows of 32 elements; C is stored to
// global memory.
const std::string kProduct = R"(
program p flat
input A: f16[16, 16]
input B: f16[16, 16]
output C: f32[256]
launch p on device (A, B, C) {
    bound thread.x for t in 0..32 {
        allocate x: f16[16] in register
        allocate y: f16[16] in register
        allocate d: f32[8] in register
        for n in 0..8 {
            d[n] = 1.0
        }
        allocate a: f16[512] in shared
        allocate b: f16[512] in shared
        for n_1 in 0..8 {
            a[t/2*32 + t%2*8 + n_1] = A[t/2*16 + t%2*8 + n_1]
            b[t/2*32 + t%2*8 + n_1] = B[t/2*16 + t%2*8 + n_1]
        }
        barrier block
        intrinsic wmma_load_a_row_m16n16k16_f16 x[0], a[0], a[32]  @ C/@load
        intrinsic wmma_load_b_row_m16n16k16_f16 y[0], b[0], b[32]
        intrinsic wmma_m16n16k16_f16_row_row d[0], x[0], y[0], d[0]  @ C/@compute
        intrinsic wmma_store_d_row_m16n16k16_f32 C[0], C[16], d[0]  @ C/@store
    }
}
)";

std::map<std::string, Buffer> inputs() {
    return {{"A", random(T::F16, {16, 16}, 1)}, {"B", random(T::F16, {16, 16}, 2)}};
}

float value(std::uint16_t bits) {
    _Float16 x;
    static_assert(sizeof x == sizeof bits);
    __builtin_memcpy(&x, &bits, sizeof x);
    return static_cast<float>(x);
}

// op(A) op(B) + 1: each turned where asked.
std::vector<float> expected(bool a_turned = false, bool b_turned = false) {
    const auto in = inputs();
    const auto* a = in.at("A").as<std::uint16_t>();
    const auto* b = in.at("B").as<std::uint16_t>();
    std::vector<float> out(256);
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 16; ++j) {
            float sum = 1;
            for (std::size_t k = 0; k < 16; ++k)
                sum += value(a[a_turned ? k * 16 + i : i * 16 + k]) *
                       value(b[b_turned ? j * 16 + k : k * 16 + j]);
            out[i * 16 + j] = sum;
        }
    return out;
}

std::string with(std::string text, const std::vector<std::pair<std::string, std::string>>& words) {
    for (const auto& [from, to] : words)
        text = replaced(text, from, to);
    return text;
}

TEST(SimtWholeMatrices, MultiplyAndAreStored) {
    const auto result = run(kProduct, inputs());
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(values<float>(result, "C"), expected());
    EXPECT_EQ(counts_of(result, "C/@compute").tensor_flops, 2u * 16 * 16 * 16);
    // Rows of 64 bytes: those of eight by 16 bytes are in every other of 8 quarters of the banks,
    // four times each.
    const auto loads = counts_of(result, "C/@load");
    EXPECT_EQ(loads.shared_bytes, 512u);
    EXPECT_EQ(loads.shared_passes_least, 4u);
    EXPECT_EQ(loads.shared_passes, 16u);
    const auto stores = counts_of(result, "C/@store");
    EXPECT_EQ(stores.global_store_bytes, 1024u);
    EXPECT_EQ(stores.global_store_sectors, 32u);
}

// By columns, what lies as rows of memory are its columns: the turned matrix.
TEST(SimtWholeMatrices, LieByRowsOrByColumns) {
    for (const bool a : {false, true})
        for (const bool b : {false, true}) {
            const std::string x = a ? "col" : "row", y = b ? "col" : "row";
            const auto result = run(with(kProduct, {{"load_a_row", "load_a_" + x},
                                                    {"load_b_row", "load_b_" + y},
                                                    {"f16_row_row", "f16_" + x + "_" + y}}),
                                    inputs());
            EXPECT_TRUE(result.findings.empty()) << format(result.findings);
            EXPECT_EQ(values<float>(result, "C"), expected(a, b)) << x << y;
        }
    const auto turned = run(replaced(kProduct, "store_d_row", "store_d_col"), inputs());
    const auto c = values<float>(turned, "C"), right = expected();
    for (std::size_t i = 0; i < 16; ++i)
        for (std::size_t j = 0; j < 16; ++j)
            ASSERT_EQ(c[j * 16 + i], right[i * 16 + j]);
}

// What takes a fragment for one that lies otherwise gets other numbers.
TEST(SimtWholeMatrices, AFragmentOfAnotherKindGivesOtherNumbers) {
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"f16_row_row", "f16_col_row"}, // by columns what was loaded by rows
        {"f16_row_row", "f16_row_col"},
        {"d[0], x[0], y[0], d[0]", "d[0], y[0], x[0], d[0]"}, // the left factor for the right one
    };
    for (const auto& [from, to] : mistakes) {
        const auto result = run(replaced(kProduct, from, to), inputs());
        EXPECT_TRUE(result.findings.empty()) << format(result.findings);
        const auto c = values<float>(result, "C");
        EXPECT_NE(c, expected()) << to;
        for (const bool a : {false, true})
            for (const bool b : {false, true})
                EXPECT_NE(c, expected(a, b)) << to;
    }
}

// Lanes that store what they hold as an mma's sums lie, or as one lane after the other, store it
// elsewhere.
TEST(SimtWholeMatrices, NoLayoutIsAsOneMayThink) {
    const std::string store =
        "intrinsic wmma_store_d_row_m16n16k16_f32 C[0], C[16], d[0]  @ C/@store";
    for (const char* place : {"t*8 + n_2", "(t/4 + n_2/2%2*8)*16 + t%4*2 + n_2%2 + n_2/4*8"}) {
        const auto result =
            run(replaced(kProduct, store,
                         "for n_2 in 0..8 {\nC[" + std::string(place) + "] = d[n_2]\n}"),
                inputs());
        EXPECT_TRUE(result.findings.empty()) << format(result.findings);
        EXPECT_NE(values<float>(result, "C"), expected()) << place;
    }
}

TEST(SimtWholeMatrices, WhatIsStoredIsLoadedAgain) {
    const std::string store =
        "intrinsic wmma_store_d_row_m16n16k16_f32 C[0], C[16], d[0]  @ C/@store";
    const std::string through = "allocate s: f32[384] in shared\n"
                                "intrinsic wmma_store_d_col_m16n16k16_f32 s[0], s[24], d[0]\n"
                                "barrier block\n"
                                "intrinsic wmma_load_c_col_m16n16k16_f32 d[0], s[0], s[24]\n";
    const auto result = run(replaced(kProduct, store, through + store), inputs());
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    EXPECT_EQ(values<float>(result, "C"), expected());
    // Any lane may have what another one stores.
    const auto early =
        run(replaced(kProduct, store, replaced(through, "barrier block\n", "") + store), inputs());
    EXPECT_FALSE(early.findings.empty());
}

TEST(SimtWholeMatrices, WithoutTheBarrierFactorsMayNotBeThere) {
    EXPECT_FALSE(run(replaced(kProduct, "        barrier block\n", ""), inputs()).findings.empty());
}

// PTX ISA, "Matrix Storage for WMMA".
TEST(SimtWholeMatrices, RowsBeginAtMultiplesOf32Bytes) {
    const auto finding = [](const std::string& from, const std::string& to) {
        const auto result = run(replaced(kProduct, from, to), inputs());
        return result.findings.empty() ? std::string() : format(result.findings);
    };
    const std::string wrong = "does not begin rows at multiples of 32 bytes";
    EXPECT_NE(finding("x[0], a[0], a[32]", "x[0], a[8], a[40]").find(wrong), std::string::npos);
    EXPECT_NE(finding("x[0], a[0], a[32]", "x[0], a[0], a[24]").find(wrong), std::string::npos);
    EXPECT_NE(finding("x[0], a[0], a[32]", "x[0], a[16], a[48]").find("read"), std::string::npos);
    EXPECT_NE(finding("x[0], a[0], a[32]", "x[0], a[32], a[64]").find("has no matrix of 16 rows"),
              std::string::npos);
    EXPECT_NE(finding("x[0], a[0], a[32]", "x[0], a[t/16*32], a[t/16*32 + 32]")
                  .find("is not what other threads of the warp name"),
              std::string::npos);
}

} // namespace test_simt_whole_matrices
} // namespace loopscope
