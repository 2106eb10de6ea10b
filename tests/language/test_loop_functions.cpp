// The functions that round, the bits of floats, and the 16-bit floats.
#include "tests/language/loop_support.h"

#include <cmath>

namespace loopscope::test {
namespace test_loop_functions {

using T = ScalarType;

ExprPtr value_of(const std::string& expression) {
    auto pipeline = loaded(around("stage s[i] = " + expression));
    return pipeline->find("s")->definitions.at(0).values.at(0);
}

// The constant that a typed const becomes.
ExprPtr constant_of(const std::string& type, const std::string& expression) {
    auto pipeline = loaded(around("const C: " + type + " = " + expression + "\nstage s[i] = C"));
    auto e = pipeline->find("s")->definitions.at(0).values.at(0);
    EXPECT_TRUE(is_constant(e)) << to_text(e);
    return e;
}

TEST(LoopFunctions, ThoseOfThePreludeAreCalls) {
    for (const char* function : {"exp", "log", "tanh", "erf", "sin", "cos", "rsqrt"})
        for (const char* type : {"f16", "bf16", "f32", "f64"}) {
            auto text = std::string(function) + "(" + type + "(b[i]))";
            auto e = value_of(text);
            EXPECT_EQ(to_text(e), text);
            EXPECT_EQ(e->kind, ExprKind::Call);
            EXPECT_EQ(e->name, function);
            EXPECT_EQ(name(e->type), std::string(type));
        }
    EXPECT_EQ(value_text("pow(a[i], 2)"), "pow(a[i], 2.0)");
    EXPECT_EQ(value_text("pow(2, f64(a[i]))"), "pow(2.0f64, f64(a[i]))");
    EXPECT_EQ(value_text("exp(select(i > 3, 1.0, 2.0))*f64(a[i])"),
              "exp(select(i > 3, 1.0f64, 2.0f64))*f64(a[i])");
}

TEST(LoopFunctions, FmaTakesFloatsOfOneType) {
    EXPECT_EQ(value_text("fma(a[i], 2, a[i+1])"), "fma(a[i], 2.0, a[i + 1])");
    EXPECT_EQ(value_type("fma(1, f16(a[i]), 0.5)"), T::F16);
    EXPECT_EQ(value_of("fma(a[i], 2, 1)")->kind, ExprKind::Fma);
}

TEST(LoopFunctions, BitsAreUnsignedOfTheSameWidth) {
    EXPECT_EQ(value_type("bits(a[i])"), T::U32);
    EXPECT_EQ(value_type("bits(f64(a[i]))"), T::U64);
    EXPECT_EQ(value_type("bits(f16(a[i]))"), T::U16);
    EXPECT_EQ(value_type("bits(bf16(a[i]))"), T::U16);
    EXPECT_EQ(value_text("bits(a[i]) >> 31"), "bits(a[i]) >> 31u32");
}

TEST(LoopFunctions, FromBitsTakesTheUnsignedOfItsWidth) {
    EXPECT_EQ(value_text("from_bits(f32, 0x3f800000)"), "from_bits(f32, 1065353216u32)");
    EXPECT_EQ(value_text("from_bits(bf16, select(i > 0, 1, 2))"),
              "from_bits(bf16, select(i > 0, 1u16, 2u16))");
    EXPECT_EQ(value_type("from_bits(f64, u64(b[i]))"), T::F64);
    EXPECT_EQ(value_type("from_bits(f16, u16(b[i]))"), T::F16);
}

TEST(LoopFunctions, TypedConstsAreComputedAtLoad) {
    EXPECT_EQ(
        constant_of("f32", "fma(0.1, 0.1, -0.01)")->bits,
        constant_of("f32", "from_bits(f32, bits(fma(f32(0.1), f32(0.1), f32(-0.01))))")->bits);
    EXPECT_EQ(constant_of("u32", "bits(f32(1))")->bits, 0x3f800000u);
    EXPECT_EQ(constant_of("u16", "bits(f16(-2))")->bits, 0xc000u);
    EXPECT_EQ(constant_of("u16", "bits(bf16(1))")->bits, 0x3f80u);
    EXPECT_EQ(constant_of("f64", "from_bits(f64, 0x4000000000000000)")->bits, 0x4000000000000000u);
    EXPECT_EQ(to_text(constant_of("f16", "sqrt(2)")), "1.414f16");
    EXPECT_EQ(to_text(constant_of("f16", "exp(1)")), "2.719f16");
    EXPECT_NEAR(constant_float_value(constant_of("f64", "exp(1)")), std::exp(1.0), 1e-14);
    EXPECT_NEAR(constant_float_value(constant_of("f32", "pow(2, 0.5)*sin(0.5)")),
                std::sqrt(2.0) * std::sin(0.5), 1e-6);
    // What is known at load decides an `if`.
    auto p = loaded(around("if tanh(f32(1)) > 0.76 { stage s[i] = 1 } else { stage s[i] = 2 }"));
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]), "1");
}

TEST(LoopFunctions, ThereIsOneNan) {
    EXPECT_EQ(constant_of("u32", "bits(-f32(nan))")->bits, 0x7fc00000u);
    EXPECT_EQ(constant_of("u64", "bits(f64(nan))")->bits, 0x7ff8000000000000u);
    EXPECT_EQ(constant_of("u16", "bits(f16(nan))")->bits, 0x7e00u);
    EXPECT_EQ(constant_of("u16", "bits(bf16(nan))")->bits, 0x7fc0u);
    EXPECT_EQ(constant_of("f32", "from_bits(f32, 0xff800001)")->bits, 0x7fc00000u);
    EXPECT_EQ(constant_of("f16", "from_bits(f16, 0xfc01)")->bits, 0x7e00u);
    EXPECT_EQ(constant_of("f16", "from_bits(f16, 0xfc00)")->bits, 0xfc00u); // minus infinity
    EXPECT_EQ(constant_of("bf16", "-bf16(nan)")->bits, 0x7fc0u);
}

TEST(LoopHalf, ConstantsRoundOnceToTheirType) {
    EXPECT_EQ(value_text("f16(a[i])*0.1"), "f16(a[i])*0.1f16");
    EXPECT_EQ(value_of("0.1f16")->bits, 0x2e66u);
    EXPECT_EQ(value_of("0.1bf16")->bits, 0x3dcdu);
    EXPECT_EQ(value_text("f16(2)"), "2.0f16");
    // 2049 + 2^-60 lies above the middle of 2048 and 2050. An f64 would hold 2049, the middle,
    // which goes to 2048.
    EXPECT_EQ(value_text("f16(2049.0 + 2.0**-60)"), "2050.0f16");
    EXPECT_EQ(value_text("f16(2049.0)"), "2048.0f16");
    EXPECT_EQ(value_text("bf16(257.0 + 2.0**-60)"), "258.0bf16");
    auto p = loaded(around("const C: bf16 = 1.0/3\nconst D: bf16 = C + 1\nstage s[i] = D"));
    EXPECT_EQ(to_text(p->find("s")->definitions[0].values[0]), "1.336bf16");
}

TEST(LoopHalf, TheyAreTypesLikeOthers) {
    auto p = loaded("pipeline p\n"
                    "input a: f16[4, 5] boundary constant(-0.5)\n"
                    "input b[i]: bf16[4] boundary constant(nan)\n"
                    "stage s[i]: f16 = sum[k in 0..5](a[i, k]*f16(b[i]))\n"
                    "update s[i] max= 2.0**-24\n"
                    "stage t[i]: bf16 = bf16(s[i])**3 + 1\n"
                    "output t: [4]\n");
    EXPECT_EQ(p->find("a")->types, std::vector<ScalarType>{T::F16});
    EXPECT_EQ(to_text(p->find("a")->boundary.value), "-0.5f16");
    EXPECT_EQ(p->find("b")->boundary.value->bits, 0x7fc0u);
    EXPECT_EQ(p->find("t")->types, std::vector<ScalarType>{T::BF16});
}

TEST(LoopHalf, IndicesFromThemAreBounded) {
    std::string inputs = "pipeline p\ninput h[i]: f16[8]\ninput a[i]: f32[8]\n";
    loaded(inputs + "stage s[i] = a[i32(clamp(h[i], 0, 7.9))]\noutput s: [8]\n");
    loaded(inputs + "stage lut[v] = v*v\nstage s[i] = lut[bits(h[i])]\noutput s: [8]\n");
    EXPECT_NE(
        errors(inputs + "stage s[i] = a[i32(h[i])]\noutput s: [8]\n").find("cannot be bounded"),
        std::string::npos);
}

} // namespace test_loop_functions
} // namespace loopscope::test
