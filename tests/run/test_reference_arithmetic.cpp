// Every operator at its edges, against values worked out by hand.
#include "tests/run/build.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace loopscope::test {
namespace test_reference_arithmetic {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Buffer one(T type, std::uint64_t bits) {
    auto b = make_buffer(type, {1}).value();
    std::memcpy(b.data.data(), &bits, static_cast<std::size_t>(bytes(type)));
    return b;
}

std::uint64_t low_bits(const Buffer& b) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, b.data.data(), static_cast<std::size_t>(bytes(b.type)));
    return bits;
}

// The value of `make(a, b)` where a and b are read from inputs, as raw bits of its type.
template <typename Make> std::uint64_t value_of(T type, std::uint64_t a, std::uint64_t b,
                                                Make make) {
    auto e = make(load("a", type, {i32(0)}), load("b", type, {i32(0)}));
    auto p =
        pipeline({input("a", type, {1}), input("b", type, {1}), pure("s", {"x"}, e)}, "s", {1});
    auto outputs = evaluate(p, {{"a", one(type, a)}, {"b", one(type, b)}});
    EXPECT_TRUE(outputs) << (outputs ? "" : format(outputs.errors()));
    return outputs ? low_bits(outputs->at("s")) : 0xbad;
}

template <typename V> std::uint64_t raw(V value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <typename V> V cooked(std::uint64_t bits) {
    V value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

template <typename V> V of_binary(T type, Op op, V a, V b) {
    return cooked<V>(
        value_of(type, raw(a), raw(b), [op](ExprPtr x, ExprPtr y) { return binary(op, x, y); }));
}

template <typename V> V of_unary(T type, Op op, V a) {
    return cooked<V>(value_of(type, raw(a), 0, [op](ExprPtr x, ExprPtr) { return unary(op, x); }));
}

template <typename To, typename From> To of_cast(T to, T from, From a) {
    return cooked<To>(value_of(from, raw(a), 0, [to](ExprPtr x, ExprPtr) { return cast(to, x); }));
}

std::int32_t i(Op op, std::int32_t a, std::int32_t b) { return of_binary(T::I32, op, a, b); }
float f(Op op, float a, float b) { return of_binary(T::F32, op, a, b); }

TEST(ReferenceArithmetic, FloorDivisionAndModulo) {
    struct Case {
        std::int32_t a, b, quotient, rest;
    };
    for (auto c : {Case{7, 2, 3, 1}, Case{-7, 2, -4, 1}, Case{7, -2, -4, -1}, Case{-7, -2, 3, -1},
                   Case{6, 3, 2, 0}, Case{-6, 3, -2, 0}, Case{6, -3, -2, 0}, Case{5, 0, 0, 0},
                   Case{-5, 0, 0, 0}, Case{0, -4, 0, 0}, Case{INT32_MIN, -1, INT32_MIN, 0},
                   Case{INT32_MIN, 1, INT32_MIN, 0}, Case{INT32_MIN, INT32_MAX, -2, INT32_MAX - 1},
                   Case{1, INT32_MIN, -1, INT32_MIN + 1}}) {
        EXPECT_EQ(i(Op::Divide, c.a, c.b), c.quotient) << c.a << " / " << c.b;
        EXPECT_EQ(i(Op::Modulo, c.a, c.b), c.rest) << c.a << " % " << c.b;
    }
    EXPECT_EQ(of_binary<std::int8_t>(T::I8, Op::Divide, -128, -1), -128);
    EXPECT_EQ(of_binary<std::int64_t>(T::I64, Op::Divide, INT64_MIN, -1), INT64_MIN);
    EXPECT_EQ(of_binary<std::int64_t>(T::I64, Op::Modulo, INT64_MIN, -1), 0);
    EXPECT_EQ(of_binary<std::uint32_t>(T::U32, Op::Divide, 4000000000u, 7u), 571428571u);
    EXPECT_EQ(of_binary<std::uint64_t>(T::U64, Op::Modulo, ~0ull, 10ull), 5u);
    EXPECT_EQ(of_binary<std::uint8_t>(T::U8, Op::Modulo, 200, 0), 0);
}

TEST(ReferenceArithmetic, Wraps) {
    EXPECT_EQ(i(Op::Add, INT32_MAX, 1), INT32_MIN);
    EXPECT_EQ(i(Op::Subtract, INT32_MIN, 1), INT32_MAX);
    EXPECT_EQ(i(Op::Multiply, 65536, 65536), 0);
    EXPECT_EQ(i(Op::Multiply, INT32_MIN, -1), INT32_MIN);
    EXPECT_EQ(of_binary<std::uint16_t>(T::U16, Op::Multiply, 65535, 65535), 1);
    EXPECT_EQ(of_binary<std::int16_t>(T::I16, Op::Multiply, -32768, -32768), 0);
    EXPECT_EQ(of_binary<std::uint8_t>(T::U8, Op::Subtract, 3, 5), 254);
    EXPECT_EQ(of_binary<std::int8_t>(T::I8, Op::Add, 127, 1), -128);
    EXPECT_EQ(of_binary<std::int64_t>(T::I64, Op::Add, INT64_MAX, 1), INT64_MIN);
    EXPECT_EQ(of_unary<std::int32_t>(T::I32, Op::Negate, INT32_MIN), INT32_MIN);
    EXPECT_EQ(of_unary<std::int32_t>(T::I32, Op::Abs, INT32_MIN), INT32_MIN);
    EXPECT_EQ(of_unary<std::int8_t>(T::I8, Op::Abs, -128), -128);
    EXPECT_EQ(of_unary<std::int8_t>(T::I8, Op::Abs, -127), 127);
    EXPECT_EQ(of_unary<std::uint8_t>(T::U8, Op::Negate, 1), 255);
    EXPECT_EQ(of_unary<std::uint8_t>(T::U8, Op::Abs, 255), 255);
    EXPECT_EQ(of_unary<std::int16_t>(T::I16, Op::BitNot, 5), -6);
    EXPECT_EQ(of_unary<std::uint32_t>(T::U32, Op::BitNot, 0u), 0xffffffffu);
}

TEST(ReferenceArithmetic, Shifts) {
    EXPECT_EQ(i(Op::ShiftLeft, 3, 4), 48);
    EXPECT_EQ(i(Op::ShiftLeft, 1, 31), INT32_MIN);
    EXPECT_EQ(i(Op::ShiftLeft, 1, 32), 0);
    EXPECT_EQ(i(Op::ShiftLeft, -1, 100), 0);
    EXPECT_EQ(i(Op::ShiftRight, -8, 1), -4);
    EXPECT_EQ(i(Op::ShiftRight, -7, 1), -4);
    EXPECT_EQ(i(Op::ShiftRight, -8, 32), -1);
    EXPECT_EQ(i(Op::ShiftRight, 8, 32), 0);
    EXPECT_EQ(i(Op::ShiftLeft, -8, -1), -4);
    EXPECT_EQ(i(Op::ShiftLeft, -8, -40), -1);
    EXPECT_EQ(i(Op::ShiftRight, 3, -4), 48);
    EXPECT_EQ(i(Op::ShiftRight, 3, -32), 0);
    EXPECT_EQ(i(Op::ShiftRight, -1, INT32_MIN), 0);
    EXPECT_EQ(i(Op::ShiftLeft, -1, INT32_MIN), -1);
    EXPECT_EQ(of_binary<std::uint8_t>(T::U8, Op::ShiftLeft, 0xff, 4), 0xf0);
    EXPECT_EQ(of_binary<std::uint8_t>(T::U8, Op::ShiftRight, 0xff, 8), 0);
    EXPECT_EQ(of_binary<std::uint8_t>(T::U8, Op::ShiftLeft, 1, 200), 0);
    EXPECT_EQ(of_binary<std::int8_t>(T::I8, Op::ShiftRight, -128, 7), -1);
    EXPECT_EQ(of_binary<std::int64_t>(T::I64, Op::ShiftLeft, 1, 63), INT64_MIN);
    EXPECT_EQ(of_binary<std::int64_t>(T::I64, Op::ShiftRight, INT64_MIN, 64), -1);
    EXPECT_EQ(of_binary<std::uint64_t>(T::U64, Op::ShiftRight, ~0ull, 63ull), 1u);
    EXPECT_EQ(of_binary<std::uint64_t>(T::U64, Op::ShiftLeft, 1ull, ~0ull), 0u);
}

TEST(ReferenceArithmetic, Bits) {
    EXPECT_EQ(i(Op::BitAnd, 12, 10), 8);
    EXPECT_EQ(i(Op::BitXor, 12, 10), 6);
    EXPECT_EQ(i(Op::BitOr, 12, -16), -4);
}

TEST(ReferenceArithmetic, MinAndMax) {
    EXPECT_EQ(i(Op::Min, -1, 1), -1);
    EXPECT_EQ(i(Op::Max, -1, 1), 1);
    EXPECT_EQ(of_binary<std::uint32_t>(T::U32, Op::Max, 0xffffffffu, 1u), 0xffffffffu);
    EXPECT_EQ(f(Op::Min, 2, -3), -3);
    EXPECT_EQ(f(Op::Max, kInf, -3), kInf);
    for (auto op : {Op::Min, Op::Max}) {
        EXPECT_TRUE(std::isnan(f(op, kNan, 1)));
        EXPECT_TRUE(std::isnan(f(op, 1, kNan)));
        EXPECT_TRUE(std::isnan(of_binary(T::F64, op, double{kNan}, 1.0)));
        EXPECT_EQ(std::signbit(f(op, 0.0f, -0.0f)), op == Op::Min);
        EXPECT_EQ(std::signbit(f(op, -0.0f, 0.0f)), op == Op::Min);
        EXPECT_TRUE(std::signbit(f(op, -0.0f, -0.0f)));
        EXPECT_FALSE(std::signbit(f(op, 0.0f, 0.0f)));
    }
}

TEST(ReferenceArithmetic, FloatsRoundEachOperation) {
    EXPECT_EQ(f(Op::Add, 16777216.0f, 1.0f), 16777216.0f);
    EXPECT_EQ(f(Op::Divide, 1.0f, 3.0f), 0x1.555556p-2f);
    EXPECT_EQ(f(Op::Divide, 1.0f, 0.0f), kInf);
    EXPECT_TRUE(std::isnan(f(Op::Divide, 0.0f, 0.0f)));
    EXPECT_EQ(f(Op::Multiply, 0x1p-100f, 0x1p-48f), 0x1p-148f); // denormal, not flushed
    EXPECT_EQ(f(Op::Add, 0x1p-149f, 0x1p-149f), 0x1p-148f);
    EXPECT_TRUE(std::signbit(of_unary(T::F32, Op::Negate, 0.0f)));
    EXPECT_FALSE(std::signbit(of_unary(T::F32, Op::Abs, -0.0f)));
    EXPECT_EQ(of_unary(T::F64, Op::Sqrt, 2.0), 0x1.6a09e667f3bcdp+0);
    EXPECT_EQ(of_unary(T::F32, Op::Sqrt, 2.0f), 0x1.6a09e6p+0f);
    EXPECT_TRUE(std::isnan(of_unary(T::F32, Op::Sqrt, -1.0f)));
    EXPECT_TRUE(std::signbit(of_unary(T::F32, Op::Sqrt, -0.0f)));
}

TEST(ReferenceArithmetic, RoundsHalfToEven) {
    struct Case {
        float in, round, floor, ceil;
    };
    for (auto c :
         {Case{0.5f, 0, 0, 1}, Case{1.5f, 2, 1, 2}, Case{2.5f, 2, 2, 3},
          Case{-0.5f, -0.0f, -1, -0.0f}, Case{-1.5f, -2, -2, -1}, Case{-2.5f, -2, -3, -2},
          Case{2.4999998f, 2, 2, 3}, Case{0.49999997f, 0, 0, 1},
          Case{-0.49999997f, -0.0f, -1, -0.0f}, Case{3.7f, 4, 3, 4}, Case{-3.7f, -4, -4, -3},
          Case{8388609.0f, 8388609.0f, 8388609.0f, 8388609.0f}, Case{-0.0f, -0.0f, -0.0f, -0.0f},
          Case{kInf, kInf, kInf, kInf}, Case{-1e-30f, -0.0f, -1, -0.0f}}) {
        EXPECT_EQ(raw(of_unary(T::F32, Op::Round, c.in)), raw(c.round)) << c.in;
        EXPECT_EQ(raw(of_unary(T::F32, Op::Floor, c.in)), raw(c.floor)) << c.in;
        EXPECT_EQ(raw(of_unary(T::F32, Op::Ceil, c.in)), raw(c.ceil)) << c.in;
    }
    EXPECT_TRUE(std::isnan(of_unary(T::F32, Op::Round, kNan)));
    EXPECT_EQ(of_unary(T::F64, Op::Round, 4503599627370497.5), 4503599627370498.0);
}

TEST(ReferenceArithmetic, Comparisons) {
    auto truth = [](T type, Op op, auto a, auto b) {
        return value_of(type, raw(a), raw(b),
                        [op](ExprPtr x, ExprPtr y) { return binary(op, x, y); });
    };
    EXPECT_EQ(truth(T::F32, Op::Less, 1.0f, 2.0f), 1u);
    for (auto op : {Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::Equal})
        EXPECT_EQ(truth(T::F32, op, kNan, 2.0f), 0u) << symbol(op);
    EXPECT_EQ(truth(T::F32, Op::NotEqual, kNan, kNan), 1u);
    EXPECT_EQ(truth(T::F32, Op::Equal, 0.0f, -0.0f), 1u);
    EXPECT_EQ(truth(T::U32, Op::Less, 0xffffffffu, 1u), 0u);
    EXPECT_EQ(truth(T::I32, Op::Less, -1, 1), 1u);
    EXPECT_EQ(truth(T::I32, Op::GreaterEqual, 1, 1), 1u);
    EXPECT_EQ(truth(T::U64, Op::Greater, ~0ull, 1ull), 1u);
    EXPECT_EQ(truth(T::Bool, Op::Equal, true, true), 1u);
    EXPECT_EQ(truth(T::Bool, Op::NotEqual, true, true), 0u);
}

TEST(ReferenceArithmetic, Logic) {
    auto truth = [](Op op, bool a, bool b) {
        return value_of(T::Bool, a, b, [op](ExprPtr x, ExprPtr y) { return binary(op, x, y); }) !=
               0;
    };
    for (bool a : {false, true})
        for (bool b : {false, true}) {
            EXPECT_EQ(truth(Op::LogicalAnd, a, b), a && b);
            EXPECT_EQ(truth(Op::LogicalOr, a, b), a || b);
        }
    EXPECT_EQ(value_of(T::Bool, 1, 0, [](ExprPtr x, ExprPtr) { return unary(Op::LogicalNot, x); }),
              0u);
    // Any byte but 0 that a caller hands in is true, and true is 1.
    EXPECT_EQ(value_of(T::Bool, 7, 0, [](ExprPtr x, ExprPtr) { return x; }), 1u);
    EXPECT_EQ(value_of(T::Bool, 7, 1, [](ExprPtr x, ExprPtr y) { return binary(Op::Equal, x, y); }),
              1u);
}

TEST(ReferenceArithmetic, IntegerCastsWrap) {
    EXPECT_EQ((of_cast<std::uint8_t>(T::U8, T::I32, 300)), 44);
    EXPECT_EQ((of_cast<std::int8_t>(T::I8, T::I32, 200)), -56);
    EXPECT_EQ((of_cast<std::uint32_t>(T::U32, T::I32, -1)), 0xffffffffu);
    EXPECT_EQ((of_cast<std::int64_t>(T::I64, T::U32, 0xffffffffu)), 4294967295);
    EXPECT_EQ((of_cast<std::int64_t>(T::I64, T::I32, -5)), -5);
    EXPECT_EQ((of_cast<std::uint64_t>(T::U64, T::I8, std::int8_t{-1})), ~0ull);
}

TEST(ReferenceArithmetic, FloatToIntegerSaturates) {
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, 3.99f)), 3);
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, -3.99f)), -3);
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, 1e10f)), INT32_MAX);
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, 2147483648.0f)), INT32_MAX);
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, -2147483648.0f)), INT32_MIN);
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, 2147483520.0f)), 2147483520);
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, -kInf)), INT32_MIN);
    EXPECT_EQ((of_cast<std::int32_t>(T::I32, T::F32, kNan)), 0);
    EXPECT_EQ((of_cast<std::uint8_t>(T::U8, T::F32, -0.9f)), 0);
    EXPECT_EQ((of_cast<std::uint8_t>(T::U8, T::F32, -5.0f)), 0);
    EXPECT_EQ((of_cast<std::uint8_t>(T::U8, T::F32, 255.9f)), 255);
    EXPECT_EQ((of_cast<std::uint8_t>(T::U8, T::F32, 256.0f)), 255);
    EXPECT_EQ((of_cast<std::int8_t>(T::I8, T::F32, -128.9f)), -128);
    EXPECT_EQ((of_cast<std::uint64_t>(T::U64, T::F64, 1e30)), ~0ull);
    EXPECT_EQ((of_cast<std::int64_t>(T::I64, T::F64, 9223372036854774784.0)), 9223372036854774784);
    EXPECT_EQ((of_cast<std::int64_t>(T::I64, T::F64, 9223372036854775808.0)), INT64_MAX);
}

TEST(ReferenceArithmetic, CastsToFloatsRoundToNearestEven) {
    EXPECT_EQ((of_cast<float>(T::F32, T::I32, 16777217)), 16777216.0f);
    EXPECT_EQ((of_cast<float>(T::F32, T::I32, 16777219)), 16777220.0f);
    EXPECT_EQ((of_cast<float>(T::F32, T::U64, ~0ull)), 0x1p64f);
    EXPECT_EQ((of_cast<double>(T::F64, T::I64, INT64_MAX)), 0x1p63);
    EXPECT_EQ((of_cast<float>(T::F32, T::F64, 1e300)), kInf);
    EXPECT_EQ((of_cast<float>(T::F32, T::F64, 1.0 + 0x1p-24)), 1.0f);
    EXPECT_EQ((of_cast<float>(T::F32, T::F64, 1.0 + 3 * 0x1p-24)), 1.0f + 0x1p-22f);
    EXPECT_EQ((of_cast<float>(T::F32, T::F64, 0x1p-149)), 0x1p-149f);
}

TEST(ReferenceArithmetic, BoolCasts) {
    EXPECT_EQ((of_cast<std::uint8_t>(T::Bool, T::I32, 256)), 1);
    EXPECT_EQ((of_cast<std::uint8_t>(T::Bool, T::I32, 0)), 0);
    EXPECT_EQ((of_cast<std::uint8_t>(T::Bool, T::F32, -0.0f)), 0);
    EXPECT_EQ((of_cast<std::uint8_t>(T::Bool, T::F32, 0.25f)), 1);
    EXPECT_EQ((of_cast<std::uint8_t>(T::Bool, T::F32, kNan)), 1); // NaN != 0
    EXPECT_EQ((of_cast<float>(T::F32, T::Bool, true)), 1.0f);
    EXPECT_EQ((of_cast<std::int64_t>(T::I64, T::Bool, false)), 0);
}

TEST(ReferenceArithmetic, SelectAndFma) {
    auto chosen = [](ExprPtr a, ExprPtr b) { return select(binary(Op::Less, a, b), a, b); };
    EXPECT_EQ(cooked<float>(value_of(T::F32, raw(2.0f), raw(1.0f), chosen)), 1.0f);
    // 1 + 2^-12 squared has a bit that a rounded product loses.
    auto rest = [](ExprPtr a, ExprPtr b) { return fma(a, a, unary(Op::Negate, b)); };
    float a = 1.0f + 0x1p-12f, b = 1.0f + 0x1p-11f;
    EXPECT_EQ(cooked<float>(value_of(T::F32, raw(a), raw(b), rest)), 0x1p-24f);
}

TEST(ReferenceArithmetic, LetsAndSharedNodes) {
    auto doubled = [](ExprPtr a, ExprPtr b) {
        auto t = variable("t");
        auto sum = add(a, b);
        return let("t", sum, add(multiply(t, t), sum));
    };
    EXPECT_EQ(cooked<std::int32_t>(value_of(T::I32, raw(2), raw(3), doubled)), 30);
}

} // namespace test_reference_arithmetic
} // namespace loopscope::test
