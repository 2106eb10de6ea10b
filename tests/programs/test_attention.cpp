// Attention, in f32 and in f16, under its default and shipped schedules: against the reference
// interpreter, independent code, and what it is for.

#include "tests/programs/independent_attention.h"
#include "tests/programs/independent_operators.h"
#include "tests/programs/runs.h"

#include <gtest/gtest.h>

#include <random>

using namespace loopscope;
using namespace loopscope::test;

namespace test_attention {

Params params(const independent::AttentionSizes& s) {
    return {{"HEADS", s.heads}, {"LENGTH", s.length}, {"DEPTH", s.depth}};
}

// Queries, keys and values as a trained layer has them: of mean 0 and variance 1, times `scale`.
Buffers normal_inputs(const independent::AttentionSizes& s, double scale) {
    std::mt19937 generator(11);
    std::normal_distribution<double> normal(0, scale);
    Buffers inputs;
    for (const char* name : {"Q", "K", "V"}) {
        auto buffer = make_buffer(ScalarType::F32, {s.heads, s.length, s.depth}).value();
        for (std::int64_t n = 0; n < buffer.count(); ++n)
            buffer.as<float>()[n] = float(normal(generator));
        inputs[name] = std::move(buffer);
    }
    return inputs;
}

// How far an f32 result may be from the exact mean. A score is off by depth + 1 roundings of its
// terms' magnitudes, the maximum's likewise: the exponent by twice that, and the weight by as much,
// relatively; 4 ulp of exp, the difference, and the division add 6 roundings. The total and the
// mean take a rounding for each key. A mean of values of at most `v` is so off by v times twice
// what a weight is off by (weights and total), plus its own roundings.
double bound(const independent::AttentionSizes& s, const Buffers& inputs) {
    const double unit = std::ldexp(1.0, -24);
    auto greatest = [&](const char* name) {
        double most = 0;
        for (float value : values<float>(inputs.at(name)))
            most = std::max(most, std::fabs(double(value)));
        return most;
    };
    double terms = greatest("Q") * greatest("K") * s.depth / std::sqrt(double(s.depth));
    double score = (s.depth + 2) * unit * terms;
    double weight = 2 * score + 6 * unit;
    return greatest("V") * (2 * weight + 2 * s.length * unit);
}

void agrees(const independent::AttentionSizes& s, double scale) {
    auto inputs = normal_inputs(s, scale);
    auto expected =
        independent::attention(s, values<float>(inputs.at("Q")), values<float>(inputs.at("K")),
                               values<float>(inputs.at("V")));
    const double allowed = bound(s, inputs);
    // A bound that a wrong weight would not exceed shows nothing.
    ASSERT_LT(allowed, 0.01 * scale);
    for (const auto& run : runs_of("attention", params(s), inputs)) {
        auto got = values<float>(run.actual.at("out"));
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t n = 0; n < got.size(); ++n)
            ASSERT_NEAR(got[n], expected[n], allowed) << "element " << n;
    }
}

TEST(Attention, AgreesWithIndependentCode) {
    // A task of the shipped schedule is 64 queries with 16 lanes, a tile 4 keys or 32 elements.
    for (auto s :
         {independent::AttentionSizes{1, 1, 1}, {2, 5, 3}, {3, 64, 32}, {2, 67, 37}, {1, 70, 9}})
        agrees(s, 1);
}

// Scores of some hundreds: without the maximum taken off, their exponentials overflow.
TEST(Attention, GreatScoresDoNotOverflow) {
    const independent::AttentionSizes s{1, 40, 8};
    auto inputs = normal_inputs(s, 20);
    auto expected =
        independent::attention(s, values<float>(inputs.at("Q")), values<float>(inputs.at("K")),
                               values<float>(inputs.at("V")));
    const double allowed = bound(s, inputs);
    for (const auto& run : runs_of("attention", params(s), inputs)) {
        auto got = values<float>(run.actual.at("out"));
        for (std::size_t n = 0; n < got.size(); ++n)
            ASSERT_NEAR(got[n], expected[n], allowed) << "element " << n;
    }
}

// Keys that are all alike match any query equally well: the result is the plain mean of the values.
TEST(Attention, EqualKeysGiveTheMean) {
    const independent::AttentionSizes s{2, 37, 16};
    auto inputs = normal_inputs(s, 1);
    auto* keys = inputs.at("K").as<float>();
    for (int n = 0; n < s.heads * s.length * s.depth; ++n)
        keys[n] = 0.25f;
    auto v = values<float>(inputs.at("V"));
    for (const auto& run : runs_of("attention", params(s), inputs)) {
        auto got = values<float>(run.actual.at("out"));
        for (int h = 0; h < s.heads; ++h)
            for (int d = 0; d < s.depth; ++d) {
                double mean = 0;
                for (int j = 0; j < s.length; ++j)
                    mean += v[std::size_t((h * s.length + j) * s.depth + d)] / double(s.length);
                for (int i = 0; i < s.length; ++i)
                    ASSERT_NEAR(got[std::size_t((h * s.length + i) * s.depth + d)], mean, 1e-5);
            }
    }
}

// The numbers that f16 has nearest to these, as f16 and as they are.
Buffers halves(const Buffers& inputs) {
    Buffers out;
    for (const auto& [name, buffer] : inputs) {
        auto bits = independent::half_bits(values<float>(buffer));
        out[name] = make_buffer(ScalarType::F16, buffer.extents).value();
        std::copy(bits.begin(), bits.end(), out[name].as<std::uint16_t>());
    }
    return out;
}
Buffers widened(const Buffers& halves) {
    Buffers out;
    for (const auto& [name, buffer] : halves) {
        auto numbers = independent::half_values(values<std::uint16_t>(buffer));
        out[name] = make_buffer(ScalarType::F32, buffer.extents).value();
        std::copy(numbers.begin(), numbers.end(), out[name].as<float>());
    }
    return out;
}

// Beside what f32 is off by, each weight is rounded to f16 and the result once more. A rounding is
// 2^-11 of what is rounded, or half of a step of 2^-24 where that is more; the weights add up to 1.
double bound_f16(const independent::AttentionSizes& s, const Buffers& inputs) {
    double greatest = 0;
    for (float value : values<float>(inputs.at("V")))
        greatest = std::max(greatest, std::fabs(double(value)));
    const double rounding = std::ldexp(1.0, -11);
    const double weights = rounding + s.length * std::ldexp(1.0, -25);
    return (bound(s, inputs) + greatest * weights) * (1 + rounding) +
           (greatest * rounding + std::ldexp(1.0, -25));
}

void agrees_f16(const independent::AttentionSizes& s, double scale, double share) {
    const auto given = halves(normal_inputs(s, scale));
    const auto inputs = widened(given);
    auto expected =
        independent::attention(s, values<float>(inputs.at("Q")), values<float>(inputs.at("K")),
                               values<float>(inputs.at("V")));
    const double allowed = bound_f16(s, inputs);
    ASSERT_LT(allowed, share * scale) << "a bound that a wrong weight would not exceed";
    for (const auto& run : runs_of("attention_f16", params(s), given)) {
        auto got = independent::half_values(values<std::uint16_t>(run.actual.at("out")));
        ASSERT_EQ(got.size(), expected.size());
        for (std::size_t n = 0; n < got.size(); ++n)
            ASSERT_NEAR(got[n], expected[n], allowed) << "element " << n;
    }
}

TEST(AttentionF16, AgreesWithIndependentCode) {
    for (auto s :
         {independent::AttentionSizes{1, 1, 1}, {2, 5, 3}, {3, 64, 32}, {2, 67, 37}, {1, 70, 9}})
        agrees_f16(s, 1, 0.01);
}

// Scores of some hundreds: an exponential of one is more than f16 holds, and more than f32.
TEST(AttentionF16, GreatScoresDoNotOverflow) { agrees_f16({1, 40, 8}, 20, 0.2); }

} // namespace test_attention
