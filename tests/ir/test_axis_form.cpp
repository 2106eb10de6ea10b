// Indices as functions of the axes: the values that they take, against trying every combination;
// and numbers at which 64 bits end.

#include "core/ir/axis_form.h"

#include <gtest/gtest.h>

#include <set>

namespace loopscope {
namespace test_axis_form {

using T = ScalarType;

ExprPtr v(const char* name) { return variable(name, T::I64); }
ExprPtr c(std::int64_t value) { return constant_int(T::I64, value); }
ExprPtr op(Op o, ExprPtr a, ExprPtr b) { return binary(o, std::move(a), std::move(b)); }

const std::vector<Axis> kAxes{{"x", {-3, 4}}, {"y", {0, 6}}};

// `value`: what the index is at x and y.
template <typename Value> void expect_coverage(const ExprPtr& index, const Value& value) {
    std::set<std::int64_t> taken;
    for (auto x = kAxes[0].range.least; x <= kAxes[0].range.greatest; ++x)
        for (auto y = kAxes[1].range.least; y <= kAxes[1].range.greatest; ++y)
            taken.insert(value(x, y));
    const auto cover = coverage(index, kAxes);
    ASSERT_TRUE(cover);
    EXPECT_EQ(cover->range, (Interval{*taken.begin(), *taken.rbegin()}));
    const auto all = static_cast<std::int64_t>(taken.size()) == cover->range.extent();
    EXPECT_EQ(cover->contiguous, all);
}

TEST(AxisForm, ValuesThatAnIndexTakes) {
    const auto x = v("x"), y = v("y");
    expect_coverage(op(Op::Add, op(Op::Multiply, x, c(7)), y),
                    [](auto a, auto b) { return 7 * a + b; });
    expect_coverage(op(Op::Add, op(Op::Multiply, c(9), x), y),
                    [](auto a, auto b) { return 9 * a + b; });
    expect_coverage(op(Op::Subtract, c(5), op(Op::Multiply, x, c(-2))),
                    [](auto a, auto) { return 5 + 2 * a; });
    expect_coverage(op(Op::Modulo, op(Op::Add, x, y), c(4)),
                    [](auto a, auto b) { return ((a + b) % 4 + 4) % 4; });
    expect_coverage(op(Op::Max, c(2), op(Op::Min, y, c(3))), [](auto, auto b) {
        return std::max<std::int64_t>(2, std::min<std::int64_t>(b, 3));
    });
}

// In 64 bits these wrap: x * 2^62 % 4 is 0 for all x. Nothing is said of them, nor is anything
// computed that overflows.
TEST(AxisForm, NothingIsSaidOfWhatMayWrap) {
    const auto x = v("x");
    const std::int64_t huge = std::int64_t{1} << 62, most = INT64_MAX, least = INT64_MIN;
    for (const auto& index :
         {op(Op::Multiply, x, c(huge)), op(Op::Multiply, c(least), x),
          op(Op::Multiply, op(Op::Multiply, x, c(huge)), c(huge)),
          op(Op::Multiply, op(Op::Multiply, x, c(1 << 30)), c(std::int64_t{1} << 30)),
          op(Op::Subtract, x, c(least)), op(Op::Add, op(Op::Add, x, c(most)), c(most)),
          op(Op::Subtract, op(Op::Multiply, x, c(-huge / 2)), op(Op::Multiply, x, c(huge / 2)))}) {
        EXPECT_FALSE(axis_form(index, kAxes));
        EXPECT_FALSE(coverage(index, kAxes));
        EXPECT_FALSE(coverage(op(Op::Modulo, index, c(4)), kAxes));
    }
    EXPECT_FALSE(coverage(op(Op::Min, op(Op::Modulo, x, c(4)), c(least)), kAxes));
    EXPECT_FALSE(coverage(x, {{"x", {0, most}}}));
    EXPECT_FALSE(coverage(op(Op::Multiply, x, c(1 << 20)), {{"x", {0, std::int64_t{1} << 50}}}));
    const auto large = coverage(op(Op::Multiply, x, c(1 << 20)), {{"x", {0, 1 << 30}}});
    ASSERT_TRUE(large);
    EXPECT_EQ(large->range.greatest, std::int64_t{1} << 50);
}

} // namespace test_axis_form
} // namespace loopscope
