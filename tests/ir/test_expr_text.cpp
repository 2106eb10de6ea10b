#include "core/ir/expr_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace loopscope {
namespace test_expr_text {

using T = ScalarType;
ExprPtr v(const char* name) { return variable(name); }
ExprPtr b(const char* name) { return variable(name, T::Bool); }
ExprPtr i32(std::int64_t value) { return constant_int(T::I32, value); }

TEST(ExprText, Constants) {
    EXPECT_EQ(to_text(i32(-7)), "-7");
    EXPECT_EQ(to_text(constant_int(T::U8, 200)), "200u8");
    EXPECT_EQ(to_text(constant_bits(T::U64, ~0ull)), "18446744073709551615u64");
    EXPECT_EQ(to_text(constant_bool(true)), "true");
    EXPECT_EQ(to_text(constant_float(T::F32, 0.1)), "0.1");
    EXPECT_EQ(to_text(constant_float(T::F32, 2)), "2.0");
    EXPECT_EQ(to_text(constant_float(T::F64, 0.1)), "0.1f64");
    EXPECT_EQ(to_text(constant_float(T::F32, 1e30)), "1e+30");
    EXPECT_EQ(to_text(constant_float(T::F32, -std::numeric_limits<double>::infinity())), "-inf");
    EXPECT_EQ(to_text(constant_float(T::F32, std::numeric_limits<double>::quiet_NaN())), "nan");
    EXPECT_EQ(to_text(constant_float(T::F64, std::numeric_limits<double>::infinity())), "f64(inf)");
    EXPECT_EQ(to_text(constant_float(T::F32, -0.0)), "-0.0");
    EXPECT_EQ(to_text(constant_float(T::F16, 0.1)), "0.1f16");
    EXPECT_EQ(to_text(constant_float(T::F16, -2048)), "-2048.0f16");
    EXPECT_EQ(to_text(constant_float(T::BF16, 1e30)), "1e+30bf16");
    EXPECT_EQ(to_text(constant_bits(T::BF16, 0x7fc0)), "bf16(nan)");
    EXPECT_EQ(to_text(constant_bits(T::F16, 0xfc00)), "f16(-inf)");
}

TEST(ExprText, ParenthesesOnlyWhereNeeded) {
    auto sum = binary(Op::Add, v("a"), v("b"));
    EXPECT_EQ(to_text(binary(Op::Multiply, sum, v("c"))), "(a + b)*c");
    EXPECT_EQ(to_text(binary(Op::Add, binary(Op::Multiply, v("a"), v("b")), v("c"))), "a*b + c");
    EXPECT_EQ(to_text(binary(Op::Subtract, v("c"), sum)), "c - (a + b)");
    EXPECT_EQ(to_text(binary(Op::Subtract, sum, v("c"))), "a + b - c");
    EXPECT_EQ(to_text(binary(Op::Divide, v("a"), binary(Op::Divide, v("b"), v("c")))), "a/(b/c)");
    EXPECT_EQ(to_text(binary(Op::ShiftLeft, v("a"), sum)), "a << a + b");
    EXPECT_EQ(to_text(binary(Op::BitAnd, binary(Op::BitOr, v("a"), v("b")), v("c"))),
              "(a | b) & c");
}

TEST(ExprText, ComparisonsDoNotChain) {
    auto less = binary(Op::Less, v("a"), v("b"));
    EXPECT_EQ(to_text(binary(Op::Equal, less, b("c"))), "(a < b) == c");
    EXPECT_EQ(to_text(binary(Op::Equal, b("c"), less)), "c == (a < b)");
}

TEST(ExprText, Logic) {
    auto both = binary(Op::LogicalAnd, b("p"), b("q"));
    EXPECT_EQ(to_text(binary(Op::LogicalOr, both, b("r"))), "p and q or r");
    EXPECT_EQ(to_text(unary(Op::LogicalNot, both)), "not (p and q)");
    EXPECT_EQ(to_text(unary(Op::LogicalNot, binary(Op::Less, v("a"), v("b")))), "not a < b");
    EXPECT_EQ(to_text(binary(Op::LogicalAnd, unary(Op::LogicalNot, b("p")), b("q"))),
              "not p and q");
    EXPECT_EQ(to_text(binary(Op::Equal, unary(Op::LogicalNot, b("p")), b("q"))), "(not p) == q");
}

TEST(ExprText, Unary) {
    EXPECT_EQ(to_text(unary(Op::Negate, v("a"))), "-a");
    EXPECT_EQ(to_text(unary(Op::Negate, i32(5))), "-(5)");
    EXPECT_EQ(to_text(unary(Op::Negate, unary(Op::Negate, v("a")))), "-(-a)");
    EXPECT_EQ(to_text(unary(Op::Negate, binary(Op::Multiply, v("a"), v("b")))), "-(a*b)");
    EXPECT_EQ(to_text(binary(Op::Multiply, unary(Op::Negate, v("a")), v("b"))), "-a*b");
    EXPECT_EQ(to_text(binary(Op::Subtract, v("a"), i32(-5))), "a - -5");
    EXPECT_EQ(to_text(unary(Op::BitNot, v("a"))), "~a");
    EXPECT_EQ(to_text(unary(Op::Abs, v("a"))), "abs(a)");
}

TEST(ExprText, Calls) {
    auto f = [](const char* n) { return variable(n, T::F32); };
    EXPECT_EQ(to_text(select(b("p"), v("a"), v("b"))), "select(p, a, b)");
    EXPECT_EQ(to_text(binary(Op::Min, v("a"), v("b"))), "min(a, b)");
    EXPECT_EQ(to_text(fma(f("a"), f("b"), f("c"))), "fma(a, b, c)");
    EXPECT_EQ(to_text(cast(T::U8, v("a"))), "u8(a)");
    EXPECT_EQ(to_text(load("img", T::U8, {v("y"), binary(Op::Add, v("x"), i32(1))})),
              "img[y, x + 1]");
    EXPECT_EQ(to_text(load("s", T::I32, {v("y")}, 1)), "s[y].1");
    EXPECT_EQ(to_text(let("t", v("a"), binary(Op::Add, v("t"), v("t")))), "let t = a in t + t");
    EXPECT_EQ(to_text(call("pow", {f("a"), f("b")})), "pow(a, b)");
    EXPECT_EQ(to_text(reinterpret(T::U32, f("a"))), "bits(a)");
    EXPECT_EQ(to_text(reinterpret(T::F16, variable("n", T::U16))), "from_bits(f16, n)");
    EXPECT_EQ(to_text(masked_load("b", T::F32, {v("y")}, b("m"))), "b[y] if (m)");
    EXPECT_EQ(to_text(load("b", T::F32, {ramp(v("y"), i32(1), 8)})), "b[ramp(y, 1, 8)]");
}

TEST(ExprText, ExactTextGivesConstantsTheirTypes) {
    auto one = constant_float(T::F32, 1);
    EXPECT_EQ(to_exact_text(call("exp", {one})), "exp(1.0f32)");
    EXPECT_EQ(to_exact_text(call("pow", {variable("x", T::F32), one})), "pow(x, 1.0)");
    EXPECT_EQ(to_exact_text(fma(one, one, one)), "fma(1.0f32, 1.0f32, 1.0f32)");
    EXPECT_EQ(to_exact_text(reinterpret(T::U32, one)), "bits(1.0f32)");
}

TEST(ExprText, ComponentsOfTuples) {
    auto sum = binary(Op::Add, load("s", T::I32, {v("y")}), load("t", T::I32, {v("y")}));
    EXPECT_EQ(to_exact_text(sum, [](const std::string& name) { return name == "t"; }),
              "s[y] + t[y].0");
}

TEST(ExprText, StopsAtALimit) {
    auto e = v("x");
    for (int i = 0; i < 200; ++i)
        e = binary(Op::Add, e, e);
    EXPECT_LT(to_text(e).size(), 5'000'000u);
}

} // namespace test_expr_text
} // namespace loopscope
