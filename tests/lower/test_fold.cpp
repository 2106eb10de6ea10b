// Constant folding against literal results, at the edges of the types.
#include "compiler/lower/fold.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loopscope::lower {
namespace {

std::int64_t folded_integer(Op op, ScalarType type, std::int64_t a, std::int64_t b) {
    auto e = folded(*binary(op, constant_int(type, a), constant_int(type, b)));
    EXPECT_TRUE(e);
    return e ? static_cast<std::int64_t>(e->bits) : 0;
}

TEST(Fold, IntegersWrap) {
    EXPECT_EQ(folded_integer(Op::Add, ScalarType::I8, 127, 1), -128);
    EXPECT_EQ(folded_integer(Op::Multiply, ScalarType::U8, 16, 17), 16);
    EXPECT_EQ(folded_integer(Op::Subtract, ScalarType::U32, 0, 1), 0xffffffff);
    EXPECT_EQ(folded_integer(Op::Multiply, ScalarType::I32, 65536, 65536), 0);
    auto least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(static_cast<std::int64_t>(
                  folded(*unary(Op::Negate, constant_int(ScalarType::I64, least)))->bits),
              least);
    EXPECT_EQ(static_cast<std::int64_t>(
                  folded(*unary(Op::Abs, constant_int(ScalarType::I8, -128)))->bits),
              -128);
}

TEST(Fold, DivisionFloors) {
    EXPECT_EQ(folded_integer(Op::Divide, ScalarType::I32, -7, 2), -4);
    EXPECT_EQ(folded_integer(Op::Modulo, ScalarType::I32, -7, 2), 1);
    EXPECT_EQ(folded_integer(Op::Divide, ScalarType::I32, 7, -2), -4);
    EXPECT_EQ(folded_integer(Op::Modulo, ScalarType::I32, 7, -2), -1);
    EXPECT_EQ(folded_integer(Op::Divide, ScalarType::I32, 7, 0), 0);
    EXPECT_EQ(folded_integer(Op::Modulo, ScalarType::I32, 7, 0), 0);
    EXPECT_EQ(
        folded_integer(Op::Divide, ScalarType::I32, std::numeric_limits<std::int32_t>::min(), -1),
        std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(
        folded_integer(Op::Modulo, ScalarType::I64, std::numeric_limits<std::int64_t>::min(), -1),
        0);
    EXPECT_EQ(folded_integer(Op::Divide, ScalarType::U64, -1, 2),
              std::numeric_limits<std::int64_t>::max());
}

TEST(Fold, ShiftsPastTheWidth) {
    EXPECT_EQ(folded_integer(Op::ShiftLeft, ScalarType::I32, 1, 31),
              std::numeric_limits<std::int32_t>::min());
    EXPECT_EQ(folded_integer(Op::ShiftLeft, ScalarType::I32, 1, 32), 0);
    EXPECT_EQ(folded_integer(Op::ShiftRight, ScalarType::I32, -5, 100), -1);
    EXPECT_EQ(folded_integer(Op::ShiftRight, ScalarType::U8, 200, 8), 0);
    EXPECT_EQ(folded_integer(Op::ShiftRight, ScalarType::I32, 3, -2), 12);
    EXPECT_EQ(folded_integer(Op::ShiftLeft, ScalarType::I32, -12, -2), -3);
    EXPECT_EQ(
        folded_integer(Op::ShiftLeft, ScalarType::I64, 1, std::numeric_limits<std::int64_t>::min()),
        0);
}

TEST(Fold, ComparisonsKnowSigns) {
    EXPECT_EQ(folded_integer(Op::Less, ScalarType::I8, -1, 1), 1);
    EXPECT_EQ(folded_integer(Op::Less, ScalarType::U8, -1, 1), 0);
    EXPECT_EQ(folded_integer(Op::Max, ScalarType::U64, -1, 1), -1);
}

double folded_float(Op op, double a, double b) {
    return constant_float_value(folded(
        *binary(op, constant_float(ScalarType::F32, a), constant_float(ScalarType::F32, b))));
}

TEST(Fold, FloatsRoundToTheirType) {
    EXPECT_EQ(folded_float(Op::Add, 16777216, 1), 16777216); // f32 has 24 bits
    EXPECT_EQ(folded_float(Op::Multiply, 1e30f, 1e30f), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::signbit(folded_float(Op::Min, 0.0, -0.0)));
    EXPECT_FALSE(std::signbit(folded_float(Op::Max, -0.0, 0.0)));
    EXPECT_TRUE(std::isnan(folded_float(Op::Min, 1, std::nan(""))));
    auto nan = folded(*binary(Op::Divide, constant_float(ScalarType::F32, 0),
                              constant_float(ScalarType::F32, 0)));
    EXPECT_EQ(nan->bits, 0x7fc00000u);
    auto half = folded(*unary(Op::Round, constant_float(ScalarType::F64, 2.5)));
    EXPECT_EQ(constant_float_value(half), 2);
    auto wide = folded(*cast(ScalarType::F32, constant_int(ScalarType::I32, 16777217)));
    EXPECT_EQ(constant_float_value(wide), 16777216);
}

TEST(Fold, SixteenBitFloatsRoundOnce) {
    auto f16 = [](double value) { return constant_float(ScalarType::F16, value); };
    EXPECT_EQ(folded(*binary(Op::Add, f16(2048), f16(1)))->bits, f16(2048)->bits);
    EXPECT_EQ(folded(*binary(Op::Divide, f16(1), f16(3)))->bits, 0x3555u);
    EXPECT_EQ(folded(*binary(Op::Subtract, f16(HUGE_VAL), f16(HUGE_VAL)))->bits, 0x7e00u);
    // (1 + 2^-10)^2 - (1 + 2^-9) is 2^-20; the product alone would round it away.
    auto one = constant_bits(ScalarType::F16, 0x3c01),
         product = constant_bits(ScalarType::F16, 0xbc02);
    EXPECT_EQ(folded(*fma(one, one, product))->bits, 0x0010u);
    EXPECT_EQ(folded(*cast(ScalarType::BF16, constant_int(ScalarType::I32, 16842753)))->bits,
              0x4b81u);
    EXPECT_EQ(folded(*cast(ScalarType::F32, constant_bits(ScalarType::BF16, 0x3f80)))->bits,
              0x3f800000u);
}

TEST(Fold, BitsOfFloats) {
    auto bits_of = [](double value) {
        return folded(*reinterpret(ScalarType::U32, constant_float(ScalarType::F32, value)))->bits;
    };
    EXPECT_EQ(bits_of(-0.0), 0x80000000u);
    EXPECT_EQ(
        folded(*reinterpret(ScalarType::U32, constant_bits(ScalarType::F32, 0xffc01234)))->bits,
        0x7fc00000u); // all NaNs are one NaN
    auto one =
        folded(*reinterpret(ScalarType::F64, constant_bits(ScalarType::U64, 0x3ff0000000000000)));
    EXPECT_EQ(constant_float_value(one), 1);
}

TEST(Fold, LeavesWhatItMustNotFold) {
    EXPECT_FALSE(folded(*binary(Op::Add, variable("x"), constant_int(ScalarType::I32, 1))));
    EXPECT_FALSE(folded(*call("exp", {constant_float(ScalarType::F32, 1)})));
    EXPECT_FALSE(folded(*cast(ScalarType::I32, constant_float(ScalarType::F32, 1))));
}

} // namespace
} // namespace loopscope::lower
