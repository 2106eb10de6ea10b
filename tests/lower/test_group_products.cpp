// Instructions of a warpgroup run beside its warps: those that stand one behind the other are one
// group.
#include "product_kernels.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_group_products {

using ::testing::HasSubstr;

using test::in;
using test::product;

std::string kernel(const std::string& lines) { return test::product_kernel(lines); }

TEST(GroupProducts, NeighboursAreOneGroup) {
    EXPECT_EQ(test::after(group_products,
                          kernel(in + product("d[0, 0]", 0) + in + product("d[0, 0]", 1))),
              kernel(in + "intrinsic wgmma_begin_64 d[0, 0]\n" + in + product("d[0, 0]", 0) + in +
                     product("d[0, 0]", 1) + in + "intrinsic wgmma_end_64 d[0, 0]\n"));
}

TEST(GroupProducts, AGroupHasTheSumsOfAll) {
    EXPECT_THAT(
        test::after(group_products, kernel(in + product("d[0, 0]", 0) + in + product("d[1, 0]", 0) +
                                           in + product("d[0, 0]", 1))),
        AllOf(HasSubstr("wgmma_begin_64 d[0, 0], d[1, 0]\n"),
              HasSubstr("wgmma_end_64 d[0, 0], d[1, 0]\n")));
}

TEST(GroupProducts, OthersPartThem) {
    const auto text =
        test::after(group_products, kernel(in + product("d[0, 0]", 0) + in + "C[0, t] = d[0, 0]\n" +
                                           in + product("d[0, 0]", 1)));
    EXPECT_EQ(text, kernel(in + "intrinsic wgmma_begin_64 d[0, 0]\n" + in + product("d[0, 0]", 0) +
                           in + "intrinsic wgmma_end_64 d[0, 0]\n" + in + "C[0, t] = d[0, 0]\n" +
                           in + "intrinsic wgmma_begin_64 d[0, 0]\n" + in + product("d[0, 0]", 1) +
                           in + "intrinsic wgmma_end_64 d[0, 0]\n"));
}

TEST(GroupProducts, EachTurnOfALoopHasItsOwn) {
    EXPECT_THAT(test::after(group_products, kernel(in + "for n in 0..4 {\n    " + in +
                                                   product("d[0, 0]", 0) + in + "}\n")),
                HasSubstr("for n in 0..4 {\n            intrinsic wgmma_begin_64 d[0, 0]\n"));
}

// The second product waits for the first where their sums may be one, written differently.
TEST(GroupProducts, SumsThatMayMeetAreApart) {
    const auto text = test::after(group_products, kernel("        for n in 0..2 {\n    " + in +
                                                         product("d[n, 0]", 0) + "    " + in +
                                                         product("d[0, 0]", 1) + "        }\n"));
    EXPECT_THAT(text, HasSubstr("wgmma_begin_64 d[n, 0]\n"));
    EXPECT_THAT(text, HasSubstr("wgmma_begin_64 d[0, 0]\n"));
}

std::string wrong(const std::string& lines) {
    auto program = parse_program(kernel(lines));
    EXPECT_TRUE(program) << format(program.errors());
    return program ? format(verify(*program)) : "";
}

TEST(GroupProducts, TheVerifierWantsMatricesThatThereAre) {
    EXPECT_EQ(wrong(in + product("d[0, 0]", 0)), "");
    EXPECT_THAT(
        wrong(in + "intrinsic wgmma_m64n128k16_f16 d[0, 0], a[0, 0] matrix 64, 16 along 1 of 96, "
                   "b[0, 0, 0] matrix 16, 128 along 1 of 128 every 8192, d[0, 0]\n"),
        HasSubstr("takes a as no matrix that there is"));
    EXPECT_THAT(
        wrong(in + "intrinsic wgmma_m64n128k16_f16 d[0, 0], a[0, 0] matrix 64, 16 along 1 of 128, "
                   "b[0, 0, 0] matrix 16, 128 along 1 of 128, d[0, 0]\n"),
        HasSubstr("takes longer rows of b than there are"));
}

// All four warps of a group must be there.
TEST(GroupProducts, TheVerifierWantsWholeGroups) {
    const auto one = in + product("d[0, 0]", 0);
    EXPECT_THAT(wrong(in + "if t/32 < 2 {\n    " + one + in + "}\n"),
                HasSubstr("wgmma_m64n128k16_f16 that not all threads reach"));
    EXPECT_EQ(wrong("        for n in 0..2 {\n    " + one + "        }\n"), "");
}

// What another part of the kernel has more groups for, the product's own groups do alone.
TEST(GroupProducts, GroupsBeyondItsOwnDoNone) {
    const auto text = test::after(
        bind_levels, test::on_device("output C: f32[64, 128]",
                                     R"(    allocate a: f16[64, 64] in shared align 1024 swizzle 128
    allocate b: f16[16, 128] in shared align 1024 swizzle 128
    bound warpgroup for f in 0..4 {
        a[f, 0] = 1.0f16
    }
    allocate d: f32[64] in register
    bound warpgroup for g in 0..2 {
        bound lane for lane in 0..128 {
            intrinsic wgmma_m64n128k16_f16 d[0], a[g*0, 0] matrix 64, 16 along 1 of 128, b[0, 0] matrix 16, 128 along 1 of 128 every 2048, d[0]
        }
        bound lane for lane_1 in 0..128 {
            C[g, lane_1] = d[0]
        }
    }
)"));
    const auto product = text.find("intrinsic wgmma_m64n128k16_f16");
    ASSERT_NE(product, std::string::npos) << text;
    EXPECT_NE(text.rfind("if thread_z < 2", product), std::string::npos) << text;
}

} // namespace test_group_products
} // namespace loopscope::lower
