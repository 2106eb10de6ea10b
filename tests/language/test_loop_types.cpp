// Typing rules: what constants become, what must have one type, and what the messages say.
#include "tests/language/loop_support.h"

namespace loopscope::test {
namespace test_loop_types {

using T = ScalarType;

TEST(LoopTypes, ConstantsTakeTheTypeOfTheOtherSide) {
    EXPECT_EQ(value_text("a[i] + 1"), "a[i] + 1.0");
    EXPECT_EQ(value_text("2*a[i]"), "2.0*a[i]");
    EXPECT_EQ(value_text("u[i] + 1"), "u[i] + 1u8");
    EXPECT_EQ(value_text("i64(b[i]) < 5"), "i64(b[i]) < 5i64");
    EXPECT_EQ(value_text("max(u[i], 3)"), "max(u[i], 3u8)");
    EXPECT_EQ(value_text("select(b[i] > 0, u[i], 255)"), "select(b[i] > 0, u[i], 255u8)");
    EXPECT_EQ(value_text("u[i] << 2"), "u[i] << 2u8");
}

TEST(LoopTypes, ConstantsAloneTakeTheAnnotationElseI32OrF32) {
    EXPECT_EQ(value_type("3"), T::I32);
    EXPECT_EQ(value_type("3.5"), T::F32);
    EXPECT_EQ(value_type("1e3"), T::F32);
    EXPECT_EQ(value_type("inf"), T::F32);
    EXPECT_EQ(value_type("3 > 2"), T::Bool);
    auto p = loaded(around(
        "stage s[i]: u16 = 3\nstage t[i]: f64 = select(b[i] > 0, 1, 0)\nstage r[i]: f32 = 7"));
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]), "3u16");
    EXPECT_EQ(to_text(p->find("t")->definitions[0].values[0]), "select(b[i] > 0, 1.0f64, 0.0f64)");
    EXPECT_EQ(to_text(p->find("r")->definitions[0].values[0]), "7.0");
}

TEST(LoopTypes, ASelectOfConstantsTakesTheTypeBesideIt) {
    EXPECT_EQ(value_text("select(b[i] > 0, 1, 2)*a[i]"), "select(b[i] > 0, 1.0, 2.0)*a[i]");
    EXPECT_EQ(value_text("a[i]*select(b[i] > 0, 1, 2)"), "a[i]*select(b[i] > 0, 1.0, 2.0)");
    EXPECT_EQ(value_text("u[i] + min(select(b[i] > 0, 1, 2), 3)"),
              "u[i] + min(select(b[i] > 0, 1u8, 2u8), 3u8)");
    EXPECT_EQ(value_text("select(b[i] > 0, 1, 2)"), "select(b[i] > 0, 1, 2)");
}

TEST(LoopTypes, SuffixesGiveTypes) {
    EXPECT_EQ(value_type("1u8"), T::U8);
    EXPECT_EQ(value_type("1f64"), T::F64);
    EXPECT_EQ(value_type("0.5f16"), T::F16);
    EXPECT_EQ(value_type("1bf16"), T::BF16);
    EXPECT_EQ(value_type("0xffu16"), T::U16);
    EXPECT_EQ(value_text("-128i8"), "-128i8");
    EXPECT_EQ(value_text("18446744073709551615u64"), "18446744073709551615u64");
    EXPECT_EQ(value_text("-9223372036854775808i64"), "-9223372036854775808i64");
    EXPECT_EQ(message("256u8"),
              "the constant 256 does not fit u8; use a wider type, or write a cast: u8(…) wraps");
    EXPECT_EQ(message("1q8"), "'q8' is no type suffix of a number; did you mean 'i8'?");
}

TEST(LoopTypes, TwoTypesAreAnErrorThatNamesTheCast) {
    EXPECT_EQ(message("a[i] + b[i]"),
              "'+' between f32 and i32; both must have one type: write f32(b[i])");
    EXPECT_EQ(message("u[i]*b[i]"),
              "'*' between u8 and i32; both must have one type: write i32(u[i])");
    EXPECT_EQ(message("max(a[i], f64(b[i]))"),
              "'max' between f32 and f64; both must have one type: write f64(a[i])");
    EXPECT_EQ(message("select(true, a[i], u[i])"),
              "'select' between f32 and u8; both must have one type: write f32(u[i])");
    EXPECT_EQ(message("clamp(a[i], b[i], 1)"),
              "'clamp' between f32 and i32; both must have one type: write f32(b[i])");
    EXPECT_EQ(message("u[i] << b[i]"),
              "'<<' between u8 and i32; both must have one type: write i32(u[i])");
    EXPECT_EQ(message("(a[i] > 0) == b[i]"),
              "'==' between bool and i32; compare the number, as in … != 0, or cast the bool");
}

TEST(LoopTypes, ConstantsThatDoNotFitAreErrors) {
    EXPECT_EQ(message("u[i] + 256"),
              "the constant 256 does not fit u8; use a wider type, or write a cast: u8(…) wraps");
    EXPECT_EQ(message("b[i] + 0.5"), "the decimal constant 0.5 stands beside i32; write f32(b[i])");
    EXPECT_EQ(message("3000000000"), "the constant 3000000000 does not fit i32; use a wider type, "
                                     "or write a cast: i32(…) wraps");
    EXPECT_EQ(message("a[i] + 1e39"), "the constant 1e+39 does not fit f32; use f64, or inf");
    EXPECT_EQ(
        message("9223372036854775808"),
        "the whole number does not fit 64 bits; a suffix u64 allows up to 18446744073709551615");
    for (const auto& beyond : {std::string("18446744073709551616"), std::string(900, '7'),
                               std::string("-9223372036854775809"), "0x1" + std::string(16, '0')})
        EXPECT_EQ(message(beyond), "the whole number does not fit 64 bits");
}

// Whatever is said to be right holds the constant.
TEST(LoopTypes, WhatIsSaidOfAConstantThatDoesNotFitIsRight) {
    for (const char* type : {"f16", "bf16", "f32", "f64"})
        for (const char* beyond : {"65536", "1e39", "-1e39", "3.3999e38", "1e400"}) {
            const std::string cast = std::string(type) + "(" + beyond + ")";
            // it fits
            if (load(around("stage s[i] = " + cast)))
                continue;
            const auto refused = message(cast);
            EXPECT_EQ(message(std::string(type) + "(a[i]) + " + beyond), refused)
                << "by itself and beside a typed value";
            EXPECT_EQ(value_type(std::string(type) + "(inf)"),
                      value_type(std::string(type) + "(1)"));
            const auto use = refused.find("; use ");
            EXPECT_EQ(use == std::string::npos, refused.ends_with("; write inf")) << refused;
            if (use != std::string::npos) {
                loaded(around("stage s[i] = " + refused.substr(use + 6, 3) + "(" + beyond + ")"));
            }
        }
    EXPECT_EQ(message("f64(1e400)"), "the constant 1e400 (about) does not fit f64; write inf");
    EXPECT_EQ(message("f16(1e39)"), "the constant 1e+39 does not fit f16; use f64, or inf");
    EXPECT_EQ(message("u64(b[i]) + (-1)"),
              "the constant -1 does not fit u64; use a signed type, or write a cast: u64(…) wraps");
}

TEST(LoopTypes, ArithmeticOnBoolIsAnError) {
    EXPECT_EQ(message("(a[i] > 0) + 1"), "arithmetic on bool: '+'; cast it: i32(…)");
    EXPECT_EQ(message("(a[i] > 0) & (b[i] > 0)"), "arithmetic on bool: '&'; write and");
    EXPECT_EQ(message("-(a[i] > 0)"), "arithmetic on bool: '-'; write not, or cast it: i32(…)");
    EXPECT_EQ(message("max(a[i] > 0, true)"), "arithmetic on bool: 'max'; cast it: i32(…)");
    EXPECT_EQ(message("sum[k in 0..2](a[k] > 0)"),
              "arithmetic on bool: 'sum'; cast it: i32(…), or use any or all");
    EXPECT_EQ(message("any[k in 0..2](a[k])"),
              "'any' needs bools, found f32; write a comparison, such as … != 0");
    EXPECT_EQ(message("a[i] and b[i] > 0"),
              "'and' needs bools, found f32; write comparisons, or & for the bits");
    EXPECT_EQ(message("not a[i]"),
              "'not' needs a bool, found f32; write a comparison, or ~ for the bits");
    EXPECT_EQ(
        message("select(b[i], 1, 2)"),
        "the condition of 'select' must be a bool, found i32; write a comparison, such as … != 0");
    EXPECT_EQ(value_text("(a[i] > 0) != (b[i] > 0)"), "(a[i] > 0.0) != (b[i] > 0)");
}

TEST(LoopTypes, OperatorsOfIntegersRefuseFloats) {
    EXPECT_EQ(message("a[i] % 2"), "'%' is for integers, found f32; write a - b*floor(a/b)");
    EXPECT_EQ(message("a[i] & 1"), "'&' is for integers, found f32; cast it: i32(…)");
    EXPECT_EQ(message("~a[i]"), "'~' needs an integer, found f32");
    EXPECT_EQ(message("floor(b[i])"), "'floor' is for floats, found i32; cast it: floor(f32(…))");
    EXPECT_EQ(message("sqrt(b[i])"), "'sqrt' is for floats, found i32; cast it: sqrt(f32(…))");
}

TEST(LoopTypes, FunctionsOfConstantsNeedATypedConst) {
    EXPECT_EQ(message("a[i]*sqrt(2.0)"), "'sqrt' of a constant is not exact and needs a type; "
                                         "write it into a typed const: const C: f32 = sqrt(…), "
                                         "or write sqrt(f32(…))");
    EXPECT_EQ(value_text("a[i]*sqrt(f32(2))"), "a[i]*sqrt(2.0)");
    EXPECT_EQ(value_text("a[i]*abs(-2)*max(1, 2.5)*floor(7.5)"), "a[i]*2.0*2.5*7.0");
}

TEST(LoopTypes, CastsOfConstantsWrapAndRound) {
    EXPECT_EQ(value_text("u8(300)"), "44u8");
    EXPECT_EQ(value_text("u8(-1)"), "255u8");
    EXPECT_EQ(value_text("i64(3000000000)"), "3000000000i64");
    EXPECT_EQ(value_text("f32(0.1)"), "0.1");
    EXPECT_EQ(value_text("i32(-2.7)"), "-2");
    EXPECT_EQ(value_text("bool(0.5)"), "true");
}

TEST(LoopTypes, OperatorPrecedence) {
    EXPECT_EQ(value_text("b[i] + i*2 - b[0] % 3"), "b[i] + i*2 - b[0]%3");
    EXPECT_EQ(value_text("b[i] << 1 + i & 3 ^ 5 | b[0]"), "b[i] << 1 + i & 3 ^ 5 | b[0]");
    EXPECT_EQ(value_text("(b[i] | 1) & 3"), "(b[i] | 1) & 3");
    EXPECT_EQ(value_text("not b[i] < 3 and i > 2 or u[i] == 1"),
              "not b[i] < 3 and i > 2 or u[i] == 1u8");
    EXPECT_EQ(value_text("-b[i]*2"), "-b[i]*2");
    EXPECT_EQ(value_text("2**3**2 + b[i]"), "512 + b[i]");
    EXPECT_EQ(value_text("-2**2 + b[i]"), "-4 + b[i]");
    EXPECT_EQ(value_text("2.0**-2*a[i]"), "0.25*a[i]");
    EXPECT_EQ(value_text("7/2*2 + b[i]"), "6 + b[i]");
    EXPECT_EQ(message("1 < b[i] < 3"), "comparisons do not chain; write a < b and b < c");
    EXPECT_EQ(
        message("b[i] + not true"),
        "'not' binds less tightly than the operator before it; put it in parentheses: (not …)");
}

TEST(LoopTypes, PowersOfTypedValuesAreMultiplications) {
    EXPECT_EQ(value_text("i**3"), "i*i*i");
    EXPECT_EQ(value_text("a[i]**0"), "1.0");
    EXPECT_EQ(value_text("a[i]**1"), "a[i]");
    EXPECT_EQ(value_text("a[i]**5"),
              "let power = a[i] in let power_1 = power*power in power_1*power_1*power");
    EXPECT_EQ(value_text("i**4"), "let power = i*i in power*power");
    EXPECT_EQ(message("a[i]**-1"), "a negative exponent on a value of type f32; write 1 / (…)**1");
    EXPECT_EQ(message("a[i]**0.5"),
              "the exponent of '**' must be a whole constant; write sqrt(…) for a square root");
    EXPECT_EQ(
        message("a[i]**i"),
        "'i' is not known at load; ranges, extents and templates are constants; to leave out some "
        "iterations use 'where'");
}

TEST(LoopTypes, FunctionsExpand) {
    EXPECT_EQ(value_text("clamp(b[i], 0, 7)"), "min(max(b[i], 0), 7)");
    EXPECT_EQ(value_text("min(a[i], 1, 2.5)"), "min(min(a[i], 1.0), 2.5)");
    EXPECT_EQ(value_text("round(a[i]) + abs(-a[i])"), "round(a[i]) + abs(-a[i])");
    EXPECT_EQ(message("clamp(a[i], 1)"),
              "'clamp' takes 3 arguments, found 2; write clamp(x, least, greatest)");
    EXPECT_EQ(message("abs()"), "'abs' takes 1 argument, found 0; write abs(x)");
}

TEST(LoopTypes, DivisionOfConstantsByZeroIsAnError) {
    EXPECT_EQ(message("a[i]*(1/0)"), "division of a constant by zero");
    EXPECT_EQ(value_text("b[i]/0"), "b[i]/0");
}

TEST(LoopTypes, TheStagesTypeIsInferredOrChecked) {
    EXPECT_EQ(value_type("f64(a[i]) + 1"), T::F64);
    EXPECT_EQ(errors(around("stage s[i]: u8 = a[i]")),
              "t.loop:6:18: error: the stage is declared u8, but its expression is f32; write "
              "u8(…), or declare f32\n"
              "stage s[i]: u8 = a[i]\n"
              "                 ^\n");
}

TEST(LoopTypes, MinusZeroInfinityAndNan) {
    EXPECT_EQ(value_text("a[i] + -0.0"), "a[i] + -0.0");
    EXPECT_EQ(value_text("max(a[i], -inf)"), "max(a[i], -inf)");
    EXPECT_EQ(value_text("f64(nan)"), "f64(nan)");
    EXPECT_EQ(message("a[i] + 2*inf"), "arithmetic on inf and nan needs a type; write f32(inf)");
}

} // namespace test_loop_types
} // namespace loopscope::test
