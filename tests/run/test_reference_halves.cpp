// f16 and bf16 in the reference: every operation against exact arithmetic, rounded by searching all
// values of the type.
#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "core/ir/half.h"
#include "tests/run/build.h"

#include <cmath>
#include <limits>

namespace loopscope::test {
namespace test_reference_halves {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMany = 20000;

double value_of(T type, std::uint16_t bits) {
    return type == T::F16 ? f16_value(bits) : bf16_value(bits);
}
std::uint16_t bits_of(T type, double value) {
    return type == T::F16 ? f16_bits(value) : bf16_bits(value);
}
std::uint16_t infinity(T type) { return type == T::F16 ? 0x7c00 : 0x7f80; }
std::uint16_t one_nan(T type) { return type == T::F16 ? 0x7e00 : 0x7fc0; }

Buffer halves(T type, const std::vector<double>& values) {
    auto b = make_buffer(type, {static_cast<std::int64_t>(values.size())}).value();
    for (std::size_t i = 0; i < values.size(); ++i)
        b.as<std::uint16_t>()[i] = bits_of(type, values[i]);
    return b;
}

using Wide = __float128; // 113 bits: products and sums of these types' moderate values are exact

// The magnitude nearest to one that `is_below` knows only by comparison with others, ties to even.
// is_below(m): -1 where the exact magnitude is below m, 0 where it is m, 1 where it is above.
template <typename Compare> std::uint16_t nearest(T type, Compare compare) {
    std::uint16_t low = 0,
                  // low <= exact magnitude; the greatest finite's step goes on
        high = infinity(type);
    while (high - low > 1) {
        auto middle = static_cast<std::uint16_t>((low + high) / 2);
        (compare(static_cast<Wide>(value_of(type, middle))) >= 0 ? low : high) = middle;
    }
    Wide below = value_of(type, low);
    Wide above = high == infinity(type) ? below + (below - Wide(value_of(type, low - 1)))
                                        : Wide(value_of(type, high));
    int side = compare((below + above) / 2);
    return side > 0 || (side == 0 && (low & 1)) ? high : low;
}

int sign_of(Wide x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }
Wide magnitude(Wide x) { return x < 0 ? -x : x; }

// Many values: random bits of moderate exponents, so that Wide is exact, and small ones down to
// denormals.
Buffer operands(T type, std::uint64_t seed) {
    auto b = random_buffer(type, {kMany}, seed, RandomMode::FullRange).value();
    if (type == T::BF16)
        for (std::int64_t i = 0; i < kMany; ++i) {
            auto& bits = b.as<std::uint16_t>()[i];
            // Exponents of 2^-16 to 2^15.
            bits = static_cast<std::uint16_t>((bits & 0x807f) | (((bits >> 7 & 31) + 111) << 7));
        }
    return b;
}

template <typename Make> Buffer evaluated(T type, const std::vector<Buffer>& inputs, Make make) {
    std::vector<Stage> stages;
    std::map<std::string, Buffer> arrays;
    std::vector<ExprPtr> loads;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        auto name = std::string(1, static_cast<char>('a' + i));
        stages.push_back(input(name, type, inputs[i].extents));
        arrays.emplace(name, inputs[i]);
        loads.push_back(load(name, type, {v("x")}));
    }
    stages.push_back(pure("s", {"x"}, make(loads)));
    auto outputs = evaluate(pipeline(std::move(stages), "s", inputs[0].extents), arrays);
    EXPECT_TRUE(outputs) << (outputs ? "" : format(outputs.errors()));
    return outputs->at("s");
}

std::string case_text(T type, double a, double b, double c = 0) {
    return std::string(name(type)) + " " + std::to_string(a) + ", " + std::to_string(b) + ", " +
           std::to_string(c);
}

void expect_operation(T type, Op op) {
    auto a = operands(type, 1), b = operands(type, 2);
    auto s = evaluated(type, {a, b},
                       [op](const std::vector<ExprPtr>& in) { return binary(op, in[0], in[1]); });
    for (std::int64_t i = 0; i < kMany; ++i) {
        Wide x = value_of(type, a.as<std::uint16_t>()[i]),
             y = value_of(type, b.as<std::uint16_t>()[i]);
        auto compare = [&](Wide m) {
            if (op == Op::Divide) // |x / y| against m
                return sign_of(magnitude(x) - m * magnitude(y));
            Wide exact = op == Op::Add ? x + y : op == Op::Subtract ? x - y : x * y;
            return sign_of(magnitude(exact) - m);
        };
        if (op == Op::Divide && y == 0)
            continue;
        auto actual = s.as<std::uint16_t>()[i];
        ASSERT_EQ(actual & 0x7fff, nearest(type, compare))
            << symbol(op) << " " << case_text(type, double(x), double(y));
        bool negative = op == Op::Add        ? x + y < 0
                        : op == Op::Subtract ? x - y < 0
                                             : (x < 0) != (y < 0);
        bool signed_result = x != 0 && y != 0 && (actual & 0x7fff);
        ASSERT_TRUE(!signed_result || (actual >> 15 != 0) == negative)
            << case_text(type, double(x), double(y));
    }
}

TEST(ReferenceHalves, EveryOperationRoundsOnce) {
    for (auto type : {T::F16, T::BF16})
        for (auto op : {Op::Add, Op::Subtract, Op::Multiply, Op::Divide})
            expect_operation(type, op);
}

TEST(ReferenceHalves, SquareRootsOfAll) {
    for (auto type : {T::F16, T::BF16}) {
        auto a = make_buffer(type, {infinity(type)}).value();
        for (int i = 0; i < infinity(type); ++i)
            a.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
        auto s = evaluated(type, {a},
                           [](const std::vector<ExprPtr>& in) { return unary(Op::Sqrt, in[0]); });
        for (int i = 0; i < infinity(type); ++i) {
            Wide x = value_of(type, static_cast<std::uint16_t>(i));
            ASSERT_EQ(s.as<std::uint16_t>()[i],
                      nearest(type, [&](Wide m) { return sign_of(x - m * m); }))
                << double(x);
        }
    }
}

TEST(ReferenceHalves, FusedMultiplyAddRoundsOnce) {
    for (auto type : {T::F16, T::BF16}) {
        auto a = operands(type, 3), b = operands(type, 4), c = operands(type, 5);
        // Sums near a product's ties: c is a half or a quarter of a unit of a*b.
        for (std::int64_t i = 0; i < kMany; i += 2) {
            double product =
                value_of(type, a.as<std::uint16_t>()[i]) * value_of(type, b.as<std::uint16_t>()[i]);
            c.as<std::uint16_t>()[i] = bits_of(type, product * (type == T::F16 ? 0x1p-12 : 0x1p-9));
        }
        auto s = evaluated(type, {a, b, c},
                           [](const std::vector<ExprPtr>& in) { return fma(in[0], in[1], in[2]); });
        for (std::int64_t i = 0; i < kMany; ++i) {
            auto at = [&](const Buffer& in) { return value_of(type, in.as<std::uint16_t>()[i]); };
            Wide exact = Wide(at(a)) * Wide(at(b)) + Wide(at(c));
            auto actual = s.as<std::uint16_t>()[i];
            ASSERT_EQ(actual & 0x7fff,
                      nearest(type, [&](Wide m) { return sign_of(magnitude(exact) - m); }))
                << case_text(type, at(a), at(b), at(c));
            ASSERT_TRUE((actual & 0x7fff) == 0 || (actual >> 15 != 0) == (exact < 0));
        }
    }
}

// The bits of make(a, b) for one pair of values.
template <typename Make> std::uint16_t of(T type, double a, double b, Make make) {
    return evaluated(type, {halves(type, {a}), halves(type, {b})}, make)
        .template as<std::uint16_t>()[0];
}
std::uint16_t of(T type, Op op, double a, double b) {
    return of(type, a, b,
              [op](const std::vector<ExprPtr>& in) { return binary(op, in[0], in[1]); });
}
std::uint16_t of(T type, Op op, double a) {
    return of(type, a, 0, [op](const std::vector<ExprPtr>& in) { return unary(op, in[0]); });
}

TEST(ReferenceHalves, OverflowsDenormalsAndNaNs) {
    for (auto type : {T::F16, T::BF16}) {
        double greatest = value_of(type, infinity(type) - 1), least = value_of(type, 1);
        EXPECT_EQ(of(type, Op::Add, greatest, greatest), infinity(type));
        EXPECT_EQ(of(type, Op::Multiply, -greatest, 2), infinity(type) | 0x8000);
        EXPECT_EQ(of(type, Op::Add, least, least), 2) << "denormals are kept";
        EXPECT_EQ(of(type, Op::Multiply, least, 0.5), 0) << "a tie to even";
        EXPECT_EQ(of(type, Op::Multiply, 3 * least, 0.5), 2);
        EXPECT_EQ(of(type, Op::Divide, 1, 0), infinity(type));
        EXPECT_TRUE(std::isnan(value_of(type, of(type, Op::Divide, 0, 0))));
        EXPECT_TRUE(std::isnan(value_of(type, of(type, Op::Sqrt, -1))));
        EXPECT_EQ(of(type, Op::Sqrt, -0.0), 0x8000);
        EXPECT_EQ(of(type, Op::Negate, 0), 0x8000);
        EXPECT_EQ(of(type, Op::Abs, -1.5), bits_of(type, 1.5));
        EXPECT_EQ(of(type, Op::Abs, -0.0), 0);
    }
}

TEST(ReferenceHalves, MinMaxAndComparisons) {
    for (auto type : {T::F16, T::BF16}) {
        EXPECT_EQ(of(type, Op::Min, 2, -3), bits_of(type, -3));
        EXPECT_EQ(of(type, Op::Max, kInf, -3), infinity(type));
        EXPECT_EQ(of(type, Op::Min, 0.0, -0.0), 0x8000);
        EXPECT_EQ(of(type, Op::Min, -0.0, 0.0), 0x8000);
        EXPECT_EQ(of(type, Op::Max, 0.0, -0.0), 0);
        EXPECT_EQ(of(type, Op::Max, -0.0, 0.0), 0);
        for (auto op : {Op::Min, Op::Max}) {
            EXPECT_TRUE(std::isnan(value_of(type, of(type, op, kNan, 1))));
            EXPECT_TRUE(std::isnan(value_of(type, of(type, op, 1, kNan))));
        }
        auto truth = [&](Op op, double a, double b) {
            auto s = evaluated(
                type, {halves(type, {a}), halves(type, {b})},
                [op](const std::vector<ExprPtr>& in) { return binary(op, in[0], in[1]); });
            return s.as<std::uint8_t>()[0] == 1;
        };
        EXPECT_TRUE(truth(Op::Less, -1, 2));
        EXPECT_TRUE(truth(Op::Equal, 0.0, -0.0));
        EXPECT_TRUE(truth(Op::NotEqual, kNan, kNan));
        EXPECT_TRUE(truth(Op::GreaterEqual, kInf, kInf));
        for (auto op : {Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual, Op::Equal})
            EXPECT_FALSE(truth(op, kNan, 1)) << symbol(op);
    }
}

TEST(ReferenceHalves, RoundsToWholeNumbers) {
    struct Case {
        double in, round, floor, ceil;
    };
    for (auto type : {T::F16, T::BF16})
        for (auto c : {Case{0.5, 0, 0, 1}, Case{1.5, 2, 1, 2}, Case{2.5, 2, 2, 3},
                       Case{-0.5, -0.0, -1, -0.0}, Case{-2.5, -2, -3, -2}, Case{3.75, 4, 3, 4},
                       Case{-0.0, -0.0, -0.0, -0.0}, Case{kInf, kInf, kInf, kInf}}) {
            EXPECT_EQ(of(type, Op::Round, c.in), bits_of(type, c.round)) << c.in;
            EXPECT_EQ(of(type, Op::Floor, c.in), bits_of(type, c.floor)) << c.in;
            EXPECT_EQ(of(type, Op::Ceil, c.in), bits_of(type, c.ceil)) << c.in;
        }
}

template <typename To, typename From> To converted(T to, T from, From value) {
    auto p = pipeline(
        {input("a", from, {1}), pure("s", {"x"}, cast(to, load("a", from, {v("x")})))}, "s", {1});
    return run<To>(p, {{"a", buffer<From>(from, {1}, {value})}})[0];
}

TEST(ReferenceHalves, CastsFromEverywhereRoundOnce) {
    using Bits = std::uint16_t;
    EXPECT_EQ((converted<Bits>(T::F16, T::I32, 2049)), f16_bits(2048.0));
    EXPECT_EQ((converted<Bits>(T::F16, T::I32, 2051)), f16_bits(2052.0));
    EXPECT_EQ((converted<Bits>(T::F16, T::I64, std::int64_t{65519})), f16_bits(65504.0));
    EXPECT_EQ((converted<Bits>(T::F16, T::I64, std::int64_t{65520})), 0x7c00);
    EXPECT_EQ((converted<Bits>(T::F16, T::U64, ~std::uint64_t{0})), 0x7c00);
    EXPECT_EQ((converted<Bits>(T::F16, T::I8, std::int8_t{-100})), f16_bits(-100.0));
    EXPECT_EQ((converted<Bits>(T::BF16, T::Bool, std::uint8_t{1})), bf16_bits(1.0));
    // Just above a tie; a double between would put it on the tie.
    auto close = (std::int64_t{1} << 62) + (std::int64_t{1} << 54) + 1;
    EXPECT_EQ(bf16_value(converted<Bits>(T::BF16, T::I64, close)), 0x1p62 + 0x1p55);
    EXPECT_EQ(bf16_value(converted<Bits>(T::BF16, T::I64, -close)), -0x1p62 - 0x1p55);
    EXPECT_EQ(bf16_value(converted<Bits>(T::BF16, T::U64, static_cast<std::uint64_t>(close))),
              0x1p62 + 0x1p55);
    // An f32 between would do the same here.
    EXPECT_EQ((converted<Bits>(T::F16, T::F64, 1 + 0x1p-11 + 0x1p-40)), f16_bits(1 + 0x1p-10));
    EXPECT_EQ((converted<Bits>(T::F16, T::F64, 1 + 0x1p-11)), f16_bits(1.0));
    EXPECT_EQ((converted<Bits>(T::F16, T::F32, 0x1p-25f)), 0);
    EXPECT_EQ((converted<Bits>(T::F16, T::F32, 0x1.8p-25f)), 1);
    EXPECT_EQ((converted<Bits>(T::BF16, T::F32, 0x1p-149f)), 0);
    EXPECT_EQ((converted<Bits>(T::BF16, T::F16, f16_bits(1 + 0x1p-10))), bf16_bits(1.0));
    EXPECT_EQ((converted<Bits>(T::F16, T::BF16, bf16_bits(0x1p100))), 0x7c00);
    EXPECT_EQ((converted<Bits>(T::F16, T::F32, -std::numeric_limits<float>::quiet_NaN())), 0x7e00);
}

TEST(ReferenceHalves, CastsToOthers) {
    auto half = [](double value) { return f16_bits(value); };
    EXPECT_EQ((converted<std::int32_t>(T::I32, T::F16, half(-3.99))), -3);
    EXPECT_EQ((converted<std::int32_t>(T::I32, T::F16, half(kInf))), INT32_MAX);
    EXPECT_EQ((converted<std::int32_t>(T::I32, T::F16, half(-kInf))), INT32_MIN);
    EXPECT_EQ((converted<std::int32_t>(T::I32, T::F16, half(kNan))), 0);
    EXPECT_EQ((converted<std::uint8_t>(T::U8, T::F16, half(300))), 255);
    EXPECT_EQ((converted<std::uint8_t>(T::U8, T::F16, half(-1))), 0);
    EXPECT_EQ((converted<std::int16_t>(T::I16, T::F16, half(65504))), 32767);
    EXPECT_EQ((converted<std::int64_t>(T::I64, T::BF16, bf16_bits(0x1p100))), INT64_MAX);
    EXPECT_EQ((converted<std::uint8_t>(T::Bool, T::F16, half(-0.0))), 0);
    EXPECT_EQ((converted<std::uint8_t>(T::Bool, T::F16, half(kNan))), 1);
    EXPECT_EQ((converted<float>(T::F32, T::F16, std::uint16_t{1})), 0x1p-24f);
    EXPECT_EQ((converted<float>(T::F32, T::BF16, std::uint16_t{1})), 0x1p-133f);
    EXPECT_EQ((converted<double>(T::F64, T::F16, half(0.1))), f16_value(half(0.1)));
}

TEST(ReferenceHalves, EveryValueDecodesAndReturns) {
    for (auto type : {T::F16, T::BF16}) {
        auto all = make_buffer(type, {65536}).value();
        for (int i = 0; i < 65536; ++i)
            all.as<std::uint16_t>()[i] = static_cast<std::uint16_t>(i);
        auto wide = evaluated(type, {all},
                              [](const std::vector<ExprPtr>& in) { return cast(T::F64, in[0]); });
        auto back = evaluated(type, {all}, [type](const std::vector<ExprPtr>& in) {
            return cast(type, cast(T::F64, in[0]));
        });
        for (int i = 0; i < 65536; ++i) {
            double expected = value_of(type, static_cast<std::uint16_t>(i));
            if (std::isnan(expected)) {
                ASSERT_TRUE(std::isnan(wide.as<double>()[i])) << i;
                ASSERT_EQ(back.as<std::uint16_t>()[i], one_nan(type));
            } else {
                ASSERT_EQ(wide.as<double>()[i], expected) << i;
                ASSERT_EQ(back.as<std::uint16_t>()[i], i);
            }
        }
    }
}

TEST(ReferenceHalves, ReductionsRoundEachStep) {
    auto total = [](T type, ReductionOp op, std::int64_t terms, double value) {
        auto p = pipeline(
            {reduction("s", {"x"}, op, {axis("k", 0, terms)}, constant_float(type, value))}, "s",
            {1});
        return value_of(type, run<std::uint16_t>(p)[0]);
    };
    EXPECT_EQ(total(T::F16, ReductionOp::Sum, 5000, 1), 2048);
    EXPECT_EQ(total(T::BF16, ReductionOp::Sum, 5000, 1), 256);
    EXPECT_EQ(total(T::F16, ReductionOp::Product, 20, 2), kInf);
    EXPECT_EQ(total(T::F16, ReductionOp::Min, 0, 1), kInf);
    EXPECT_EQ(total(T::BF16, ReductionOp::Max, 0, 1), -kInf);
    EXPECT_EQ(total(T::F16, ReductionOp::Product, 0, 2), 1);
    EXPECT_TRUE(std::isnan(total(T::F16, ReductionOp::Max, 3, kNan)));
}

TEST(ReferenceHalves, ContractionFusesThemToo) {
    // a*a = 1 + 2^-4 + 2^-10 exactly; its last bit is half a unit of f16.
    auto p =
        pipeline({input("a", T::F16, {1}),
                  pure("s", {"x"},
                       subtract(multiply(load("a", T::F16, {v("x")}), load("a", T::F16, {v("x")})),
                                constant_float(T::F16, 1)))},
                 "s", {1});
    std::map<std::string, Buffer> inputs{{"a", halves(T::F16, {1 + 0x1p-6})}};
    double exact = 0x1p-5 + 0x1p-12;
    EXPECT_EQ(f16_value(run<std::uint16_t>(p, inputs)[0]), 0x1p-5);
    ReferenceOptions options;
    options.contracted = {{"s", 0}};
    EXPECT_EQ(f16_value(run<std::uint16_t>(p, inputs, options)[0]), exact);
}

} // namespace test_reference_halves
} // namespace loopscope::test
