#include "core/language/fold.h"

#include "core/language/exact.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace loopscope {
namespace test_fold {

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

// ---- 16-bit floats: every operation is that of exact arithmetic, rounded once ----

std::vector<T> half_types() { return {T::F16, T::BF16}; }

std::uint64_t infinity(T type, bool negative) {
    return constant_float(type, negative ? -HUGE_VAL : HUGE_VAL)->bits;
}

// The exact value rounded by other code, that of decimal constants.
std::uint64_t rounded(const mpq_class& exact, T type) {
    return bits_as(Exact::decimal(exact), type).value_or(infinity(type, sgn(exact) < 0));
}

// Finite values of all sizes, neighbours of powers of two among them.
std::vector<ExprPtr> half_samples(T type) {
    std::mt19937 random(7);
    std::vector<ExprPtr> out;
    for (double v : {1.0, 1.5, 3.0, 1000.0, 6e-8, 65504.0})
        out.push_back(constant_float(type, v));
    while (out.size() < 220) {
        auto e = constant_bits(type, random() & 0xffff);
        double value = constant_float_value(e);
        if (std::isfinite(value) && value != 0)
            out.push_back(e);
    }
    return out;
}

mpq_class exact_value(const ExprPtr& e) { return mpq_class(constant_float_value(e)); }

TEST(Fold, ArithmeticOnHalvesRoundsOnce) {
    for (auto type : half_types()) {
        auto samples = half_samples(type);
        for (const auto& a : samples)
            for (const auto& b : samples) {
                auto x = exact_value(a), y = exact_value(b);
                auto place = to_text(a) + ", " + to_text(b);
                if (x + y != 0) {
                    ASSERT_EQ(fold(binary(Op::Add, a, b))->bits, rounded(x + y, type)) << place;
                }
                ASSERT_EQ(fold(binary(Op::Multiply, a, b))->bits & 0x7fff,
                          rounded(abs(x * y), type))
                    << place;
                ASSERT_EQ(fold(binary(Op::Divide, a, b))->bits & 0x7fff, rounded(abs(x / y), type))
                    << place;
            }
    }
}

TEST(Fold, FmaOfHalvesRoundsOnce) {
    for (auto type : half_types()) {
        auto samples = half_samples(type);
        std::mt19937 random(11);
        auto one = [&] { return samples[random() % samples.size()]; };
        for (int i = 0; i < 20'000; ++i) {
            auto a = one(), b = one(), c = one();
            mpq_class exact = exact_value(a) * exact_value(b) + exact_value(c);
            if (exact != 0) {
                ASSERT_EQ(fold(fma(a, b, c))->bits & 0x7fff, rounded(abs(exact), type))
                    << to_text(a) << ", " << to_text(b) << ", " << to_text(c);
            }
        }
    }
}

TEST(Fold, RootsOfHalvesAreTheNearest) {
    for (auto type : half_types())
        for (std::uint64_t bits = 1; bits < infinity(type, false); ++bits) {
            auto x = exact_value(constant_bits(type, bits));
            auto root = fold(unary(Op::Sqrt, constant_bits(type, bits)))->bits;
            auto near = exact_value(constant_bits(type, root));
            mpq_class below = (near + exact_value(constant_bits(type, root - 1))) / 2;
            mpq_class above = (near + exact_value(constant_bits(type, root + 1))) / 2;
            ASSERT_TRUE(below * below <= x && x <= above * above) << name(type) << " " << bits;
        }
}

TEST(Fold, CastsToHalvesRoundOnceFromEveryType) {
    // 2^53 + 2^45 + 1 lies above the middle of two neighbours of 8 bits, which a double cannot
    // tell.
    std::int64_t value = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
    EXPECT_EQ(fold(cast(T::BF16, i(value, T::I64)))->bits,
              rounded(mpq_class(std::to_string(value)), T::BF16));
    EXPECT_EQ(constant_float_value(fold(cast(T::F16, i(2049)))), 2048);
    EXPECT_EQ(constant_float_value(fold(cast(T::F16, f(65519)))), 65504);
    EXPECT_EQ(constant_float_value(fold(cast(T::F16, f(65520)))), HUGE_VAL);
    EXPECT_EQ(constant_float_value(fold(cast(T::F16, i(-70000)))), -HUGE_VAL);
    EXPECT_EQ(constant_float_value(fold(cast(T::BF16, i(-1, T::U64)))), 0x1p64);
    EXPECT_EQ(fold(cast(T::I32, constant_float(T::F16, -2.5)))->bits,
              static_cast<std::uint64_t>(-2));
    EXPECT_EQ(fold(cast(T::F32, constant_float(T::BF16, 0.1)))->bits, 0x3dcd0000u);
}

TEST(Fold, OtherOperationsOnHalves) {
    auto h = [](double value) { return constant_float(T::F16, value); };
    auto nan = constant_bits(T::F16, 0xfe01); // negative, with a payload
    EXPECT_EQ(fold(unary(Op::Negate, nan))->bits, 0x7e00u);
    EXPECT_EQ(fold(binary(Op::Add, nan, h(1)))->bits, 0x7e00u);
    EXPECT_EQ(fold(binary(Op::Min, nan, h(1)))->bits, 0x7e00u);
    EXPECT_EQ(fold(binary(Op::Min, h(0), h(-0.0)))->bits, 0x8000u);
    EXPECT_EQ(fold(unary(Op::Round, h(2.5)))->bits, h(2)->bits);
    EXPECT_EQ(fold(unary(Op::Floor, h(-0.25)))->bits, h(-1)->bits);
    EXPECT_EQ(fold(binary(Op::Less, h(1), h(2)))->bits, 1u);
    EXPECT_EQ(fold(reinterpret(T::U16, h(1)))->bits, 0x3c00u);
    EXPECT_EQ(fold(reinterpret(T::U16, nan))->bits, 0x7e00u);
    EXPECT_EQ(fold(reinterpret(T::F16, i(0x3c00, T::U16)))->bits, 0x3c00u);
}

TEST(Fold, FmaOfWideFloatsRoundsOnce) {
    // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: rounding the product loses its last bit.
    EXPECT_EQ(constant_float_value(fold(fma(f(1 + 0x1p-12), f(1 + 0x1p-12), f(-1)))),
              0x1p-11 + 0x1p-24);
    EXPECT_EQ(constant_float_value(
                  fold(fma(f(1 + 0x1p-27, T::F64), f(1 + 0x1p-27, T::F64), f(-1, T::F64)))),
              0x1p-26 + 0x1p-54);
}

TEST(Fold, CallsEvaluateThePrelude) {
    for (auto type : {T::F16, T::BF16, T::F32, T::F64}) {
        EXPECT_EQ(constant_float_value(fold(call("exp", {f(0, type)}))), 1) << name(type);
        EXPECT_EQ(constant_float_value(fold(call("cos", {f(0, type)}))), 1) << name(type);
        EXPECT_EQ(constant_float_value(fold(call("pow", {f(2, type), f(3, type)}))), 8)
            << name(type);
    }
    EXPECT_NEAR(constant_float_value(fold(call("log", {f(10, T::F64)}))), std::log(10.0), 1e-14);
    EXPECT_NEAR(constant_float_value(fold(call("erf", {f(0.5)}))), std::erf(0.5), 1e-6);
    auto x = variable("x", T::F32);
    EXPECT_EQ(fold(call("exp", {x}))->kind, ExprKind::Call);
}

} // namespace test_fold
} // namespace loopscope
