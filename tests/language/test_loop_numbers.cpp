// fmin and fmax, of which a NaN is no operand, and casts that saturate: what they become, of
// constants too, and what is refused.
#include "tests/language/loop_support.h"

#include <cmath>

namespace loopscope::test {
namespace test_loop_numbers {

using T = ScalarType;

std::uint64_t bits_of(const std::string& type, const std::string& expression) {
    auto pipeline = loaded(around("const C: " + type + " = " + expression + "\nstage s[i] = C"));
    auto e = pipeline->find("s")->definitions.at(0).values.at(0);
    EXPECT_TRUE(is_constant(e)) << expression << " is " << to_text(e);
    return e->bits;
}

TEST(LoopNumbers, ANanIsNoOperandOfFmin) {
    EXPECT_EQ(value_text("fmin(a[i], 2)"),
              "let number = a[i] in select(number != number, 2.0, min(number, 2.0))");
    EXPECT_EQ(value_text("fmax(a[i], a[i + 1])"),
              "let number = a[i] in let number_1 = a[i + 1] in select(number != number, number_1, "
              "select(number_1 != number_1, number, max(number, number_1)))");
    EXPECT_EQ(value_type("fmin(f16(a[i]), 1, f16(b[i]))"), T::F16);
    loaded(around("stage s[number] = fmin(a[number], a[number + 1])"));
}

// In every type, of typed constants and of exact ones.
TEST(LoopNumbers, OfConstants) {
    for (const std::string type : {"f16", "bf16", "f32", "f64"}) {
        const auto typed = [&](const std::string& v) { return type + "(" + v + ")"; };
        for (bool exact : {false, true}) {
            const auto v = [&](const std::string& text) { return exact ? text : typed(text); };
            EXPECT_EQ(bits_of(type, "fmin(" + v("nan") + ", " + v("2.5") + ")"),
                      bits_of(type, "2.5"));
            EXPECT_EQ(bits_of(type, "fmin(" + v("2.5") + ", " + v("nan") + ")"),
                      bits_of(type, "2.5"));
            EXPECT_EQ(bits_of(type, "fmax(" + v("nan") + ", " + v("nan") + ")"),
                      bits_of(type, "nan"));
            for (const char* minimum : {"min", "fmin"})
                for (const auto& [a, b] : {std::pair{"0.0", "-0.0"}, {"-0.0", "0.0"}})
                    EXPECT_EQ(bits_of(type, std::string(minimum) + "(" + v(a) + ", " + v(b) + ")"),
                              bits_of(type, "-0.0"));
            for (const char* maximum : {"max", "fmax"})
                for (const auto& [a, b] : {std::pair{"0.0", "-0.0"}, {"-0.0", "0.0"}})
                    EXPECT_EQ(bits_of(type, std::string(maximum) + "(" + v(a) + ", " + v(b) + ")"),
                              bits_of(type, "0.0"));
            EXPECT_EQ(bits_of(type, "clamp(" + v("-0.0") + ", " + v("0.0") + ", " + v("1.0") + ")"),
                      bits_of(type, "0.0"));
            EXPECT_EQ(bits_of(type, "min(" + v("0") + ", " + v("-0.0") + ")"),
                      bits_of(type, "-0.0"));
        }
    }
}

TEST(LoopNumbers, SaturatingCastsAreClampsAndCasts) {
    EXPECT_EQ(value_text("saturate(u8, b[i])"), "u8(min(max(b[i], 0), 255))");
    EXPECT_EQ(value_text("saturate(i8, u[i])"), "i8(min(u[i], 127u8))");
    EXPECT_EQ(value_text("saturate(u64, b[i])"), "u64(max(b[i], 0))");
    EXPECT_EQ(value_text("saturate(i64, u64(b[i]))"),
              "i64(min(u64(b[i]), 9223372036854775807u64))");
    EXPECT_EQ(value_text("saturate(i32, u[i])"), "i32(u[i])");
    EXPECT_EQ(value_text("saturate(u8, a[i])"), "u8(a[i])");
    EXPECT_EQ(value_text("saturate(f16, a[i])"), "min(max(f16(a[i]), -65504.0f16), 65504.0f16)");
    EXPECT_EQ(value_text("saturate(f64, b[i])"), "f64(b[i])");
    loaded(around("stage s[i] = a[saturate(u8, b[i])]")); // which bounds an index
}

TEST(LoopNumbers, SaturatingCastsOfConstants) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"u8", "300", "255"},
        {"u8", "-3", "0"},
        {"u8", "300.7", "255"},
        {"i8", "-128.9", "-128"},
        {"i16", "40000", "32767"},
        {"u64", "-1", "0"},
        {"i64", "1e30", "9223372036854775807"},
        {"u32", "inf", "4294967295"},
        {"i32", "nan", "0"},
        {"f16", "100000", "65504"},
        {"f16", "-1e9", "-65504"},
        {"f16", "inf", "65504"},
        {"f16", "nan", "nan"},
        {"f16", "-0.0", "-0.0"},
        {"f32", "1e39", "3.40282346638528859811704183484516925440e38"},
        {"f64", "-1e400", "-1.7976931348623157e308"}};
    for (const auto& [type, value, expected] : cases) {
        const std::string call = "saturate(" + std::string(type) + ", " + value + ")";
        EXPECT_EQ(bits_of(type, call), bits_of(type, expected)) << call;
    }
    // As those of a typed value.
    EXPECT_EQ(bits_of("u8", "saturate(u8, 300i32)"), 255u);
    EXPECT_EQ(bits_of("f16", "saturate(f16, f32(1e9))"), bits_of("f16", "65504"));
    EXPECT_EQ(bits_of("bf16", "saturate(bf16, f64(inf))"), 0x7f7fu);
}

TEST(LoopNumbers, Refusals) {
    EXPECT_EQ(message("fmin(b[i], 3)"),
              "'fmin' is for floats, found i32; write min: an integer is never NaN");
    // Of whole numbers alone, too, which are integers unless a float stands where they do.
    EXPECT_EQ(message("fmin(1, 2)"),
              "'fmin' is for floats, found whole numbers; write min: an integer is never NaN");
    EXPECT_EQ(message("b[i] + fmax(3, 1, 2)"),
              "'fmax' is for floats, found whole numbers; write max: an integer is never NaN");
    EXPECT_EQ(bits_of("f32", "fmin(1, 2)"), bits_of("f32", "1"));
    EXPECT_EQ(value_type("fmin(1, 2.5)"), T::F32);
    EXPECT_EQ(message("fmax(a[i])"), "'fmax' takes 2 arguments, found 1; write fmax(a, b)");
    EXPECT_EQ(message("fmin(a[i], f64(b[i]))"),
              "'fmin' between f32 and f64; both must have one type: write f64(a[i])");
    EXPECT_EQ(message("saturate(a[i])"),
              "'saturate' takes 2 arguments, found 1; write saturate(u8, x)");
    EXPECT_EQ(message("saturate(a[i], u8)"),
              "the first argument of 'saturate' is a type of numbers, found 'a[i]'; write "
              "saturate(u8, x), with the type that the result has");
    EXPECT_EQ(message("saturate(bool, a[i])"),
              "the first argument of 'saturate' is a type of numbers, found 'bool'; write "
              "saturate(u8, x), with the type that the result has");
}

} // namespace test_loop_numbers
} // namespace loopscope::test
