#include "core/ir/expr.h"

#include <gtest/gtest.h>

#include <limits>

namespace loopscope {
namespace test_expr {

ExprPtr x() { return variable("x"); }
ExprPtr i32(std::int64_t v) { return constant_int(ScalarType::I32, v); }
ExprPtr add(ExprPtr a, ExprPtr b) { return binary(Op::Add, std::move(a), std::move(b)); }

// x + x doubled `depth` times: 2^depth leaves in `depth` nodes.
ExprPtr doubled(int depth) {
    auto e = x();
    for (int i = 0; i < depth; ++i)
        e = add(e, e);
    return e;
}

TEST(Expr, ConstantsKeepExtendedBits) {
    EXPECT_EQ(constant_int(ScalarType::I8, 255)->bits, ~0ull);
    EXPECT_EQ(constant_int(ScalarType::U8, -1)->bits, 255u);
    EXPECT_EQ(constant_int(ScalarType::I32, INT64_MAX)->bits, ~0ull);
    EXPECT_EQ(constant_int(ScalarType::U32, -1)->bits, 0xffffffffu);
    EXPECT_EQ(constant_int(ScalarType::Bool, 256)->bits, 1u);
    EXPECT_EQ(constant_float(ScalarType::F32, 1.0)->bits, 0x3f800000u);
    EXPECT_EQ(constant_float(ScalarType::F64, 1.0)->bits, 0x3ff0000000000000u);
    EXPECT_EQ(constant_float_value(constant_float(ScalarType::F32, 0.1)),
              static_cast<double>(0.1f));
    std::int64_t value = 7;
    EXPECT_TRUE(constant_value(constant_int(ScalarType::I16, -5), value));
    EXPECT_EQ(value, -5);
    EXPECT_FALSE(constant_value(constant_float(ScalarType::F32, 1), value));
    EXPECT_FALSE(constant_value(constant_bits(ScalarType::U64, ~0ull), value));
    EXPECT_FALSE(constant_value(x(), value));
    EXPECT_EQ(value, -5);
}

TEST(Expr, EqualityIsStructural) {
    auto a = add(x(), i32(1)), b = add(x(), i32(1));
    EXPECT_TRUE(equal(a, b));
    EXPECT_EQ(a->hash, b->hash);
    EXPECT_FALSE(equal(a, add(i32(1), x())));
    EXPECT_FALSE(equal(a, binary(Op::Subtract, x(), i32(1))));
    EXPECT_FALSE(equal(i32(1), constant_int(ScalarType::I64, 1)));
    EXPECT_FALSE(equal(load("a", ScalarType::F32, {x()}), load("a", ScalarType::F32, {x()}, 1)));
    EXPECT_FALSE(equal(load("a", ScalarType::F32, {x()}), load("b", ScalarType::F32, {x()})));
}

TEST(Expr, SharedGraphsTakeLinearTime) {
    auto a = doubled(250), b = doubled(250);
    EXPECT_TRUE(equal(a, b));
    int visited = 0;
    visit(a, [&](const Expr&) { return ++visited; });
    EXPECT_LE(visited, 260 * 2);
    auto replaced = substitute(
        a, [](const std::string& name) { return name == "x" ? variable("y") : nullptr; });
    auto back = substitute(
        replaced, [](const std::string& name) { return name == "y" ? variable("x") : nullptr; });
    EXPECT_TRUE(equal(a, back));
    EXPECT_FALSE(equal(a, replaced));
}

TEST(Expr, ResultTypes) {
    EXPECT_EQ(binary(Op::Less, x(), i32(1))->type, ScalarType::Bool);
    EXPECT_EQ(cast(ScalarType::F32, x())->type, ScalarType::F32);
    EXPECT_EQ(let("t", x(), cast(ScalarType::U8, variable("t")))->type, ScalarType::U8);
    auto wide = ramp(x(), i32(1), 8);
    EXPECT_EQ(wide->lanes, 8);
    EXPECT_EQ(add(wide, broadcast(i32(2), 8))->lanes, 8);
    EXPECT_EQ(load("a", ScalarType::F32, {x(), wide})->lanes, 8);
}

TEST(Expr, WithArgsKeepsUnchangedNodes) {
    auto e = add(x(), i32(1));
    EXPECT_EQ(with_args(e, {e->args[0], e->args[1]}), e);
    EXPECT_TRUE(equal(with_args(e, {i32(2), i32(1)}), add(i32(2), i32(1))));
}

TEST(Expr, RewriteIsBottomUp) {
    auto e = add(add(i32(1), i32(2)), add(i32(3), x()));
    auto folded = rewrite(e, [](const ExprPtr& n) {
        std::int64_t a = 0, b = 0;
        if (n->kind == ExprKind::Binary && constant_value(n->args[0], a) &&
            constant_value(n->args[1], b))
            return i32(a + b);
        return n;
    });
    EXPECT_EQ(to_text(folded), "3 + (3 + x)");
    EXPECT_EQ(rewrite(e, [](const ExprPtr& n) { return n; }), e);
}

TEST(Expr, SubstituteLeavesBoundNames) {
    auto inner = let("t", add(variable("t"), i32(1)), add(variable("t"), x()));
    auto e = add(variable("t"), inner);
    auto result =
        substitute(e, [](const std::string& name) { return name == "t" ? i32(9) : nullptr; });
    EXPECT_EQ(to_text(result), "9 + (let t = 9 + 1 in t + x)");
}

TEST(Expr, SubstituteSeparatesInsideFromOutsideOfALet) {
    auto shared = add(variable("t"), x());
    auto e = add(shared, let("t", i32(1), shared));
    auto result =
        substitute(e, [](const std::string& name) { return name == "t" ? i32(9) : nullptr; });
    EXPECT_EQ(to_text(result), "9 + x + (let t = 1 in t + x)");
}

} // namespace test_expr
} // namespace loopscope
