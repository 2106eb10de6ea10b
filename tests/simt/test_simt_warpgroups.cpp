// Instructions of a warpgroup: what they compute of matrices as they lie in shared memory, when
// their sums are there, and what is wrong where a part is missing.
#include "tests/simt/simt_support.h"

#include "compiler/run/reference/half_float.h"

namespace loopscope {
namespace test_simt_warpgroups {

using namespace test;

// One group; each thread stores rows of A and B where the patterns have them. A: 64 x 16 of rows of
// 32 bytes, along k. B: 16 x 128, rows along j in two panels of 128 bytes.
const std::string kProduct = R"(
program p flat
input A: f16[64, 16]
input B: f16[16, 128]
output C: f32[8192]
launch p on device (A, B, C) {
    bound thread.x for t in 0..128 {
        allocate d: f32[64] in register
        for n in 0..64 {
            d[n] = 1.0
        }
        allocate a: f16[1024] in shared align 256
        allocate b: f16[2048] in shared align 1024
        for n_1 in 0..8 {
            a[t/2*16 + (t%2 ^ t/2/4%2)*8 + n_1] = A[t/2*16 + t%2*8 + n_1]
        }
        for n_2 in 0..2 {
            for n_3 in 0..8 {
                b[n_2*1024 + t/8*64 + (t%8 ^ t/8%8)*8 + n_3] = B[t/8*128 + n_2*64 + t%8*8 + n_3]
            }
        }
        barrier block
        intrinsic wgmma_begin_64 d[0]
        intrinsic wgmma_m64n128k16_f16 d[0], a[0] matrix 64, 16 along 1 of 32, b[0] matrix 16, 128 along 1 of 128 every 2048, d[0]  @ C/@compute
        intrinsic wgmma_end_64 d[0]
        for n_4 in 0..64 {
            C[(t/32*16 + t%32/4 + n_4/2%2*8)*128 + t%4*2 + n_4%2 + n_4/4*8] = d[n_4]  @ C/@store
        }
    }
}
)";

std::map<std::string, Buffer> inputs() {
    return {{"A", random(T::F16, {64, 16}, 1)}, {"B", random(T::F16, {16, 128}, 2)}};
}

float value(std::uint16_t bits) {
    _Float16 x;
    static_assert(sizeof x == sizeof bits);
    __builtin_memcpy(&x, &bits, sizeof x);
    return static_cast<float>(x);
}

TEST(SimtWarpgroups, MultiplyMatricesAsTheyLie) {
    const auto result = run(kProduct, inputs());
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    const auto in = inputs();
    const auto* a = in.at("A").as<std::uint16_t>();
    const auto* b = in.at("B").as<std::uint16_t>();
    const auto c = values<float>(result, "C");
    ASSERT_EQ(c.size(), 8192u);
    for (std::size_t i = 0; i < 64; ++i)
        for (std::size_t j = 0; j < 128; ++j) {
            float sum = 1;
            for (std::size_t k = 0; k < 16; ++k)
                sum += value(a[i * 16 + k]) * value(b[k * 128 + j]);
            ASSERT_EQ(c[i * 128 + j], sum) << i << " " << j;
        }
    EXPECT_EQ(counts_of(result, "C/@compute").tensor_flops, 2u * 64 * 128 * 16);
    EXPECT_EQ(counts_of(result, "C/@compute").shared_bytes, 2u * (64 * 16 + 16 * 128));
}

// A group's second product adds to what the first has made, before either has been waited for.
TEST(SimtWarpgroups, ProductsOfAGroupAddUp) {
    const std::string product =
        "        intrinsic wgmma_m64n128k16_f16 d[0], a[0] matrix 64, 16 along 1 of 32, "
        "b[0] matrix 16, 128 along 1 of 128 every 2048, d[0]  @ C/@compute\n";
    const auto once = values<float>(run(kProduct, inputs()), "C");
    const auto result = run(replaced(kProduct, product, product + product), inputs());
    EXPECT_TRUE(result.findings.empty()) << format(result.findings);
    const auto twice = values<float>(result, "C");
    ASSERT_EQ(once.size(), twice.size());
    for (std::size_t n = 0; n < once.size(); ++n)
        ASSERT_EQ(twice[n], 2 * once[n] - 1);
}

TEST(SimtWarpgroups, SumsAreThereBehindTheWaitAlone) {
    const auto result =
        run(replaced(kProduct, "        intrinsic wgmma_end_64 d[0]\n", ""), inputs());
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings[0].kind, Kind::UninitializedRead) << format(result.findings);
}

TEST(SimtWarpgroups, WithoutTheBarrierFactorsMayNotBeThere) {
    EXPECT_FALSE(run(replaced(kProduct, "        barrier block\n", ""), inputs()).findings.empty());
}

TEST(SimtWarpgroups, ADescriptorBeginsAtAPatternsFirstRow) {
    const auto result = run(replaced(kProduct, "a[0] matrix", "a[16] matrix"), inputs());
    ASSERT_FALSE(result.findings.empty());
    EXPECT_NE(format(result.findings).find("does not begin in the first of eight rows"),
              std::string::npos)
        << format(result.findings);
}

TEST(SimtWarpgroups, AMatrixThatLeavesItsMemory) {
    const auto result = run(replaced(kProduct, "every 2048", "every 4096"), inputs());
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings[0].kind, Kind::OutOfBounds) << format(result.findings);
}

// The wrong pattern, or the rows of another panel, give other numbers.
TEST(SimtWarpgroups, AnotherPatternGivesOtherNumbers) {
    const auto right = values<float>(run(kProduct, inputs()), "C");
    const auto plain = run(replaced(kProduct, "(t%8 ^ t/8%8)", "t%8"), inputs());
    EXPECT_TRUE(plain.findings.empty()) << format(plain.findings);
    EXPECT_NE(values<float>(plain, "C"), right);
}

} // namespace test_simt_warpgroups
} // namespace loopscope
