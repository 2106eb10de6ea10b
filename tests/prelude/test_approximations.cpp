// The approximations of fast_math(): within their declared errors over their whole domains, and
// tame outside.
#include "tests/prelude/trial.h"

#include <cmath>
#include <limits>
#include <random>

namespace loopscope {
namespace {

using namespace prelude_test;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Where the declared error holds: core/ir/functions.h.
struct Domain {
    double low, high;
};

Domain domain_of(const std::string& f, bool wide) {
    if (f == "exp")
        return wide ? Domain{-708.3, 709.4} : Domain{-87.3, 88.37};
    if (f == "log" || f == "rsqrt")
        return {0, kInfinity};
    if (f == "sin" || f == "cos")
        return {-1e4, 1e4};
    return {-kInfinity, kInfinity};
}

Judge::Measure measure_of(const std::string& f) {
    return f == "sin" || f == "cos" ? Judge::Measure::Absolute : Judge::Measure::Relative;
}

double least_normal(ScalarType type) {
    return type == ScalarType::F16 ? 0x1p-14 : type == ScalarType::F64 ? 0x1p-1022 : 0x1p-126;
}

bool is_normal(ScalarType type, double value) {
    double greatest = type == ScalarType::F16   ? 65504
                      : type == ScalarType::F64 ? std::numeric_limits<double>::max()
                                                : std::numeric_limits<float>::max();
    return std::fabs(value) >= least_normal(type) && std::fabs(value) <= greatest;
}

// Patterns of the type inside of the domain: of 16 bits all, of f32 every 4001st and others.
Patterns inside(const std::string& f, ScalarType type) {
    auto domain = domain_of(f, type == ScalarType::F64);
    Patterns candidates, out;
    std::mt19937_64 random(7);
    if (type == ScalarType::F64) {
        candidates = random_f64(f, 400'000, 11);
    } else {
        std::uint64_t stride = type == ScalarType::F32 ? 4001 : 1;
        for (std::uint64_t b = 0; b < 1ull << bits(type); b += stride)
            candidates.push_back(b);
        if (type == ScalarType::F32) // and evenly over values
            for (int i = 0; i < 200'000; ++i)
                candidates.push_back(bits_of(
                    type, std::uniform_real_distribution<double>(
                              std::max(domain.low, -1e4), std::min(domain.high, 1e4))(random)));
    }
    for (auto b : candidates) {
        double v = value_of(type, b);
        bool fits = is_normal(type, v) && (f != "exp" || is_normal(type, std::exp(v)));
        if (v >= domain.low && v <= domain.high && fits)
            out.push_back(b);
    }
    return out;
}

class Approximation : public testing::TestWithParam<std::string> {
protected:
    void hold(ScalarType type) {
        auto f = GetParam();
        Trial trial(approximation_of(f), type, measure_of(f));
        std::size_t sample = bits(type) == 16 ? 13 : 97;
        if (f == "pow")
            trial.run(positive_pairs(type), sample);
        else
            trial.run({inside(f, type)}, sample);
        trial.report(prelude_error_ulp(approximation_of(f), type));
        // A declared error that is far above the real one says nothing.
        EXPECT_GE(trial.judge.worst().error * 1.6, prelude_error_ulp(approximation_of(f), type));
    }

    // x > 0 normal, and a normal power.
    static std::vector<Patterns> positive_pairs(ScalarType type) {
        std::vector<Patterns> out(2);
        auto pairs = random_pairs(type, 400'000, 5);
        auto p = type == ScalarType::F64 ? 1021.0 : type == ScalarType::F16 ? 13.9 : 125.9;
        for (std::size_t i = 0; i < pairs[0].size(); ++i) {
            double x = value_of(type, pairs[0][i]), y = value_of(type, pairs[1][i]);
            if (x > 0 && is_normal(type, x) && is_normal(type, y) &&
                std::fabs(y * std::log2(x)) < p) {
                out[0].push_back(pairs[0][i]);
                out[1].push_back(pairs[1][i]);
            }
        }
        return out;
    }
};

TEST_P(Approximation, F32) { hold(ScalarType::F32); }
TEST_P(Approximation, F64) { hold(ScalarType::F64); }
TEST_P(Approximation, F16) { hold(ScalarType::F16); }
TEST_P(Approximation, BF16) { hold(ScalarType::BF16); }

TEST_P(Approximation, CostsLessThanTheFunction) {
    for (auto type : {ScalarType::F32, ScalarType::F64}) {
        auto fast = prelude_cost(approximation_of(GetParam()), type),
             exact = prelude_cost(GetParam(), type);
        if (GetParam() == "rsqrt") {
            EXPECT_EQ(fast, exact);
        } else {
            EXPECT_LT(fast.flops + fast.integer_operations, exact.flops + exact.integer_operations);
        }
    }
}

TEST_P(Approximation, NaNStaysNaN) {
    for (auto type : {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64}) {
        Trial trial(approximation_of(GetParam()), type);
        auto nan = bits_of(type, std::nan("")), one = bits_of(type, 3.0);
        if (GetParam() != "pow") {
            EXPECT_TRUE(std::isnan(value_of(type, trial.evaluate(nan))));
            continue;
        }
        EXPECT_TRUE(std::isnan(value_of(type, trial.evaluate(nan, one))));
        EXPECT_TRUE(std::isnan(value_of(type, trial.evaluate(one, nan))));
    }
}

INSTANTIATE_TEST_SUITE_P(Prelude, Approximation, testing::ValuesIn(prelude_names()),
                         [](const auto& info) { return info.param; });

double fast(const std::string& f, ScalarType type, double x) {
    Trial trial("fast_" + f, type);
    return value_of(type, trial.evaluate(bits_of(type, x)));
}

TEST(ApproximationOutside, ExpFlushesAndOverflows) {
    for (auto type : {ScalarType::F32, ScalarType::F64}) {
        double top = type == ScalarType::F64 ? 709.8 : 88.8;
        for (double x : {-top, -2 * top, -1e30, -kInfinity})
            EXPECT_EQ(fast("exp", type, x), 0) << x;
        for (double x : {top, 2 * top, 1e30, kInfinity})
            EXPECT_EQ(fast("exp", type, x), kInfinity) << x;
    }
}

TEST(ApproximationOutside, LogOfWhatIsNotAPositiveNormalNumber) {
    for (auto type : {ScalarType::F32, ScalarType::F64}) {
        for (double x : {0.0, -0.0, 1e-310})
            EXPECT_EQ(fast("log", type, x), -kInfinity) << x;
        for (double x : {-1.0, -kInfinity})
            EXPECT_TRUE(std::isnan(fast("log", type, x))) << x;
        EXPECT_EQ(fast("log", type, kInfinity), kInfinity);
    }
}

TEST(ApproximationOutside, SaturatesAtOne) {
    for (auto type : {ScalarType::F32, ScalarType::F64})
        for (std::string f : {"tanh", "erf"})
            for (double x : {30.0, 1e30, kInfinity}) {
                EXPECT_NEAR(fast(f, type, x), 1, 1e-5) << f;
                EXPECT_NEAR(fast(f, type, -x), -1, 1e-5) << f;
            }
}

TEST(ApproximationOutside, SinAndCosOfHugeArgumentsStayWithinOne) {
    std::mt19937_64 random(3);
    for (auto type : {ScalarType::F32, ScalarType::F64})
        for (std::string f : {"sin", "cos"}) {
            Trial trial("fast_" + f, type);
            for (int i = 0; i < 20'000; ++i) {
                double x =
                    value_of(type, random() & (type == ScalarType::F32 ? 0xffffffff : ~0ull));
                double y = value_of(type, trial.evaluate(bits_of(type, x)));
                if (std::isfinite(x)) {
                    EXPECT_LE(std::fabs(y), 1.001) << x;
                }
            }
            EXPECT_TRUE(std::isnan(fast(f, type, kInfinity)));
        }
}

TEST(ApproximationOutside, Pow) {
    for (auto type : {ScalarType::F32, ScalarType::F64}) {
        Trial trial("fast_pow", type);
        auto pow = [&](double x, double y) {
            return value_of(type, trial.evaluate(bits_of(type, x), bits_of(type, y)));
        };
        EXPECT_EQ(pow(0, 2), 0);
        EXPECT_EQ(pow(0, -2), kInfinity);
        EXPECT_TRUE(std::isnan(pow(-2, 2)));
        EXPECT_EQ(pow(2, 2000), kInfinity);
        EXPECT_EQ(pow(2, -2000), 0);
    }
}

} // namespace
} // namespace loopscope
