// Ranges of floats, as far as indices made from them need.

#include "core/ir/float_range.h"
#include "core/ir/value_ranges.h"

#include <gtest/gtest.h>

#include <random>

namespace loopscope {
namespace test_float_range {

using T = ScalarType;

ExprPtr v(const char* name, T type = T::I32) { return variable(name, type); }
ExprPtr f32(double value) { return constant_float(T::F32, value); }

std::optional<Interval> range(const ExprPtr& e, Interval n) {
    return float_range_of(
        e, [n](const std::string& name) { return name == "n" ? std::optional(n) : std::nullopt; },
        [](const std::string& stage, int) {
            return stage == "bounded" ? std::optional(Interval{-2, 9}) : std::nullopt;
        });
}

ExprPtr number() { return cast(T::F32, v("n")); }

TEST(FloatRange, SumsAndProducts) {
    auto unit = binary(Op::Subtract, binary(Op::Multiply, number(), f32(1.0 / 32768)), f32(1));
    EXPECT_EQ(range(unit, {0, 65535}), (Interval{-1, 1})) << "exact ends stay as they are";
    EXPECT_EQ(range(binary(Op::Multiply, unit, f32(9)), {0, 65535}), (Interval{-9, 9}));
    EXPECT_EQ(range(binary(Op::Multiply, number(), number()), {-3, 2}), (Interval{-6, 9}))
        << "that both are one value is not seen";
    auto load_it = load("bounded", T::F32, {v("n")});
    EXPECT_EQ(range(binary(Op::Add, load_it, f32(0.5)), {0, 1}), (Interval{-2, 10}));
}

// The halves of a number made by scrambling another.
TEST(FloatRange, HighBitsOfAnUnsignedNumber) {
    auto scrambled = binary(Op::Multiply, v("u", T::U32), constant_int(T::U32, 0x7feb352d));
    auto high = binary(Op::ShiftRight, scrambled, constant_int(T::U32, 16));
    EXPECT_EQ(range(cast(T::F32, high), {0, 0}), (Interval{0, 65535}));
}

TEST(FloatRange, WhatMayBeNaNOrInfiniteHasNone) {
    auto unknown = load("unbounded", T::F32, {v("n")});
    EXPECT_FALSE(range(unknown, {0, 1}));
    EXPECT_FALSE(range(binary(Op::Multiply, unknown, f32(0)), {0, 1}));
    auto infinity = f32(std::numeric_limits<double>::infinity());
    EXPECT_FALSE(range(binary(Op::Subtract, infinity, infinity), {0, 1}));
    EXPECT_FALSE(range(binary(Op::Multiply, f32(3e38), f32(3e38)), {0, 1}));
}

// Each operation rounded, or both contracted into one: no value lies beyond.
TEST(FloatRange, HoldsHoweverItIsRounded) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> factor(-3, 3);
    for (int trial = 0; trial < 500; ++trial) {
        float a = factor(random), b = factor(random);
        // The cast keeps what interval arithmetic rounds to whole numbers apart: 1000 times the
        // value.
        auto e = binary(Op::Multiply,
                        binary(Op::Add, binary(Op::Multiply, number(), f32(a)), f32(b)), f32(1e6));
        auto bounds = range(e, {0, 10});
        ASSERT_TRUE(bounds);
        for (int n = 0; n <= 10; ++n) {
            float x = static_cast<float>(n);
            volatile float product = x * a;
            for (float value : {(product + b) * 1e6F, std::fma(x, a, b) * 1e6F}) {
                EXPECT_GE(value, static_cast<float>(bounds->least));
                EXPECT_LE(value, static_cast<float>(bounds->greatest));
            }
        }
    }
}

} // namespace test_float_range
} // namespace loopscope
