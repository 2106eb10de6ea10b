#include "core/language/fold.h"

#include <gtest/gtest.h>

#include <limits>

namespace loopscope {
namespace {

using T = ScalarType;

ExprPtr i(std::int64_t value, T type = T::I32) { return constant_int(type, value); }
ExprPtr f(double value, T type = T::F32) { return constant_float(type, value); }
std::int64_t folded(Op op, ExprPtr a, ExprPtr b) {
    auto e = fold(binary(op, a, b));
    EXPECT_TRUE(is_constant(e));
    return static_cast<std::int64_t>(e->bits);
}

TEST(Fold, IntegersWrap) {
    EXPECT_EQ(folded(Op::Add, i(2147483647), i(1)), -2147483648);
    EXPECT_EQ(folded(Op::Multiply, i(200, T::U8), i(2, T::U8)), 144);
    EXPECT_EQ(static_cast<std::int64_t>(fold(unary(Op::Negate, i(-128, T::I8)))->bits), -128);
    EXPECT_EQ(static_cast<std::int64_t>(fold(unary(Op::Abs, i(-128, T::I8)))->bits), -128);
}

TEST(Fold, DivisionFloorsAndByZeroIsZero) {
    EXPECT_EQ(folded(Op::Divide, i(-7), i(2)), -4);
    EXPECT_EQ(folded(Op::Modulo, i(-7), i(2)), 1);
    EXPECT_EQ(folded(Op::Modulo, i(7), i(-2)), -1);
    EXPECT_EQ(folded(Op::Divide, i(7), i(0)), 0);
    EXPECT_EQ(folded(Op::Modulo, i(7), i(0)), 0);
    EXPECT_EQ(
        folded(Op::Divide, i(std::numeric_limits<std::int64_t>::min(), T::I64), i(-1, T::I64)),
        std::numeric_limits<std::int64_t>::min());
    EXPECT_EQ(folded(Op::Divide, i(-1, T::U64), i(2, T::U64)),
              std::numeric_limits<std::int64_t>::max());
}

TEST(Fold, ShiftsBeyondTheWidthAndBackwards) {
    EXPECT_EQ(folded(Op::ShiftLeft, i(1), i(31)), -2147483648);
    EXPECT_EQ(folded(Op::ShiftLeft, i(1), i(32)), 0);
    EXPECT_EQ(folded(Op::ShiftRight, i(-8), i(100)), -1);
    EXPECT_EQ(folded(Op::ShiftRight, i(200, T::U8), i(9, T::U8)), 0);
    EXPECT_EQ(folded(Op::ShiftLeft, i(16), i(-2)), 4);
    EXPECT_EQ(folded(Op::ShiftRight, i(16), i(-2)), 64);
}

TEST(Fold, FloatsRoundInTheirOwnType) {
    auto sum = fold(binary(Op::Add, f(16777216), f(1)));
    EXPECT_EQ(constant_float_value(sum), 16777216);
    EXPECT_EQ(constant_float_value(fold(unary(Op::Round, f(2.5)))), 2);
    EXPECT_EQ(constant_float_value(fold(unary(Op::Sqrt, f(2, T::F64)))), 1.4142135623730951);
}

TEST(Fold, MinAndMaxOfNanAndZeros) {
    auto nan = constant_bits(T::F32, 0x7fc00000);
    EXPECT_EQ(fold(binary(Op::Min, nan, f(1)))->bits, 0x7fc00000u);
    EXPECT_EQ(fold(binary(Op::Max, f(1), nan))->bits, 0x7fc00000u);
    EXPECT_EQ(fold(binary(Op::Min, f(0), f(-0.0)))->bits, 0x80000000u);
    EXPECT_EQ(fold(binary(Op::Max, f(-0.0), f(0)))->bits, 0u);
    EXPECT_EQ(fold(binary(Op::Equal, nan, nan))->bits, 0u);
    EXPECT_EQ(fold(binary(Op::NotEqual, nan, nan))->bits, 1u);
}

TEST(Fold, Casts) {
    EXPECT_EQ(fold(cast(T::U8, i(300)))->bits, 44u);
    EXPECT_EQ(fold(cast(T::U8, f(300)))->bits, 255u);
    EXPECT_EQ(fold(cast(T::I32, constant_bits(T::F32, 0x7fc00000)))->bits, 0u);
    EXPECT_EQ(static_cast<std::int64_t>(fold(cast(T::I32, f(-3e9)))->bits), -2147483648);
    EXPECT_EQ(static_cast<std::int64_t>(fold(cast(T::I64, f(1e30)))->bits),
              std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(fold(cast(T::Bool, f(0.1)))->bits, 1u);
    // From 64 bits to f32 in one rounding: through f64 this would become 2^60.
    std::int64_t value = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
    EXPECT_EQ(constant_float_value(fold(cast(T::F32, i(value, T::I64)))),
              static_cast<double>(static_cast<float>(value)));
    EXPECT_EQ(constant_float_value(fold(cast(T::F32, i(-1, T::U64)))), 0x1p64);
}

TEST(Fold, OnlyConstantsAreFolded) {
    auto e = binary(Op::Add, variable("x"), i(1));
    EXPECT_EQ(fold(e), e);
    EXPECT_EQ(fold(select(constant_bool(true), i(1), i(2)))->bits, 1u);
}

} // namespace
} // namespace loopscope
