#include "core/ir/cost.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace {

TEST(Cost, CountsByTheRule) {
    auto x = variable("x", ScalarType::F32), i = variable("i");
    auto two = constant_float(ScalarType::F32, 2);
    EXPECT_EQ(cost_of(nullptr), (Cost{0, 0}));
    EXPECT_EQ(cost_of(binary(Op::Multiply, x, two)), (Cost{1, 0}));
    EXPECT_EQ(cost_of(fma(x, x, two)), (Cost{2, 0}));
    EXPECT_EQ(cost_of(unary(Op::Sqrt, unary(Op::Negate, x))), (Cost{2, 0}));
    EXPECT_EQ(cost_of(binary(Op::Less, x, two)), (Cost{0, 0}));
    EXPECT_EQ(cost_of(select(binary(Op::Less, x, two), binary(Op::Max, x, two), x)), (Cost{1, 0}));
    EXPECT_EQ(cost_of(cast(ScalarType::F32, binary(Op::Add, i, i))), (Cost{0, 1}));
    EXPECT_EQ(
        cost_of(load("A", ScalarType::F32, {binary(Op::Add, i, constant_int(ScalarType::I32, 1))})),
        (Cost{0, 1}));
    EXPECT_EQ(cost_of(unary(Op::LogicalNot, binary(Op::Less, i, i))), (Cost{0, 0}));
    auto wide = broadcast(x, 8);
    EXPECT_EQ(cost_of(binary(Op::Add, wide, wide)), (Cost{8, 0}));
}

TEST(Cost, LetsOnceSharedNodesAsOftenAsTheyStand) {
    auto x = variable("x", ScalarType::F32), t = variable("t", ScalarType::F32);
    auto square = binary(Op::Multiply, x, x);
    EXPECT_EQ(cost_of(binary(Op::Add, square, square)), (Cost{3, 0}));
    EXPECT_EQ(cost_of(let("t", square, binary(Op::Add, t, t))), (Cost{2, 0}));
    auto deep = x;
    for (int n = 0; n < 200; ++n)
        deep = binary(Op::Add, deep, deep);
    EXPECT_EQ(cost_of(deep).flops, ~std::uint64_t{0}); // saturates, in linear time
}

} // namespace
} // namespace loopscope
