// The 16-bit floats: every value up, dense sweeps down, against core/ir/half.h; with and without
// the processor's own conversion, in scalars and in vectors.
#include "tests/codegen/host_support.h"

#include "core/ir/half.h"

#include <bit>
#include <cmath>
#include <limits>

namespace loopscope::test {
namespace test_half {

using Make = std::function<ExprPtr(ExprPtr)>;

struct Code {
    int lanes;
    std::vector<std::string> without;
};
const std::vector<Code>& codes() {
    static const std::vector<Code> all{{1, {}},          {8, {}},           {16, {}},
                                       {7, {}},          {1, {"f16c"}},     {8, {"f16c"}},
                                       {8, {"avx512f"}}, {32, {"avx512f"}}, {4, {"avx"}}};
    return all;
}

// out[i] = make(a[i]) for arrays of any types, given as their elements' bits.
template <typename R, typename T> std::vector<R> mapped(ScalarType to, ScalarType from,
                                                        const std::vector<T>& values,
                                                        const Make& make, const Code& code) {
    auto size = static_cast<std::int64_t>(values.size());
    lower::StatementPtr body;
    if (code.lanes == 1) {
        body = serial("i", size, put("out", var("i"), make(get("a", from, var("i")))));
    } else {
        auto at = ramp(var("i") * number(code.lanes), number(1), code.lanes);
        auto mask = at < broadcast(number(size), code.lanes);
        body = serial("i", (size + code.lanes - 1) / code.lanes,
                      put("out", at, make(masked_load("a", from, {at}, mask)), mask));
    }
    Array<T> in_array(values);
    Array<R> out_array(values.size());
    run(program({in("a", from, size), out("out", to, size)}, body),
        {in_array.data(), out_array.data()}, 1, code.without);
    EXPECT_TRUE(out_array.intact());
    std::vector<R> result;
    for (std::size_t i = 0; i < values.size(); ++i)
        result.push_back(out_array[i]);
    return result;
}

template <typename R, typename T> void expect_mapped(ScalarType to, ScalarType from,
                                                     const std::vector<T>& values, const Make& make,
                                                     const std::function<R(T)>& wanted) {
    std::vector<R> expected;
    for (T x : values)
        expected.push_back(wanted(x));
    for (const auto& code : codes()) {
        auto got = mapped<R, T>(to, from, values, make, code);
        for (std::size_t i = 0; i < values.size(); ++i)
            ASSERT_TRUE(same_bits<R>(got[i], expected[i]))
                << name(from) << " to " << name(to) << " of " << +values[i] << " in " << code.lanes
                << " lanes" << (code.without.empty() ? "" : " without " + code.without[0])
                << ": got " << +got[i] << ", wanted " << +expected[i];
    }
}

Make casting(ScalarType to) {
    return [to](ExprPtr a) { return cast(to, a); };
}

std::vector<std::uint16_t> all_patterns() {
    std::vector<std::uint16_t> all;
    for (int n = 0; n < 65536; ++n)
        all.push_back(static_cast<std::uint16_t>(n));
    return all;
}

// A sweep over all exponents, and the neighbourhood of all that is halfway between two 16-bit
// values.
std::vector<float> sweep_f32() {
    std::vector<float> values;
    for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += 0x5357)
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    for (std::uint32_t n = 0; n < 65536; n += 3)
        for (std::uint32_t rest : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
            values.push_back(std::bit_cast<float>(n << 16 | rest));
    for (std::uint16_t n = 0; n < 0x7c00; n = static_cast<std::uint16_t>(n + 5)) {
        auto next = n + 1 == 0x7c00 ? 65536.0 : f16_value(static_cast<std::uint16_t>(n + 1));
        auto middle = static_cast<float>((f16_value(n) + next) / 2);
        for (float x : {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, 1e30f)}) {
            values.push_back(x);
            values.push_back(-x);
        }
    }
    return values;
}

std::vector<double> sweep_f64() {
    std::vector<double> values;
    for (float x : sweep_f32())
        if (std::isfinite(x) && values.size() < 300000)
            for (double y :
                 {double{x}, std::nextafter(double{x}, 1e300), std::nextafter(double{x}, -1e300)})
                values.push_back(y);
    using L = std::numeric_limits<double>;
    for (double x : {L::infinity(), -L::infinity(), L::quiet_NaN(), L::max(), L::lowest(),
                     L::denorm_min(), -L::denorm_min(), 65519.99999999999, 65520.0, -0.0})
        values.push_back(x);
    return values;
}

template <typename T> std::vector<T> sweep_integers() {
    std::vector<T> values{0, 1, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
    for (int shift = 0; shift < std::numeric_limits<T>::digits; ++shift)
        for (std::uint64_t fraction = 256; fraction < 512; ++fraction)
            for (int offset : {-1, 0, 1}) {
                auto at = static_cast<T>(
                    (shift >= 9 ? fraction << (shift - 9) : fraction >> (9 - shift)) +
                    static_cast<std::uint64_t>(offset));
                values.push_back(at);
                if (std::is_signed_v<T>)
                    values.push_back(static_cast<T>(0 - static_cast<std::uint64_t>(at)));
            }
    return values;
}

TEST(Half, EveryValueWidens) {
    expect_mapped<float, std::uint16_t>(
        ScalarType::F32, ScalarType::F16, all_patterns(), casting(ScalarType::F32),
        [](std::uint16_t h) { return static_cast<float>(f16_value(h)); });
    expect_mapped<float, std::uint16_t>(
        ScalarType::F32, ScalarType::BF16, all_patterns(), casting(ScalarType::F32),
        [](std::uint16_t h) { return static_cast<float>(bf16_value(h)); });
    expect_mapped<double, std::uint16_t>(ScalarType::F64, ScalarType::F16, all_patterns(),
                                         casting(ScalarType::F64), f16_value);
    expect_mapped<bool, std::uint16_t>(ScalarType::Bool, ScalarType::F16, all_patterns(),
                                       casting(ScalarType::Bool),
                                       [](std::uint16_t h) { return f16_value(h) != 0; });
    expect_mapped<std::int16_t, std::uint16_t>(ScalarType::I16, ScalarType::F16, all_patterns(),
                                               casting(ScalarType::I16), [](std::uint16_t h) {
                                                   double x = f16_value(h);
                                                   return static_cast<std::int16_t>(
                                                       std::isnan(x) ? 0
                                                       : x < -32768  ? -32768
                                                       : x > 32767   ? 32767
                                                                     : x);
                                               });
}

TEST(Half, SingleFloatsRoundOnceToNearestEven) {
    expect_mapped<std::uint16_t, float>(ScalarType::F16, ScalarType::F32, sweep_f32(),
                                        casting(ScalarType::F16),
                                        [](float x) { return f16_bits(double{x}); });
    expect_mapped<std::uint16_t, float>(ScalarType::BF16, ScalarType::F32, sweep_f32(),
                                        casting(ScalarType::BF16),
                                        [](float x) { return bf16_bits(double{x}); });
}

TEST(Half, DoublesRoundOnce) {
    expect_mapped<std::uint16_t, double>(ScalarType::F16, ScalarType::F64, sweep_f64(),
                                         casting(ScalarType::F16),
                                         [](double x) { return f16_bits(x); });
    expect_mapped<std::uint16_t, double>(ScalarType::BF16, ScalarType::F64, sweep_f64(),
                                         casting(ScalarType::BF16),
                                         [](double x) { return bf16_bits(x); });
}

template <typename T> void expect_integers() {
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    auto values = sweep_integers<T>();
    expect_mapped<std::uint16_t, T>(ScalarType::F16, scalar_type<T>(), values,
                                    casting(ScalarType::F16),
                                    [](T x) { return f16_bits(static_cast<Wide>(x)); });
    expect_mapped<std::uint16_t, T>(ScalarType::BF16, scalar_type<T>(), values,
                                    casting(ScalarType::BF16),
                                    [](T x) { return bf16_bits(static_cast<Wide>(x)); });
}

TEST(Half, IntegersRoundOnce) {
    expect_integers<std::int8_t>();
    expect_integers<std::uint8_t>();
    expect_integers<std::int16_t>();
    expect_integers<std::uint16_t>();
    expect_integers<std::int32_t>();
    expect_integers<std::uint32_t>();
    expect_integers<std::int64_t>();
    expect_integers<std::uint64_t>();
}

TEST(Half, ConvertBetweenTheTwo) {
    expect_mapped<std::uint16_t, std::uint16_t>(
        ScalarType::BF16, ScalarType::F16, all_patterns(), casting(ScalarType::BF16),
        [](std::uint16_t h) { return bf16_bits(f16_value(h)); });
    expect_mapped<std::uint16_t, std::uint16_t>(
        ScalarType::F16, ScalarType::BF16, all_patterns(), casting(ScalarType::F16),
        [](std::uint16_t h) { return f16_bits(bf16_value(h)); });
}

// Copies, constants and choices move bits; what was not computed with is not changed.
TEST(Half, MovesAndChoosesBits) {
    expect_mapped<std::uint16_t, std::uint16_t>(
        ScalarType::BF16, ScalarType::BF16, all_patterns(),
        [](ExprPtr a) {
            auto small = cast(ScalarType::F32, a);
            auto one = constant_bits(ScalarType::F32, 0x3f800000);
            auto half = constant_bits(ScalarType::BF16, 0x3f00);
            if (a->lanes > 1) {
                one = broadcast(one, a->lanes);
                half = broadcast(half, a->lanes);
            }
            return select(binary(Op::Less, small, one), half, a);
        },
        [](std::uint16_t h) { return bf16_value(h) < 1 ? std::uint16_t{0x3f00} : h; });
}

// The greater and the lesser of a value and the zero of its sign: of a NaN, a NaN.
TEST(Half, MaximumAndMinimumAreOfSingleFloats) {
    for (auto type : {ScalarType::F16, ScalarType::BF16})
        for (auto op : {Op::Max, Op::Min})
            expect_mapped<std::uint16_t, std::uint16_t>(
                type, type, all_patterns(),
                [&](ExprPtr a) {
                    auto sign = constant_int(ScalarType::U16, 0x8000);
                    if (a->lanes > 1)
                        sign = broadcast(sign, a->lanes);
                    auto zero = reinterpret(
                        type, binary(Op::BitAnd, reinterpret(ScalarType::U16, a), sign));
                    return cast(type,
                                binary(op, cast(ScalarType::F32, a), cast(ScalarType::F32, zero)));
                },
                [&](std::uint16_t h) -> std::uint16_t {
                    bool is_f16 = type == ScalarType::F16;
                    if ((h & 0x7fff) > (is_f16 ? 0x7c00 : 0x7f80))
                        return is_f16 ? 0x7e00 : 0x7fc0;
                    bool negative = h >= 0x8000;
                    auto zero = static_cast<std::uint16_t>(h & 0x8000);
                    return negative == (op == Op::Max) ? zero : h;
                });
}

TEST(Reinterpretation, GivesBitsWithOneNaN) {
    auto bits_of = [](ScalarType to) { return [to](ExprPtr a) { return reinterpret(to, a); }; };
    expect_mapped<std::uint32_t, float>(
        ScalarType::U32, ScalarType::F32, sweep_f32(), bits_of(ScalarType::U32),
        [](float x) { return std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x); });
    expect_mapped<std::uint64_t, double>(
        ScalarType::U64, ScalarType::F64, sweep_f64(), bits_of(ScalarType::U64), [](double x) {
            return std::isnan(x) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(x);
        });
    expect_mapped<std::uint16_t, std::uint16_t>(
        ScalarType::U16, ScalarType::F16, all_patterns(), bits_of(ScalarType::U16),
        [](std::uint16_t h) { return (h & 0x7fff) > 0x7c00 ? std::uint16_t{0x7e00} : h; });
    expect_mapped<std::uint16_t, std::uint16_t>(
        ScalarType::U16, ScalarType::BF16, all_patterns(), bits_of(ScalarType::U16),
        [](std::uint16_t h) { return (h & 0x7fff) > 0x7f80 ? std::uint16_t{0x7fc0} : h; });
    std::vector<std::uint32_t> patterns;
    for (float x : sweep_f32())
        patterns.push_back(std::bit_cast<std::uint32_t>(x));
    expect_mapped<float, std::uint32_t>(ScalarType::F32, ScalarType::U32, patterns,
                                        bits_of(ScalarType::F32),
                                        [](std::uint32_t n) { return std::bit_cast<float>(n); });
}

TEST(Half, ArithmeticIsRefusedWithTheRemedy) {
    auto h = get("a", ScalarType::F16, var("i"));
    auto p = program({in("a", ScalarType::F16, 4), out("out", ScalarType::F16, 4)},
                     serial("i", 4, put("out", var("i"), binary(Op::Add, h, h))));
    auto result = codegen::HostProgram::compile(p);
    ASSERT_FALSE(result.ok());
    EXPECT_NE(format(result.errors()).find("half_arithmetic"), std::string::npos);
}

} // namespace test_half
} // namespace loopscope::test
