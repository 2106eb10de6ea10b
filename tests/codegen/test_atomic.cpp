// Atomic stores: whatever threads and lanes do, no step is lost.
#include "tests/codegen/host_support.h"

#include "core/ir/half.h"

#include <cmath>
#include <limits>

namespace loopscope::test {
namespace test_atomic {

constexpr int kSteps = 4096, kBins = 3, kThreads = 4;

// out[bin(i)] = out[bin(i)] op a[i] for all i, some of them masked off. Lanes collide: neighbours
// share a bin.
template <typename T> std::vector<T> scattered(ScalarType type, Op op, const std::vector<T>& values,
                                               T first, int lanes) {
    auto size = static_cast<std::int64_t>(values.size());
    auto spread = [&](ExprPtr e) { return lanes > 1 ? broadcast(e, lanes) : e; };
    auto at = lanes > 1 ? ramp(var("i") * number(lanes), number(1), lanes) : var("i");
    auto bin = binary(Op::Modulo, binary(Op::Divide, at, spread(number(2))), spread(number(kBins)));
    // Every fifth stays out.
    auto mask = binary(Op::NotEqual, binary(Op::Modulo, at, spread(number(5))), spread(number(0)));
    auto value = load("a", type, {at});
    auto body = lower::block(
        {serial("j", kBins,
                put("out", var("j"),
                    load("first", type, {binary(Op::Multiply, var("j"), number(0))}))),
         parallel("i", size / lanes, lower::atomic({}, "out", {bin}, op, value, mask))});
    Array<T> from(values), start(1, first), result(kBins);
    run(program({in("a", type, size), in("first", type, 1), out("out", type, kBins)}, body),
        {from.data(), start.data(), result.data()}, kThreads);
    EXPECT_TRUE(result.intact());
    std::vector<T> got;
    for (int i = 0; i < kBins; ++i)
        got.push_back(result[static_cast<std::size_t>(i)]);
    return got;
}

template <typename T> void expect_scattered(ScalarType type, Op op, const std::vector<T>& values,
                                            T first, const std::function<T(T, T)>& step) {
    std::vector<T> wanted(kBins, first);
    for (std::size_t i = 0; i < values.size(); ++i)
        if (i % 5 != 0) {
            auto& bin = wanted[i / 2 % kBins];
            bin = step(bin, values[i]);
        }
    for (int lanes : {1, 4, 8, 32}) {
        auto got = scattered<T>(type, op, values, first, lanes);
        for (int bin = 0; bin < kBins; ++bin)
            EXPECT_TRUE(same_bits(got[static_cast<std::size_t>(bin)],
                                  wanted[static_cast<std::size_t>(bin)]))
                << name(type) << " " << symbol(op) << " in " << lanes << " lanes, bin " << bin
                << ": got " << +got[static_cast<std::size_t>(bin)] << ", wanted "
                << +wanted[static_cast<std::size_t>(bin)];
    }
}

template <typename T> std::vector<T> ramp_values() {
    std::vector<T> values;
    for (int i = 0; i < kSteps; ++i)
        values.push_back(static_cast<T>((i * 37) % 97 - (std::is_unsigned_v<T> ? 0 : 48)));
    return values;
}

template <typename T> class Atomic : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(Atomic, Types);

TYPED_TEST(Atomic, IntegersLoseNoStep) {
    using T = TypeParam;
    auto type = scalar_type<T>();
    auto values = ramp_values<T>();
    expect_scattered<T>(type, Op::Add, values, T{5},
                        [](T a, T b) { return static_cast<T>(a + b); });
    expect_scattered<T>(type, Op::Min, values, T{90}, [](T a, T b) { return std::min(a, b); });
    expect_scattered<T>(type, Op::Max, values, T{1}, [](T a, T b) { return std::max(a, b); });
    for (auto& v : values)
        v = static_cast<T>(v | 1);
    expect_scattered<T>(type, Op::Multiply, values, T{3}, [](T a, T b) {
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    });
}

template <typename T> void expect_floats() {
    auto type = scalar_type<T>();
    auto values = ramp_values<T>(); // whole: sums are exact in any order
    expect_scattered<T>(type, Op::Add, values, T(0.5), [](T a, T b) { return a + b; });
    std::vector<T> signs;
    for (int i = 0; i < kSteps; ++i)
        signs.push_back(i % 7 == 0 ? T(-1) : T(1));
    expect_scattered<T>(type, Op::Multiply, signs, T(3), [](T a, T b) { return a * b; });
    auto least = [](T a, T b) {
        return a != a || b != b ? std::numeric_limits<T>::quiet_NaN()
               : a == b         ? (std::signbit(a) ? a : b)
                                : std::min(a, b);
    };
    auto greatest = [](T a, T b) {
        return a != a || b != b ? std::numeric_limits<T>::quiet_NaN()
               : a == b         ? (std::signbit(a) ? b : a)
                                : std::max(a, b);
    };
    expect_scattered<T>(type, Op::Min, values, std::numeric_limits<T>::infinity(), least);
    expect_scattered<T>(type, Op::Max, values, -std::numeric_limits<T>::infinity(), greatest);
    std::vector<T> zeros(kSteps, T(0));
    zeros[7] = zeros[101] = T(-0.0);
    expect_scattered<T>(type, Op::Min, zeros, T(0), least);
    expect_scattered<T>(type, Op::Max, std::vector<T>(kSteps, T(0)), T(-0.0), greatest);
    values[13] = std::numeric_limits<T>::quiet_NaN(); // one bin
    expect_scattered<T>(type, Op::Min, values, T(0), least);
    expect_scattered<T>(type, Op::Max, values, T(0), greatest);
    expect_scattered<T>(type, Op::Add, values, T(0), [](T a, T b) { return a + b; });
}

TEST(AtomicFloats, LoseNoStepAndFollowTheLanguage) {
    expect_floats<float>();
    expect_floats<double>();
}

TEST(AtomicFloats, OfSixteenBits) {
    for (auto type : {ScalarType::F16, ScalarType::BF16}) {
        bool f16 = type == ScalarType::F16;
        auto bits = [&](double x) { return f16 ? f16_bits(x) : bf16_bits(x); };
        auto number_of = [&](std::uint16_t h) { return f16 ? f16_value(h) : bf16_value(h); };
        std::vector<std::uint16_t> values;
        for (int i = 0; i < kSteps; ++i) // stays within what 8 bits hold
            values.push_back(bits(i % 4 == 0 ? 1 : i % 4 == 1 ? -1 : i % 4 == 2 ? 0.5 : -0.5));
        auto steps = [&](Op op, auto step, std::uint16_t first) {
            expect_scattered<std::uint16_t>(type, op, values, first,
                                            [&](std::uint16_t a, std::uint16_t b) {
                                                return bits(step(number_of(a), number_of(b)));
                                            });
        };
        steps(Op::Max, [](double a, double b) { return std::max(a, b); }, bits(-4));
        steps(Op::Min, [](double a, double b) { return std::min(a, b); }, bits(4));
        for (auto& v : values)
            v = bits(number_of(v) < 0 ? -1 : 1);
        steps(Op::Multiply, [](double a, double b) { return a * b; }, bits(1.5));
        for (std::size_t i = 0; i < values.size();
             ++i) // 1 now and then, else 0: whole sums up to 100
            values[i] = bits(i % 41 == 0 ? 1 : 0);
        steps(Op::Add, [](double a, double b) { return a + b; }, bits(0));
    }
}

TEST(AtomicLogic, OnBytes) {
    for (bool any : {false, true}) {
        std::vector<std::uint8_t> values(kSteps, any ? 0 : 1);
        values[8] = any ? 1 : 0; // bin 1
        auto step = [&](std::uint8_t a, std::uint8_t b) {
            return static_cast<std::uint8_t>(any ? a | b : a & b);
        };
        expect_scattered<std::uint8_t>(ScalarType::Bool, any ? Op::LogicalOr : Op::LogicalAnd,
                                       values, any ? 0 : 1, step);
    }
}

TEST(AtomicLogic, UnknownOperationsAreRefused) {
    auto p = program({in("a", ScalarType::I32, 4), out("out", ScalarType::I32, 4)},
                     serial("i", 4,
                            lower::atomic({}, "out", {var("i")}, Op::Subtract,
                                          get("a", ScalarType::I32, var("i")))));
    auto result = codegen::HostProgram::compile(p);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(format(result.errors()).find("atomic - of i32"), std::string::npos)
        << format(result.errors());
}

} // namespace test_atomic
} // namespace loopscope::test
