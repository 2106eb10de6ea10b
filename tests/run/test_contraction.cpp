#include "compiler/run/reference/contraction.h"
#include "tests/run/build.h"

#include <cmath>

namespace loopscope::test {
namespace test_contraction {

ExprPtr f(const char* name) { return variable(name, T::F32); }
std::string contracted_text(const ExprPtr& e) { return to_text(reference::contracted(e)); }

TEST(Contraction, EachPattern) {
    auto ab = multiply(f("a"), f("b")), cd = multiply(f("c"), f("d"));
    EXPECT_EQ(contracted_text(add(f("x"), ab)), "fma(a, b, x)");
    EXPECT_EQ(contracted_text(add(ab, f("y"))), "fma(a, b, y)");
    EXPECT_EQ(contracted_text(add(ab, cd)), "fma(c, d, a*b)"); // the right product first
    EXPECT_EQ(contracted_text(subtract(f("x"), ab)), "fma(-a, b, x)");
    EXPECT_EQ(contracted_text(subtract(ab, f("y"))), "fma(a, b, -y)");
    EXPECT_EQ(contracted_text(subtract(ab, cd)), "fma(-c, d, a*b)");
}

TEST(Contraction, Nests) {
    auto ab = multiply(f("a"), f("b")), cd = multiply(f("c"), f("d"));
    EXPECT_EQ(contracted_text(add(add(f("x"), ab), cd)), "fma(c, d, fma(a, b, x))");
    EXPECT_EQ(contracted_text(add(f("x"), multiply(add(f("y"), ab), f("c")))),
              "fma(fma(a, b, y), c, x)");
    EXPECT_EQ(contracted_text(multiply(ab, cd)), "a*b*(c*d)");
    EXPECT_EQ(contracted_text(load("s", T::F32, {cast(T::I32, add(f("x"), ab))})),
              "s[i32(fma(a, b, x))]");
}

TEST(Contraction, OnlyProductsOfTheExpressionItself) {
    auto ab = multiply(f("a"), f("b"));
    EXPECT_EQ(contracted_text(add(f("x"), unary(Op::Negate, ab))), "x + -(a*b)");
    EXPECT_EQ(contracted_text(let("t", ab, add(f("x"), f("t")))), "let t = a*b in x + t");
    EXPECT_EQ(contracted_text(add(v("x"), multiply(v("a"), v("b")))), "x + a*b"); // integers
}

// A let around a product is a product: so x**2 stands for a product that is none by itself.
TEST(Contraction, ProductsInsideOfLets) {
    auto d = subtract(f("a"), f("b"));
    auto square = let("d", d, multiply(f("d"), f("d")));
    EXPECT_EQ(contracted_text(add(f("x"), square)), "let d = a - b in fma(d, d, x)");
    EXPECT_EQ(contracted_text(add(square, f("y"))), "let d = a - b in fma(d, d, y)");
    EXPECT_EQ(contracted_text(subtract(f("x"), square)), "let d = a - b in fma(-d, d, x)");
    EXPECT_EQ(contracted_text(subtract(square, f("y"))), "let d = a - b in fma(d, d, -y)");
    auto ab = multiply(f("a"), f("b"));
    auto fourth =
        let("e", let("d", add(f("c"), ab), multiply(f("d"), f("d"))), multiply(f("e"), f("e")));
    EXPECT_EQ(contracted_text(add(f("x"), fourth)),
              "let e = (let d = fma(a, b, c) in d*d) in fma(e, e, x)");
    EXPECT_EQ(contracted_text(add(f("x"), let("d", d, add(f("d"), f("d"))))),
              "x + (let d = a - b in d + d)");
    // A let's name is no product, whatever it stands for.
    EXPECT_EQ(contracted_text(let("t", ab, add(f("t"), f("c")))), "let t = a*b in t + c");
}

TEST(Contraction, SharedProductsAreFusedByEachReader) {
    auto ab = multiply(f("a"), f("b"));
    EXPECT_EQ(contracted_text(binary(Op::Max, add(f("x"), ab), add(f("y"), ab))),
              "max(fma(a, b, x), fma(a, b, y))");
}

// a*a = 1 + 2^-11 + 2^-24: rounding the product loses the last bit, fma keeps it.
constexpr float kA = 1.0f + 0x1p-12f;
constexpr float kRounded = 1.0f + 0x1p-11f;

float evaluated(Stage s, int definition, bool contract) {
    ReferenceOptions options;
    if (contract)
        options.contracted = {{"s", definition}};
    return run<float>(pipeline({input("in", T::F32, {2}), std::move(s)}, "s", {1}),
                      {{"in", buffer<float>(T::F32, {2}, {kA, -kRounded})}}, options)[0];
}

ExprPtr in(int i) { return load("in", T::F32, {i32(i)}); }

TEST(Contraction, RunsInTheReference) {
    auto s = pure("s", {"x"}, add(multiply(in(0), in(0)), in(1)));
    EXPECT_EQ(evaluated(s, 0, false), 0.0f);
    EXPECT_EQ(evaluated(s, 0, true), 0x1p-24f);
    EXPECT_EQ(evaluated(s, 1, true), 0.0f); // another definition's
    s = pure("s", {"x"}, subtract(unary(Op::Negate, in(1)), multiply(in(0), in(0))));
    EXPECT_EQ(evaluated(s, 0, true), -0x1p-24f);
}

TEST(Contraction, AccumulatesSumsByFma) {
    // -kRounded + a*a over two terms: 1: in[1]*1, 2: a*a.
    auto left = select(binary(Op::Equal, v("k"), i32(0)), in(1), in(0));
    auto right = select(binary(Op::Equal, v("k"), i32(0)), f32(1), in(0));
    auto s = reduction("s", {"x"}, ReductionOp::Sum, {axis("k", 0, 2)}, multiply(left, right));
    EXPECT_EQ(evaluated(s, 0, false), 0.0f);
    EXPECT_EQ(evaluated(s, 0, true), 0x1p-24f);
    s.definitions[0].condition = binary(Op::GreaterEqual, v("k"), i32(0));
    EXPECT_EQ(evaluated(s, 0, true), 0x1p-24f);
}

TEST(Contraction, AccumulatesUpdatesByFma) {
    auto s = updated(pure("s", {"x"}, in(1)), {v("x")}, UpdateOp::Add, multiply(in(0), in(0)));
    EXPECT_EQ(evaluated(s, 1, false), 0.0f);
    EXPECT_EQ(evaluated(s, 1, true), 0x1p-24f);
    EXPECT_EQ(evaluated(s, 0, true), 0.0f);
}

} // namespace test_contraction
} // namespace loopscope::test
