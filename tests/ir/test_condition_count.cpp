// How often conditions hold, against trying every combination of values.

#include "core/ir/condition_count.h"

#include <gtest/gtest.h>

namespace loopscope {
namespace test_condition_count {

using T = ScalarType;

ExprPtr v(const char* name) { return variable(name, T::I32); }
ExprPtr c(std::int64_t value) { return constant_int(T::I32, value); }
ExprPtr op(Op o, ExprPtr a, ExprPtr b) { return binary(o, std::move(a), std::move(b)); }

AxisValues every(const char* name, std::int64_t least, std::int64_t greatest) {
    return {name, {least, greatest}, {}};
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

template <typename Holds>
double tried(const AxisValues& i, const AxisValues& k, const Holds& holds) {
    double sum = 0;
    auto times = [](const AxisValues& axis, std::int64_t x) {
        return axis.times.empty() ? 1.0
                                  : axis.times[static_cast<std::size_t>(x - axis.range.least)];
    };
    for (auto x = i.range.least; x <= i.range.greatest; ++x)
        for (auto y = k.range.least; y <= k.range.greatest; ++y)
            sum += holds(x, y) ? times(i, x) * times(k, y) : 0;
    return sum;
}

TEST(ConditionCount, BlocksOfATriangle) {
    auto condition =
        op(Op::GreaterEqual, op(Op::Divide, v("k"), c(16)), op(Op::Divide, v("i"), c(16)));
    // Whole blocks; ends that cut blocks, negative ones too.
    for (auto [least, greatest] : {std::pair{0, 2047}, {-37, 90}, {5, 11}, {15, 16}}) {
        auto i = every("i", least, greatest), k = every("k", 0, 2047);
        EXPECT_EQ(count_where(condition, {i, k}),
                  tried(i, k, [](auto x, auto y) { return floor_div(y, 16) >= floor_div(x, 16); }));
    }
}

TEST(ConditionCount, RepeatedValues) {
    AxisValues i{"i", {-1, 3}, {2, 0, 1, 5, 0.5}}, k{"k", {0, 2}, {1, 3, 4}};
    for (auto o : {Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::Equal}) {
        auto condition = op(o, op(Op::Multiply, c(2), v("i")), v("k"));
        EXPECT_EQ(count_where(condition, {i, k}), tried(i, k, [&](auto x, auto y) {
                      auto a = 2 * x;
                      return o == Op::Less           ? a < y
                             : o == Op::LessEqual    ? a <= y
                             : o == Op::Greater      ? a > y
                             : o == Op::GreaterEqual ? a >= y
                                                     : a == y;
                  }));
    }
    auto odd = op(Op::Equal, op(Op::Modulo, op(Op::Add, v("i"), v("k")), c(2)), c(1));
    EXPECT_EQ(count_where(odd, {i, k}),
              tried(i, k, [](auto x, auto y) { return (x + y) % 2 != 0; }))
        << "no comparison of affine forms: tried value by value";
}

TEST(ConditionCount, AxesThatItDoesNotNameMultiply) {
    auto condition = op(Op::Less, v("k"), c(3));
    EXPECT_EQ(count_where(condition, {every("j", 0, 999'999), every("k", 0, 9)}), 3e6);
    AxisValues j{"j", {0, 1}, {3, 4}};
    EXPECT_EQ(count_where(condition, {j, every("k", 0, 9)}), 21);
    EXPECT_EQ(count_where(condition, {every("j", 0, -1), every("k", 0, 9)}), 0);
}

// The same axis by itself and by blocks: neither form alone says it.
TEST(ConditionCount, AnAxisInTwoWaysIsTried) {
    auto condition = op(Op::LogicalAnd, op(Op::LessEqual, op(Op::Divide, v("i"), c(4)), c(2)),
                        op(Op::Greater, v("i"), v("k")));
    auto i = every("i", 0, 30), k = every("k", 0, 20);
    EXPECT_EQ(count_where(condition, {i, k}),
              tried(i, k, [](auto x, auto y) { return x / 4 <= 2 && x > y; }));
}

TEST(ConditionCount, DataAndHugeConditionsAreNotCounted) {
    EXPECT_FALSE(count_where(op(Op::Less, load("m", T::I32, {v("i")}), c(3)), {every("i", 0, 9)}));
    auto product = op(Op::Less, op(Op::Multiply, v("i"), v("k")), c(100));
    EXPECT_FALSE(count_where(product, {every("i", 0, 9999), every("k", 0, 9999)}));
}

} // namespace test_condition_count
} // namespace loopscope
