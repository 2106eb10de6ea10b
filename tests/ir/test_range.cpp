#include "core/ir/range.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace loopscope {
namespace test_range {

using T = ScalarType;
using Bounds = std::map<std::string, Interval>;

ExprPtr v(const char* name, T type = T::I32) { return variable(name, type); }
ExprPtr i32(std::int64_t value) { return constant_int(T::I32, value); }
ExprPtr f32(double value) { return constant_float(T::F32, value); }

std::optional<Interval> range(const ExprPtr& e, const Bounds& bounds = {}) {
    return range_of(e, [&](const std::string& name) -> std::optional<Interval> {
        auto found = bounds.find(name);
        return found == bounds.end() ? std::nullopt : std::optional(found->second);
    });
}

void expect(const std::optional<Interval>& actual, std::int64_t low, std::int64_t high) {
    ASSERT_TRUE(actual);
    EXPECT_EQ(actual->least, low);
    EXPECT_EQ(actual->greatest, high);
}

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    if (b == 0)
        return 0;
    auto q = a / b;
    return a % b && (a < 0) != (b < 0) ? q - 1 : q;
}

std::int64_t shift_left(std::int64_t a, std::int64_t n) {
    if (n < 0)
        return n <= -32 ? (a < 0 ? -1 : 0) : a >> -n;
    return n >= 32 ? 0 : a * (std::int64_t{1} << n);
}

std::int64_t apply(Op op, std::int64_t a, std::int64_t b) {
    switch (op) {
    case Op::Add: return a + b;
    case Op::Subtract: return a - b;
    case Op::Multiply: return a * b;
    case Op::Divide: return floor_divide(a, b);
    case Op::Modulo: return b == 0 ? 0 : a - floor_divide(a, b) * b;
    case Op::ShiftLeft: return shift_left(a, b);
    case Op::ShiftRight: return shift_left(a, -b);
    case Op::BitAnd: return a & b;
    case Op::BitOr: return a | b;
    case Op::BitXor: return a ^ b;
    case Op::Min: return std::min(a, b);
    case Op::Max: return std::max(a, b);
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    case Op::GreaterEqual: return a >= b;
    case Op::Equal: return a == b;
    default: return a != b;
    }
}

bool exact(Op op) {
    return op != Op::Modulo && op != Op::BitAnd && op != Op::BitOr && op != Op::BitXor;
}

Interval values_of(Op op, const Interval& a, const Interval& b) {
    Interval result;
    for (auto x = a.least; x <= a.greatest; ++x)
        for (auto y = b.least; y <= b.greatest; ++y) {
            auto value = apply(op, x, y);
            result = hull(result, {value, value});
        }
    return result;
}

std::vector<Interval> small_intervals() {
    std::vector<Interval> all;
    for (std::int64_t low = -5; low <= 5; ++low)
        for (auto high = low; high <= 5; ++high)
            all.push_back({low, high});
    return all;
}

// Every operator against all values of all small intervals: nothing left out, and no wider than it
// must be.
TEST(Range, BinaryOperatorsCoverEveryValue) {
    for (int o = static_cast<int>(Op::Add); o <= static_cast<int>(Op::NotEqual); ++o) {
        auto op = static_cast<Op>(o);
        auto e = binary(op, v("a"), v("b"));
        for (const auto& a : small_intervals())
            for (const auto& b : small_intervals()) {
                auto place = std::string(symbol(op)) + " of " + std::to_string(a.least) + ".." +
                             std::to_string(a.greatest) + " and " + std::to_string(b.least) + ".." +
                             std::to_string(b.greatest);
                auto r = range(e, {{"a", a}, {"b", b}});
                ASSERT_TRUE(r) << place;
                ASSERT_TRUE(r->contains(values_of(op, a, b))) << place;
                ASSERT_TRUE(!exact(op) || *r == values_of(op, a, b)) << place;
            }
    }
}

TEST(Range, ModuloIsAsTightAsItMatters) {
    auto e = binary(Op::Modulo, v("a"), i32(8));
    expect(range(e, {{"a", {-100, 100}}}), 0, 7);
    expect(range(e, {{"a", {17, 19}}}), 1, 3);
    expect(range(e, {{"a", {-3, -1}}}), 5, 7);
    expect(range(e), 0, 7); // of anything
    expect(range(binary(Op::Modulo, v("a"), i32(0)), {{"a", {1, 5}}}), 0, 0);
}

TEST(Range, ShiftsBeyondTheWidth) {
    expect(range(binary(Op::ShiftLeft, v("a"), v("s")), {{"a", {0, 1}}, {"s", {32, 60}}}), 0, 0);
    auto wraps = range(binary(Op::ShiftLeft, v("a"), i32(31)), {{"a", {1, 1}}});
    EXPECT_FALSE(wraps); // 2^31 is no i32
    expect(range(binary(Op::ShiftRight, v("a"), i32(40)), {{"a", {-9, 9}}}), -1, 0);
    expect(range(binary(Op::ShiftRight, v("a"), i32(-2)), {{"a", {1, 3}}}), 4, 12);
}

TEST(Range, WrapGivesTheTypeOrNothing) {
    auto u8 = [](std::int64_t value) { return constant_int(T::U8, value); };
    expect(range(binary(Op::Add, v("a", T::U8), u8(10)), {{"a", {0, 245}}}), 10, 255);
    expect(range(binary(Op::Add, v("a", T::U8), u8(10)), {{"a", {0, 246}}}), 0, 255);
    EXPECT_FALSE(range(binary(Op::Add, v("a"), i32(1)), {{"a", {0, INT32_MAX}}}));
    expect(range(unary(Op::Negate, v("a", T::I8)), {{"a", {-128, 0}}}), -128, 127);
    expect(range(unary(Op::Abs, v("a", T::I8)), {{"a", {-127, 5}}}), 0, 127);
    EXPECT_FALSE(range(binary(Op::Multiply, v("a", T::I64), v("a", T::I64)),
                       {{"a", {0, std::int64_t{1} << 40}}}));
    // Up to 2^62 - 1 from its negative: the extent is the greatest of 64 bits.
    const std::int64_t most = (std::int64_t{1} << 62) - 1;
    const auto a = v("a", T::I64), negated = unary(Op::Negate, a);
    expect(range(negated, {{"a", {-most, most}}}), -most, most);
    EXPECT_EQ(range(negated, {{"a", {-most, most}}})->extent(), INT64_MAX);
    EXPECT_FALSE(range(binary(Op::Add, a, constant_int(T::I64, 1)), {{"a", {-most, most}}}));
    EXPECT_FALSE(range(binary(Op::Subtract, a, constant_int(T::I64, 1)), {{"a", {-most, most}}}));
}

TEST(Range, UnknownValuesAreBoundedByClamps) {
    auto unknown = load("in", T::I32, {v("x")});
    expect(range(binary(Op::Min, binary(Op::Max, unknown, i32(2)), i32(5))), 2, 5);
    EXPECT_FALSE(
        range(select(binary(Op::Less, unknown, i32(0)), i32(0), binary(Op::Min, unknown, i32(7)))));
    expect(
        range(binary(Op::Min, select(binary(Op::Less, unknown, i32(0)), i32(0), unknown), i32(7))),
        0, 7);
    EXPECT_FALSE(range(binary(Op::Max, unknown, i32(2))));
    EXPECT_FALSE(range(cast(T::I64, unknown)));
    auto wide = cast(T::I64, binary(Op::Max, unknown, i32(2)));
    expect(range(binary(Op::Min, wide, constant_int(T::I64, 9))), 2, 9);
    auto unsigned_value = load("in", T::U32, {v("x")});
    expect(range(binary(Op::Min, unsigned_value, constant_int(T::U32, 9))), 0, 9);
    EXPECT_FALSE(range(binary(Op::Min, binary(Op::Add, binary(Op::Max, unknown, i32(2)), i32(1)),
                              i32(5)))); // may wrap
    EXPECT_FALSE(range(binary(Op::Min, cast(T::I32, unsigned_value), i32(9))));
    expect(range(binary(Op::BitAnd, unknown, i32(15))), 0, 15);
}

TEST(Range, Unary) {
    expect(range(unary(Op::Negate, v("a")), {{"a", {-2, 7}}}), -7, 2);
    expect(range(unary(Op::Abs, v("a")), {{"a", {-9, -2}}}), 2, 9);
    expect(range(unary(Op::BitNot, v("a")), {{"a", {0, 7}}}), -8, -1);
    expect(range(unary(Op::BitNot, v("a", T::U8)), {{"a", {0, 7}}}), 248, 255);
    expect(range(unary(Op::LogicalNot, v("a", T::Bool)), {{"a", {1, 1}}}), 0, 0);
    expect(range(unary(Op::LogicalNot, v("a", T::Bool))), 0, 1);
}

TEST(Range, SelectIsTheHullRefinedByItsCondition) {
    Bounds bounds = {{"a", {-5, 20}}, {"c", {3, 4}}};
    expect(range(select(v("p", T::Bool), v("a"), v("c")), bounds), -5, 20);
    expect(range(select(binary(Op::Less, v("a"), i32(0)), i32(0), v("a")), bounds), 0, 20);
    expect(range(select(binary(Op::Greater, v("a"), i32(9)), i32(9), v("a")), bounds), -5, 9);
    expect(range(select(binary(Op::LessEqual, i32(0), v("a")), v("a"), i32(0)), bounds), 0, 20);
    expect(range(select(binary(Op::Less, v("c"), i32(9)), i32(1), i32(2)), bounds), 1, 1);
}

TEST(Range, Casts) {
    expect(range(cast(T::U8, v("a")), {{"a", {3, 200}}}), 3, 200);
    expect(range(cast(T::U8, v("a")), {{"a", {-1, 3}}}), 0, 255);
    EXPECT_FALSE(range(cast(T::I32, v("a", T::U32)), {{"a", {0, 4294967295}}}));
    expect(range(cast(T::I32, v("a", T::Bool))), 0, 1);
    expect(range(cast(T::Bool, v("a")), {{"a", {1, 9}}}), 1, 1);
    expect(range(cast(T::Bool, v("a")), {{"a", {0, 9}}}), 0, 1);
    expect(range(cast(T::I32, load("img", T::U8, {v("y")}))), 0, 255);
    EXPECT_FALSE(range(cast(T::I32, load("img", T::I32, {v("y")}))));
}

TEST(Range, FloatCasts) {
    auto f = load("f", T::F32, {v("y")});
    auto clamped = binary(Op::Min, binary(Op::Max, f, f32(0.5)), f32(254.9));
    expect(range(cast(T::U8, f)), 0, 255);
    EXPECT_FALSE(range(cast(T::I32, f)));
    expect(range(cast(T::I32, clamped)), 0, 254);
    // NaN passes through a clamp and becomes 0.
    expect(range(cast(T::I32, binary(Op::Min, binary(Op::Max, f, f32(5)), f32(9)))), 0, 9);
    expect(
        range(cast(T::I32, binary(Op::Min, binary(Op::Max, cast(T::F32, v("y")), f32(5)), f32(9)))),
        5, 9);
    expect(range(cast(T::U8, binary(Op::Min, binary(Op::Max, f, f32(-5)), f32(900)))), 0, 255);
    EXPECT_FALSE(range(cast(T::I32, binary(Op::Min, f, f32(9)))));
    expect(range(let("t", clamped, cast(T::I32, unary(Op::Floor, v("t", T::F32))))), 0, 254);
}

TEST(Range, CastsOfHalves) {
    auto h = load("h", T::F16, {v("y")});
    auto f16 = [](double value) { return constant_float(T::F16, value); };
    EXPECT_FALSE(range(cast(T::I32, h)));
    expect(range(cast(T::U8, h)), 0, 255);
    expect(range(cast(T::I32, binary(Op::Min, binary(Op::Max, h, f16(-3)), f16(9.5)))), -3, 9);
    // 2049 becomes 2048 in f16, and 2051 becomes 2052.
    expect(range(cast(T::I32, cast(T::F16, v("a"))), {{"a", {2049, 2051}}}), 2048, 2052);
    expect(range(cast(T::I32, cast(T::BF16, v("a"))), {{"a", {0, 257}}}), 0, 256);
}

TEST(Range, BitsAndFunctions) {
    expect(range(reinterpret(T::U16, load("h", T::BF16, {v("y")}))), 0, 65535);
    EXPECT_FALSE(range(reinterpret(T::U32, load("f", T::F32, {v("y")}))));
    expect(range(binary(Op::BitAnd, reinterpret(T::U32, load("f", T::F32, {v("y")})),
                        constant_int(T::U32, 7))),
           0, 7);
    EXPECT_FALSE(range(cast(T::I32, call("exp", {load("f", T::F32, {v("y")})}))));
    auto clamped = binary(
        Op::Min, binary(Op::Max, call("exp", {load("f", T::F32, {v("y")})}), f32(0)), f32(5));
    expect(range(cast(T::I32, clamped)), 0, 5);
}

TEST(Range, LetsAndLoads) {
    auto e = let("t", binary(Op::Modulo, v("a"), i32(4)), binary(Op::Add, v("t"), v("t")));
    expect(range(e), 0, 6);
    auto loads = [](const std::string& stage, int component) -> std::optional<Interval> {
        return stage == "s" && component == 1 ? std::optional(Interval{3, 8}) : std::nullopt;
    };
    expect(range_of(load("s", T::I32, {i32(0)}, 1), {}, loads), 3, 8);
    EXPECT_FALSE(range_of(load("s", T::I32, {i32(0)}, 0), {}, loads));
    expect(range_of(load("s", T::Bool, {i32(0)}, 0), {}, loads), 0, 1);
}

TEST(Range, EmptyStaysEmpty) {
    auto r = range(binary(Op::Add, v("a"), i32(1)), {{"a", {0, -1}}});
    ASSERT_TRUE(r);
    EXPECT_TRUE(r->empty());
}

TEST(Range, SharedGraphsTakeLinearTime) {
    auto e = v("x");
    for (int i = 0; i < 200; ++i)
        e = binary(Op::Max, e, binary(Op::Min, e, i32(i)));
    expect(range(e, {{"x", {0, 9}}}), 0, 9);
}

TEST(Range, LetsOfOneNameKeepTheirValues) {
    auto body = binary(Op::Multiply, v("t"), v("t")); // shared, as by a definition inlined twice
    auto small = let("t", i32(2), body), large = let("t", i32(100), body);
    expect(range(binary(Op::Add, small, large)), 10004, 10004);
}

TEST(Range, Ramp) {
    expect(range(ramp(v("x"), i32(2), 8), {{"x", {1, 3}}}), 1, 17);
    expect(range(ramp(v("x"), i32(-1), 4), {{"x", {0, 0}}}), -3, 0);
    expect(range(broadcast(v("x"), 4), {{"x", {0, 5}}}), 0, 5);
}

} // namespace test_range
} // namespace loopscope
