// For source: unrolled loops of a warpgroup's products become copies of their bodies.
#include "product_kernels.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_unroll_products {

using test::in;
using test::product;
using ::testing::HasSubstr;
using ::testing::Not;

// For source, which keeps unrolled loops: those of products alone become copies, so that they are
// one group.
TEST(UnrollProducts, OfAWarpgroupAreOneGroup) {
    const auto looped = test::product_kernel(
        in + "unrolled for n in 0..2 {\n    " + in + product("d[n, 0]", 0) + in + "}\n" + in +
        "unrolled for m in 0..4 {\n    " + in + "C[m, t] = d[0, m]\n" + in + "}\n");
    const auto text = test::after(unroll_products, looped);
    EXPECT_EQ(text, test::product_kernel(in + product("d[0, 0]", 0) + in + product("d[1, 0]", 0) +
                                         in + "unrolled for m in 0..4 {\n    " + in +
                                         "C[m, t] = d[0, m]\n" + in + "}\n"));
    EXPECT_THAT(test::after(group_products, text), HasSubstr("wgmma_begin_64 d[0, 0], d[1, 0]\n"));
}

// Around such loops too; others stay, for people to read.
TEST(UnrollProducts, LoopsAroundAndNoOthers) {
    const auto looped = test::product_kernel(
        in + "unrolled for m in 0..2 {\n    " + in + "for k in 0..2 {\n        " + in +
        product("d[m, 0]", 0) + "    " + in + "}\n" + in + "}\n" + in +
        "unrolled for i in 0..2 {\n    " + in + "C[i, t] = 1.0\n" + in + "}\n");
    const auto text = test::after(unroll_products, looped);
    EXPECT_THAT(text, HasSubstr("for k in 0..2 {"));
    EXPECT_THAT(text, HasSubstr("for k_1 in 0..2 {"));
    EXPECT_THAT(text, HasSubstr("unrolled for i in 0..2 {"));
    EXPECT_THAT(text, Not(HasSubstr("for m in")));
}

// A loop without iterations has no products.
TEST(UnrollProducts, NoIterationsNoProducts) {
    EXPECT_EQ(
        test::after(unroll_products, test::product_kernel(in + "unrolled for n in 0..0 {\n    " +
                                                          in + product("d[n, 0]", 0) + in + "}\n" +
                                                          in + "C[0, t] = d[0, 0]\n")),
        test::product_kernel(in + "C[0, t] = d[0, 0]\n"));
}

} // namespace test_unroll_products
} // namespace loopscope::lower
