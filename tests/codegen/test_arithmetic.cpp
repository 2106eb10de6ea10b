// The arithmetic of languages.md, "Semantics that every back end shares": scalar and vector code
// against plain C++.
#include "compiler/codegen/host/host_info.h"
#include "tests/codegen/host_support.h"
#include "tests/support/turns.h"

#include <cmath>
#include <limits>

namespace loopscope::test {
namespace test_arithmetic {

using Make = std::function<ExprPtr(ExprPtr, ExprPtr)>;

Make operation(Op op) {
    return [op](ExprPtr a, ExprPtr b) { return binary(op, a, b); };
}
Make one(Op op) {
    return [op](ExprPtr a, ExprPtr) { return unary(op, a); };
}

// All pairs of the values.
template <typename T> void pairs(const std::vector<T>& values, std::vector<T>& a,
                                 std::vector<T>& b) {
    for (T x : values)
        for (T y : values) {
            a.push_back(x);
            b.push_back(y);
        }
}

template <typename T> std::vector<T> integers() {
    using L = std::numeric_limits<T>;
    std::vector<T> values{0,
                          1,
                          2,
                          3,
                          5,
                          7,
                          8,
                          31,
                          32,
                          33,
                          63,
                          64,
                          100,
                          L::max(),
                          static_cast<T>(L::max() - 1),
                          static_cast<T>(L::max() / 2)};
    if (L::is_signed)
        for (int n : {-1, -2, -3, -7, -8, -31, -32, -33, -64, -100})
            values.push_back(static_cast<T>(n));
    values.push_back(L::min());
    values.push_back(static_cast<T>(L::min() + 1));
    return values;
}

template <typename T> std::vector<T> floats() {
    using L = std::numeric_limits<T>;
    return {T(0),
            T(-0.0),
            T(1),
            T(-1),
            T(0.5),
            T(-0.5),
            T(1.5),
            T(2.5),
            T(-2.5),
            T(3.7),
            L::infinity(),
            -L::infinity(),
            L::quiet_NaN(),
            -L::quiet_NaN(),
            L::denorm_min(),
            -L::denorm_min(),
            L::min(),
            L::max(),
            L::lowest(),
            T(1e10),
            T(0.1),
            T(127.5),
            T(128),
            T(255.9),
            T(256),
            T(-128.9),
            T(2147483648.0),
            T(-2147483904.0),
            T(4294967296.0),
            T(9223372036854775808.0),
            T(18446744073709551616.0),
            T(8388609.5)};
}

template <typename R, typename T> void expect_pairs(const std::vector<T>& values, const Make& make,
                                                    const std::function<R(T, T)>& wanted) {
    std::vector<T> a, b;
    pairs(values, a, b);
    struct Code {
        int lanes;
        // lesser processors choose other instructions, and library calls
        std::vector<std::string> without;
    };
    const std::vector<Code> codes{
        {1, {}},           {8, {}},          {16, {}},     {7, {}},         {32, {}},       {2, {}},
        {8, {"avx512dq"}}, {8, {"avx512f"}}, {8, {"avx"}}, {4, {"sse4.1"}}, {1, {"sse4.1"}}};
    for (const auto& code : part_in_turn(codes, 2)) {
        auto got = apply<R, T>(code.lanes, a, b, make, code.without);
        for (std::size_t i = 0; i < a.size(); ++i)
            ASSERT_TRUE(same_bits<R>(got[i], wanted(a[i], b[i])))
                << +a[i] << " and " << +b[i] << " in " << code.lanes << " lanes"
                << (code.without.empty() ? "" : " without " + code.without[0]) << ": got "
                << +got[i] << ", wanted " << +wanted(a[i], b[i]);
    }
}

template <typename T> T floor_quotient(T a, T b) {
    using Wide = __int128;
    if (b == 0)
        return 0;
    Wide x = a, y = b, q = x / y;
    if (x % y != 0 && (x < 0) != (y < 0))
        --q;
    return static_cast<T>(q);
}
template <typename T> T floor_remainder(T a, T b) {
    using Wide = __int128;
    return b == 0 ? T{0} : static_cast<T>(Wide{a} - Wide{b} * [&] {
        Wide x = a, y = b, q = x / y;
        return x % y != 0 && (x < 0) != (y < 0) ? q - 1 : q;
    }());
}
template <typename T> T shifted(T a, __int128 left) {
    using U = std::make_unsigned_t<T>;
    constexpr int width = sizeof(T) * 8;
    if (left >= 0)
        return left >= width
                   ? T{0}
                   : static_cast<T>(static_cast<U>(static_cast<unsigned __int128>(static_cast<U>(a))
                                                   << static_cast<int>(left)));
    if (-left >= width)
        return a < 0 ? static_cast<T>(-1) : T{0};
    return static_cast<T>(a >> static_cast<int>(-left));
}

template <typename T> class Integers : public ::testing::Test {};
using IntegerTypes = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t,
                                      std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Integers, IntegerTypes);

TYPED_TEST(Integers, WrapInAddSubtractMultiply) {
    using T = TypeParam;
    using U = unsigned __int128;
    expect_pairs<T, T>(integers<T>(), operation(Op::Add),
                       [](T a, T b) { return static_cast<T>(U(a) + U(b)); });
    expect_pairs<T, T>(integers<T>(), operation(Op::Subtract),
                       [](T a, T b) { return static_cast<T>(U(a) - U(b)); });
    expect_pairs<T, T>(integers<T>(), operation(Op::Multiply),
                       [](T a, T b) { return static_cast<T>(U(a) * U(b)); });
}

TYPED_TEST(Integers, DivideAndModuloFloorAndGiveZeroByZero) {
    using T = TypeParam;
    expect_pairs<T, T>(integers<T>(), operation(Op::Divide),
                       [](T a, T b) { return floor_quotient<T>(a, b); });
    expect_pairs<T, T>(integers<T>(), operation(Op::Modulo),
                       [](T a, T b) { return floor_remainder<T>(a, b); });
}

TYPED_TEST(Integers, DivideByConstants) {
    using T = TypeParam;
    for (int divisor : {1, 2, 3, 7, 8, 10, 64, 100, 0, -1, -2, -3, -8}) {
        if (divisor < 0 && !std::is_signed_v<T>)
            continue;
        auto by = [&](ExprPtr a) {
            auto c = constant_int(a->type, divisor);
            return a->lanes > 1 ? broadcast(c, a->lanes) : c;
        };
        expect_pairs<T, T>(
            integers<T>(), [&](ExprPtr a, ExprPtr) { return binary(Op::Divide, a, by(a)); },
            [&](T a, T) { return floor_quotient<T>(a, static_cast<T>(divisor)); });
        expect_pairs<T, T>(
            integers<T>(), [&](ExprPtr a, ExprPtr) { return binary(Op::Modulo, a, by(a)); },
            [&](T a, T) { return floor_remainder<T>(a, static_cast<T>(divisor)); });
    }
}

TYPED_TEST(Integers, ShiftsBeyondTheWidthAndNegative) {
    using T = TypeParam;
    expect_pairs<T, T>(integers<T>(), operation(Op::ShiftLeft),
                       [](T a, T b) { return shifted<T>(a, b); });
    expect_pairs<T, T>(integers<T>(), operation(Op::ShiftRight),
                       [](T a, T b) { return shifted<T>(a, -static_cast<__int128>(b)); });
}

TYPED_TEST(Integers, MinMaxAbsNegateBits) {
    using T = TypeParam;
    expect_pairs<T, T>(integers<T>(), operation(Op::Min), [](T a, T b) { return std::min(a, b); });
    expect_pairs<T, T>(integers<T>(), operation(Op::Max), [](T a, T b) { return std::max(a, b); });
    expect_pairs<T, T>(integers<T>(), operation(Op::BitAnd),
                       [](T a, T b) { return static_cast<T>(a & b); });
    expect_pairs<T, T>(integers<T>(), operation(Op::BitOr),
                       [](T a, T b) { return static_cast<T>(a | b); });
    expect_pairs<T, T>(integers<T>(), operation(Op::BitXor),
                       [](T a, T b) { return static_cast<T>(a ^ b); });
    expect_pairs<T, T>(integers<T>(), one(Op::BitNot), [](T a, T) { return static_cast<T>(~a); });
    expect_pairs<T, T>(integers<T>(), one(Op::Negate),
                       [](T a, T) { return static_cast<T>(-static_cast<__int128>(a)); });
    expect_pairs<T, T>(integers<T>(), one(Op::Abs), [](T a, T) {
        return static_cast<T>(a < 0 ? -static_cast<__int128>(a) : a);
    });
}

TYPED_TEST(Integers, Compare) {
    using T = TypeParam;
    expect_pairs<bool, T>(integers<T>(), operation(Op::Less), [](T a, T b) { return a < b; });
    expect_pairs<bool, T>(integers<T>(), operation(Op::LessEqual), [](T a, T b) { return a <= b; });
    expect_pairs<bool, T>(integers<T>(), operation(Op::Greater), [](T a, T b) { return a > b; });
    expect_pairs<bool, T>(integers<T>(), operation(Op::GreaterEqual),
                          [](T a, T b) { return a >= b; });
    expect_pairs<bool, T>(integers<T>(), operation(Op::Equal), [](T a, T b) { return a == b; });
    expect_pairs<bool, T>(integers<T>(), operation(Op::NotEqual), [](T a, T b) { return a != b; });
}

template <typename T> class Floats : public ::testing::Test {};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Floats, FloatTypes);

TYPED_TEST(Floats, BasicOperationsAreIeee) {
    using T = TypeParam;
    expect_pairs<T, T>(floats<T>(), operation(Op::Add), [](T a, T b) { return a + b; });
    expect_pairs<T, T>(floats<T>(), operation(Op::Subtract), [](T a, T b) { return a - b; });
    expect_pairs<T, T>(floats<T>(), operation(Op::Multiply), [](T a, T b) { return a * b; });
    expect_pairs<T, T>(floats<T>(), operation(Op::Divide), [](T a, T b) { return a / b; });
    expect_pairs<T, T>(floats<T>(), one(Op::Sqrt), [](T a, T) { return std::sqrt(a); });
    expect_pairs<T, T>(floats<T>(), one(Op::Negate), [](T a, T) { return -a; });
    expect_pairs<T, T>(floats<T>(), one(Op::Abs), [](T a, T) { return std::fabs(a); });
}

TYPED_TEST(Floats, RoundingFunctions) {
    using T = TypeParam;
    expect_pairs<T, T>(floats<T>(), one(Op::Floor), [](T a, T) { return std::floor(a); });
    expect_pairs<T, T>(floats<T>(), one(Op::Ceil), [](T a, T) { return std::ceil(a); });
    expect_pairs<T, T>(floats<T>(), one(Op::Round),
                       [](T a, T) { return std::nearbyint(a); }); // half to even
}

TYPED_TEST(Floats, MinMaxKeepNaNAndOrderZeros) {
    using T = TypeParam;
    auto least = [](T a, T b) {
        if (a != a || b != b)
            return std::numeric_limits<T>::quiet_NaN();
        return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
    };
    auto greatest = [](T a, T b) {
        if (a != a || b != b)
            return std::numeric_limits<T>::quiet_NaN();
        return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
    };
    expect_pairs<T, T>(floats<T>(), operation(Op::Min), least);
    expect_pairs<T, T>(floats<T>(), operation(Op::Max), greatest);
}

TYPED_TEST(Floats, CompareWithNaN) {
    using T = TypeParam;
    expect_pairs<bool, T>(floats<T>(), operation(Op::Less), [](T a, T b) { return a < b; });
    expect_pairs<bool, T>(floats<T>(), operation(Op::LessEqual), [](T a, T b) { return a <= b; });
    expect_pairs<bool, T>(floats<T>(), operation(Op::Greater), [](T a, T b) { return a > b; });
    expect_pairs<bool, T>(floats<T>(), operation(Op::GreaterEqual),
                          [](T a, T b) { return a >= b; });
    expect_pairs<bool, T>(floats<T>(), operation(Op::Equal), [](T a, T b) { return a == b; });
    expect_pairs<bool, T>(floats<T>(), operation(Op::NotEqual), [](T a, T b) { return a != b; });
}

TYPED_TEST(Floats, MultiplyThenAddIsNotFusedButFmaIs) {
    using T = TypeParam;
    expect_pairs<T, T>(
        floats<T>(), [](ExprPtr a, ExprPtr b) { return a * b + a; },
        [](T a, T b) {
            volatile T product = a * b;
            return product + a;
        });
    expect_pairs<T, T>(
        floats<T>(), [](ExprPtr a, ExprPtr b) { return fma(a, b, a); },
        [](T a, T b) { return std::fma(a, b, a); });
    // Differs between the two: (1+3e)*(1+3e) - 1 keeps the square of e only when fused.
    T e = 1 + 3 * std::numeric_limits<T>::epsilon();
    volatile T square = e * e;
    auto split = apply<T, T>(8, std::vector<T>(16, e), std::vector<T>(16, T(-1)),
                             [](ExprPtr a, ExprPtr b) { return a * a + b; });
    auto fused = apply<T, T>(8, std::vector<T>(16, e), std::vector<T>(16, T(-1)),
                             [](ExprPtr a, ExprPtr b) { return fma(a, a, b); });
    EXPECT_EQ(split[3], square - 1);
    EXPECT_EQ(fused[3], std::fma(e, e, T(-1)));
    EXPECT_NE(split[3], fused[3]);
}

// ---- Casts --------------------------------------------------------------------------------------

template <typename R, typename T> R saturated(T x) {
    using L = std::numeric_limits<R>;
    if (x != x)
        return 0;
    T whole = std::trunc(x);
    if (whole <= static_cast<T>(L::min()))
        return L::min();
    if (whole >= std::ldexp(T(1), L::digits))
        return L::max();
    return static_cast<R>(whole);
}

template <typename R, typename T> void expect_cast(const std::vector<T>& values,
                                                   const std::function<R(T)>& wanted) {
    expect_pairs<R, T>(
        values, [](ExprPtr a, ExprPtr) { return cast(scalar_type<R>(), a); },
        [&](T a, T) { return wanted(a); });
}

TYPED_TEST(Floats, CastToIntegersTruncatesSaturatesAndSendsNaNToZero) {
    using T = TypeParam;
    expect_cast<std::int8_t, T>(floats<T>(), saturated<std::int8_t, T>);
    expect_cast<std::uint8_t, T>(floats<T>(), saturated<std::uint8_t, T>);
    expect_cast<std::int16_t, T>(floats<T>(), saturated<std::int16_t, T>);
    expect_cast<std::uint16_t, T>(floats<T>(), saturated<std::uint16_t, T>);
    expect_cast<std::int32_t, T>(floats<T>(), saturated<std::int32_t, T>);
    expect_cast<std::uint32_t, T>(floats<T>(), saturated<std::uint32_t, T>);
    expect_cast<std::int64_t, T>(floats<T>(), saturated<std::int64_t, T>);
    expect_cast<std::uint64_t, T>(floats<T>(), saturated<std::uint64_t, T>);
    expect_cast<bool, T>(floats<T>(), [](T a) { return a != 0; });
}

// The floats on both sides of each integer type's limits, where saturation begins.
TYPED_TEST(Floats, CastToIntegersAtTheLimits) {
    using T = TypeParam;
    std::vector<T> values;
    for (int digits : {7, 8, 15, 16, 31, 32, 63, 64})
        for (T sign : {T(1), T(-1)})
            for (T limit : {std::ldexp(T(1), digits), std::ldexp(T(1), digits) - T(1)}) {
                T up = std::nextafter(limit, T(INFINITY)), down = std::nextafter(limit, T(0));
                for (T x : {limit, up, down, limit - T(0.5), limit + T(0.5)})
                    values.push_back(sign * x);
            }
    expect_cast<std::int8_t, T>(values, saturated<std::int8_t, T>);
    expect_cast<std::uint8_t, T>(values, saturated<std::uint8_t, T>);
    expect_cast<std::int16_t, T>(values, saturated<std::int16_t, T>);
    expect_cast<std::uint16_t, T>(values, saturated<std::uint16_t, T>);
    expect_cast<std::int32_t, T>(values, saturated<std::int32_t, T>);
    expect_cast<std::uint32_t, T>(values, saturated<std::uint32_t, T>);
    expect_cast<std::int64_t, T>(values, saturated<std::int64_t, T>);
    expect_cast<std::uint64_t, T>(values, saturated<std::uint64_t, T>);
}

// LLVM does saturating conversions of vectors lane by lane.
TEST(Casts, VectorsOfFloatsToIntegersStayVectors) {
    for (auto to : {ScalarType::U8, ScalarType::I16, ScalarType::I32}) {
        auto at = ramp(number(0), number(1), 16);
        auto host = compiled(program({in("a", ScalarType::F32, 16), out("out", to, 16)},
                                     put("out", at, cast(to, load("a", ScalarType::F32, {at})))),
                             true);
        ASSERT_TRUE(host);
        const auto& text = host->ir_optimized().text;
        EXPECT_EQ(text.find(".sat."), std::string::npos) << text;
        EXPECT_NE(text.find("fptosi <16 x float>"), std::string::npos) << text;
    }
}

TYPED_TEST(Integers, CastToFloatsRoundsToNearestEven) {
    using T = TypeParam;
    auto values = integers<T>();
    if constexpr (sizeof(T) >= 4)
        for (int shift = 24; shift < std::numeric_limits<T>::digits - 1; shift += 3)
            for (T offset : {T(-3), T(-1), T(0), T(1), T(3)}) // around halfway points of f32
                for (T half : {T(1), T(2), T(3)}) {
                    auto at =
                        static_cast<T>((T(1) << shift) + half * (T(1) << (shift - 24)) + offset);
                    values.push_back(at);
                }
    expect_cast<float, T>(values, [](T a) { return static_cast<float>(a); });
    expect_cast<double, T>(values, [](T a) { return static_cast<double>(a); });
}

TYPED_TEST(Integers, CastsWrap) {
    using T = TypeParam;
    expect_cast<std::int8_t, T>(integers<T>(), [](T a) { return static_cast<std::int8_t>(a); });
    expect_cast<std::uint16_t, T>(integers<T>(), [](T a) { return static_cast<std::uint16_t>(a); });
    expect_cast<std::int32_t, T>(integers<T>(), [](T a) { return static_cast<std::int32_t>(a); });
    expect_cast<std::int64_t, T>(integers<T>(), [](T a) { return static_cast<std::int64_t>(a); });
    expect_cast<std::uint64_t, T>(integers<T>(), [](T a) { return static_cast<std::uint64_t>(a); });
    expect_cast<bool, T>(integers<T>(), [](T a) { return a != 0; });
}

TEST(Casts, BetweenFloatsRoundAndOverflow) {
    auto values = floats<double>();
    for (double x : {1.0 + 1e-8, 1.0 + 0x1p-24, 1.0 + 0x3p-24, 1e300, -1e300, 1e-40,
                     3.4028235677973366e38, 0x1.fffffefffffffp127})
        values.push_back(x);
    expect_cast<float, double>(values, [](double a) { return static_cast<float>(a); });
    expect_cast<double, float>(floats<float>(), [](float a) { return static_cast<double>(a); });
}

TEST(Casts, FromBool) {
    std::vector<bool> bits{false, true};
    for (int lanes : {1, 8}) {
        auto got =
            apply<float, std::uint8_t>(lanes, {0, 1, 2, 255}, {0, 0, 0, 0}, [](ExprPtr a, ExprPtr) {
                return cast(ScalarType::F32, cast(ScalarType::Bool, a));
            });
        EXPECT_EQ(got, (std::vector<float>{0, 1, 1, 1}));
        auto integers = apply<std::int32_t, std::uint8_t>(
            lanes, {0, 1, 2, 255}, {0, 0, 0, 0},
            [](ExprPtr a, ExprPtr) { return cast(ScalarType::I32, cast(ScalarType::Bool, a)); });
        EXPECT_EQ(integers, (std::vector<std::int32_t>{0, 1, 1, 1}));
    }
}

TEST(Logic, OperatorsOnBool) {
    std::vector<std::uint8_t> a{0, 0, 1, 1}, b{0, 1, 0, 1};
    auto logic = [](Op op) {
        return [op](ExprPtr x, ExprPtr y) {
            return binary(op, cast(ScalarType::Bool, x), cast(ScalarType::Bool, y));
        };
    };
    for (int lanes : {1, 8}) {
        EXPECT_EQ((apply<bool, std::uint8_t>(lanes, a, b, logic(Op::LogicalAnd))),
                  (std::vector<bool>{0, 0, 0, 1}));
        EXPECT_EQ((apply<bool, std::uint8_t>(lanes, a, b, logic(Op::LogicalOr))),
                  (std::vector<bool>{0, 1, 1, 1}));
        EXPECT_EQ((apply<bool, std::uint8_t>(lanes, a, b, logic(Op::Equal))),
                  (std::vector<bool>{1, 0, 0, 1}));
        EXPECT_EQ((apply<bool, std::uint8_t>(lanes, a, b, logic(Op::Min))),
                  (std::vector<bool>{0, 0, 0, 1}));
        EXPECT_EQ((apply<bool, std::uint8_t>(lanes, a, b,
                                             [](ExprPtr x, ExprPtr) {
                                                 return unary(Op::LogicalNot,
                                                              cast(ScalarType::Bool, x));
                                             })),
                  (std::vector<bool>{1, 1, 0, 0}));
    }
}

// In two registers: one instruction orders numbers and zeros, two see to NaN.
TEST(Extremes, OfVectorsTakeThreeInstructions) {
    const auto& host = codegen::host_info();
    if (!host.has("avx512dq") || !host.has("avx512vl") || host.vector_bits < 512)
        GTEST_SKIP() << "this processor has no VRANGEPS";
    constexpr int kLanes = 32;
    auto at = ramp(number(0), number(1), kLanes);
    auto of = [&](const char* name) { return load(name, ScalarType::F32, {at}); };
    auto p = program({in("a", ScalarType::F32, kLanes), in("b", ScalarType::F32, kLanes),
                      out("o", ScalarType::F32, kLanes)},
                     put("o", at, binary(Op::Max, of("a"), of("b"))));
    auto code = compiled(p, true);
    ASSERT_TRUE(code);
    const auto text = code->assembly().text;
    for (const char* word : {"vrangeps", "vcmpunordps", "vaddps"}) {
        int count = 0;
        for (auto found = text.find(word); found != std::string::npos;
             found = text.find(word, found + 1))
            ++count;
        EXPECT_EQ(count, 2) << word << "\n" << text;
    }
    EXPECT_EQ(text.find("blend"), std::string::npos) << text;
}

TEST(Selection, ByScalarAndByVector) {
    std::vector<std::int32_t> a{1, 5, -3, 9}, b{2, 4, -3, 10};
    for (int lanes : {1, 8})
        EXPECT_EQ((apply<std::int32_t, std::int32_t>(
                      lanes, a, b, [](ExprPtr x, ExprPtr y) { return select(x < y, x, y); })),
                  (std::vector<std::int32_t>{1, 4, -3, 9}));
}

} // namespace test_arithmetic
} // namespace loopscope::test
