#include "core/language/exact.h"

#include "core/ir/expr.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace loopscope {
namespace test_exact {

using T = ScalarType;

Exact number(const std::string& text) {
    auto parsed = parse_number(text);
    EXPECT_TRUE(parsed.value.has_value()) << text << ": " << parsed.error;
    return parsed.value.value_or(Exact::whole(0));
}

Exact result(ExactOp op, const std::string& a, const std::string& b) {
    auto r = apply(op, number(a), number(b));
    EXPECT_TRUE(r.value.has_value()) << r.error;
    return r.value.value_or(Exact::whole(0));
}

std::string failure(ExactOp op, const std::string& a, const std::string& b) {
    return apply(op, number(a), number(b)).error;
}

double as_f64(const std::string& text) {
    return std::bit_cast<double>(bits_as(number(text), T::F64).value());
}
float as_f32(const std::string& text) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits_as(number(text), T::F32).value()));
}

TEST(Exact, WholeNumbersHave64Bits) {
    EXPECT_EQ(number("9223372036854775807").value(), std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(number("0x7fffffffffffffff").value(), std::numeric_limits<std::int64_t>::max());
    EXPECT_FALSE(parse_number("9223372036854775808").value);
    EXPECT_EQ(parse_unsigned("18446744073709551615"), ~std::uint64_t{0});
    EXPECT_EQ(parse_unsigned("18446744073709551616"), std::nullopt);
    EXPECT_EQ(failure(ExactOp::Add, "9223372036854775807", "1"),
              "the constant's value does not fit 64 bits");
    EXPECT_EQ(failure(ExactOp::Multiply, "4294967296", "4294967296"),
              "the constant's value does not fit 64 bits");
}

TEST(Exact, DivisionAndModuloFloor) {
    EXPECT_EQ(result(ExactOp::Divide, "7", "2").value(), 3);
    auto minus_seven = *apply(ExactFunction::Negate, number("7")).value;
    EXPECT_EQ(apply(ExactOp::Divide, minus_seven, number("2")).value->value(), -4);
    EXPECT_EQ(apply(ExactOp::Modulo, minus_seven, number("2")).value->value(), 1);
    EXPECT_EQ(result(ExactOp::Modulo, "7.5", "2").rational(), mpq_class(3, 2));
    EXPECT_EQ(failure(ExactOp::Divide, "7", "0"), "division of a constant by zero");
    EXPECT_EQ(failure(ExactOp::Divide, "7.5", "0.0"), "division of a constant by zero");
}

TEST(Exact, DecimalsAreRational) {
    EXPECT_EQ(result(ExactOp::Divide, "1.0", "3").rational(), mpq_class(1, 3));
    EXPECT_EQ(result(ExactOp::Add, "0.1", "0.2").rational(), number("0.3").rational());
    EXPECT_EQ(number("1.5e-3").rational(), mpq_class(3, 2000));
    EXPECT_EQ(number("2e3").kind(), Exact::Kind::Decimal);
}

TEST(Exact, RoundingToFloatsIsToNearestEven) {
    // strtod and strtof round correctly too, independently of this code.
    for (const char* text :
         {"0.1", "0.2", "0.3", "16777217", "16777219", "9007199254740993", "1e-45", "1.4e-45",
          "7e-46", "3.4028235e38", "1.1754943e-38", "1.1754942e-38", "4.9e-324",
          "2.4703282292062328e-324", "2.2250738585072011e-308", "1.7976931348623157e308",
          "123456789.123456789", "0.5", "1e23"}) {
        EXPECT_EQ(as_f64(text), std::strtod(text, nullptr)) << text;
        if (std::isfinite(std::strtof(text, nullptr))) {
            EXPECT_EQ(as_f32(text), std::strtof(text, nullptr)) << text;
        }
    }
}

TEST(Exact, RandomDecimalsRoundLikeTheLibrary) {
    std::mt19937_64 random(20);
    for (int i = 0; i < 2'000; ++i) {
        auto text = std::to_string(random() % 1'000'000'000'000) + "." + std::to_string(random()) +
                    "e" + std::to_string(static_cast<int>(random() % 600) - 320);
        double expected = std::strtod(text.c_str(), nullptr);
        auto bits = bits_as(number(text), T::F64);
        ASSERT_EQ(bits.has_value(), std::isfinite(expected)) << text;
        EXPECT_EQ(std::bit_cast<double>(bits.value_or(0)), bits ? expected : 0) << text;
        float narrow = std::strtof(text.c_str(), nullptr);
        auto narrow_bits = bits_as(number(text), T::F32);
        ASSERT_EQ(narrow_bits.has_value(), std::isfinite(narrow)) << text;
        EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(narrow_bits.value_or(0))),
                  narrow_bits ? narrow : 0)
            << text;
    }
}

TEST(Exact, WhatDoesNotFitATypeIsRefused) {
    EXPECT_TRUE(bits_as(number("255"), T::U8));
    EXPECT_FALSE(bits_as(number("256"), T::U8));
    EXPECT_FALSE(bits_as(Exact::whole(-1), T::U64));
    EXPECT_FALSE(bits_as(number("0.5"), T::I32));
    EXPECT_FALSE(bits_as(number("1"), T::Bool));
    EXPECT_FALSE(bits_as(number("1e39"), T::F32));
    EXPECT_EQ(bits_as(Exact::infinity(true), T::F32), 0xff800000u);
    EXPECT_EQ(bits_as(Exact::not_a_number(), T::F64), 0x7ff8000000000000u);
}

TEST(Exact, CastsWrapAndSaturate) {
    EXPECT_EQ(bits_cast(number("300"), T::U8), 44u);
    EXPECT_EQ(bits_cast(Exact::whole(-1), T::U8), 255u);
    EXPECT_EQ(bits_cast(number("2.9"), T::I32), 2u);
    EXPECT_EQ(bits_cast(*apply(ExactFunction::Negate, number("2.9")).value, T::I8),
              static_cast<std::uint64_t>(-2));
    EXPECT_EQ(bits_cast(number("1e30"), T::U8), 255u);
    EXPECT_EQ(bits_cast(number("1e30"), T::U64), ~std::uint64_t{0});
    EXPECT_EQ(bits_cast(number("1.9e19"), T::U64), ~std::uint64_t{0});
    EXPECT_EQ(bits_cast(number("1.5e19"), T::U64), 15'000'000'000'000'000'000u);
    EXPECT_EQ(bits_cast(Exact::not_a_number(), T::I32), 0u);
    EXPECT_EQ(bits_cast(Exact::infinity(false), T::I16), 32767u);
    EXPECT_EQ(bits_cast(number("0.001"), T::Bool), 1u);
}

TEST(Exact, PowersAreExactAndBounded) {
    EXPECT_EQ(result(ExactOp::Power, "2", "62").value(), std::int64_t{1} << 62);
    EXPECT_EQ(result(ExactOp::Power, "1", "1099511627776").value(), 1);
    EXPECT_EQ(result(ExactOp::Power, "0", "0").value(), 1);
    EXPECT_EQ(result(ExactOp::Power, "0", "1099511627776").value(), 0);
    EXPECT_EQ(result(ExactOp::Power, "0.5", "3").rational(), mpq_class(1, 8));
    EXPECT_EQ(apply(ExactOp::Power, number("2.0"), Exact::whole(-1)).value->rational(),
              mpq_class(1, 2));
    EXPECT_EQ(failure(ExactOp::Power, "2", "63"), "the constant's value does not fit 64 bits");
    EXPECT_EQ(failure(ExactOp::Power, "2", "1099511627776"),
              "the constant's value does not fit 64 bits");
    EXPECT_EQ(failure(ExactOp::Power, "1.5", "1099511627776"),
              "the exact value of the constant needs more than 4,096 bits");
    EXPECT_EQ(apply(ExactOp::Power, number("2"), Exact::whole(-1)).remedy,
              "write a decimal base, as in 2.0**-1");
    EXPECT_EQ(failure(ExactOp::Power, "2.0", "0.5"),
              "the exponent of '**' must be a whole constant");
}

TEST(Exact, HostileLiteralsAreErrors) {
    EXPECT_EQ(parse_number("1e999999999").error, "the exponent is beyond ±1000");
    EXPECT_EQ(parse_number("1e99999999999999999999").error, "the exponent is beyond ±1000");
    EXPECT_EQ(parse_number(std::string(5'000, '9')).error, "a number has at most 1000 digits");
    EXPECT_EQ(parse_number("0x").error, "a hexadecimal number needs digits after 0x");
}

TEST(Exact, ShiftsAndBits) {
    EXPECT_EQ(result(ExactOp::ShiftLeft, "3", "4").value(), 48);
    EXPECT_EQ(result(ExactOp::ShiftRight, "48", "4").value(), 3);
    EXPECT_EQ(apply(ExactOp::ShiftRight, Exact::whole(-8), number("1000")).value->value(), -1);
    EXPECT_EQ(apply(ExactOp::ShiftLeft, number("48"), Exact::whole(-4)).value->value(), 3);
    EXPECT_EQ(failure(ExactOp::ShiftLeft, "1", "63"), "the constant's value does not fit 64 bits");
    EXPECT_EQ(result(ExactOp::BitXor, "12", "10").value(), 6);
    EXPECT_EQ(failure(ExactOp::BitAnd, "1.5", "1"), "bit operations are for whole constants");
}

TEST(Exact, RoundingsGiveWholeNumbers) {
    auto round = [](const std::string& text) {
        return apply(ExactFunction::Round, number(text)).value->value();
    };
    EXPECT_EQ(round("0.5"), 0);
    EXPECT_EQ(round("1.5"), 2);
    EXPECT_EQ(round("2.5"), 2);
    EXPECT_EQ(round("2.51"), 3);
    auto minus = *apply(ExactFunction::Negate, number("2.5")).value;
    EXPECT_EQ(apply(ExactFunction::Floor, minus).value->value(), -3);
    EXPECT_EQ(apply(ExactFunction::Ceil, minus).value->value(), -2);
}

TEST(Exact, MinusZeroKeepsItsSign) {
    auto zero = *apply(ExactFunction::Negate, number("0.0")).value;
    EXPECT_TRUE(zero.is_negative_zero());
    EXPECT_EQ(bits_as(zero, T::F32), 0x80000000u);
    EXPECT_EQ(bits_as(*apply(ExactFunction::Negate, zero).value, T::F32), 0u);
    EXPECT_EQ(bits_as(*apply(ExactOp::Add, zero, zero).value, T::F32), 0u);
}

TEST(Exact, ComparisonOrdersWholeAndDecimal) {
    EXPECT_EQ(compare(number("1"), number("1.0")), 0);
    EXPECT_EQ(compare(number("1"), number("1.5")), -1);
    EXPECT_EQ(compare(Exact::infinity(true), number("1")), -1);
    EXPECT_EQ(compare(Exact::not_a_number(), number("1")), std::nullopt);
}

TEST(Exact, HalvesRoundOnceAndMustFit) {
    EXPECT_EQ(bits_as(number("0.1"), T::F16), 0x2e66u);
    EXPECT_EQ(bits_as(number("0.1"), T::BF16), 0x3dcdu);
    EXPECT_EQ(bits_as(number("65519.99"), T::F16), 0x7bffu);
    EXPECT_EQ(bits_as(number("65520"), T::F16), std::nullopt);
    EXPECT_EQ(bits_as(number("3.3962e38"), T::BF16), std::nullopt);
    EXPECT_EQ(bits_as(number("3.39e38"), T::BF16), 0x7f7fu);
    EXPECT_EQ(bits_as(number("2.98023223876953125e-8"), T::F16), 0u); // half the least: to even
    EXPECT_EQ(bits_as(number("2.98023223876953126e-8"), T::F16), 1u);
    // The middle of two f16 and a little more, which an f64 cannot tell from the middle.
    EXPECT_EQ(bits_as(number("2049"), T::F16), 0x6800u);
    EXPECT_EQ(bits_as(number("2049.0000000000000000001"), T::F16), 0x6801u);
    EXPECT_EQ(bits_as(Exact::not_a_number(), T::F16), 0x7e00u);
    EXPECT_EQ(bits_as(Exact::infinity(true), T::BF16), 0xff80u);
    EXPECT_EQ(bits_as(Exact::negative_zero(), T::F16), 0x8000u);
}

// The text of every 16-bit float reads back as the same bits.
TEST(Exact, TheTextOfEveryHalfReadsBack) {
    for (auto type : {T::F16, T::BF16})
        for (std::uint64_t bits = 0; bits < 0x8000; ++bits) {
            auto e = constant_bits(type, bits);
            if (!std::isfinite(constant_float_value(e)))
                continue;
            auto text = to_text(e); // the parts are views of it
            auto [digits, suffix] = split_number(text);
            ASSERT_EQ(suffix, name(type));
            ASSERT_EQ(bits_as(number(std::string(digits)), type), bits) << digits;
        }
    EXPECT_EQ(to_text(constant_float(T::F16, 65504)), "65504.0f16");
    EXPECT_EQ(to_text(constant_bits(T::F16, 1)), "6e-08f16");
    EXPECT_EQ(to_text(constant_float(T::BF16, 0.1)), "0.1bf16");
}

} // namespace test_exact
} // namespace loopscope
