#include "core/ir/product.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace {

ExprPtr f(const char* name) { return variable(name, ScalarType::F32); }
ExprPtr times(const ExprPtr& a, const ExprPtr& b) { return binary(Op::Multiply, a, b); }

TEST(Product, IsWrittenAsOne) {
    auto square = times(f("d"), f("d"));
    EXPECT_TRUE(is_product(square));
    EXPECT_TRUE(is_product(let("d", f("x"), square)));
    EXPECT_TRUE(is_product(let("e", f("x"), let("d", f("e"), square))));
    EXPECT_FALSE(is_product(let("d", square, f("d"))));
    EXPECT_FALSE(is_product(unary(Op::Negate, square)));
    EXPECT_FALSE(is_product(times(variable("i"), variable("i")))) << "of whole numbers";
}

TEST(Product, LetsStandAroundTheFma) {
    auto square = let("d", f("x"), times(f("d"), f("d")));
    EXPECT_EQ(to_text(multiply_add(square, f("y"))), "let d = x in fma(d, d, y)");
    EXPECT_EQ(to_text(multiply_subtract(square, f("y"))), "let d = x in fma(-d, d, y)");
}

// One expression may stand on both sides of a sum.
TEST(Product, NoLetHidesAnotherOfItsName) {
    auto square = let("d", f("x"), times(f("d"), f("d")));
    EXPECT_EQ(to_text(multiply_add(square, square)),
              "let d.c = x in fma(d.c, d.c, let d = x in d*d)");
}

} // namespace
} // namespace loopscope
