// 16-bit floats: every value and every rounding boundary, against formulas of their own.
#include "core/ir/half.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <vector>

namespace loopscope {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Half {
    const char* name;
    int exponent_bits, fraction_bits;
    double (*value)(std::uint16_t);
    std::uint16_t (*from_double)(double);
    std::uint16_t (*from_signed)(std::int64_t);
    std::uint16_t (*from_unsigned)(std::uint64_t);
    int infinity() const { return ((1 << exponent_bits) - 1) << fraction_bits; }
    std::uint16_t nan() const {
        return static_cast<std::uint16_t>(infinity() | 1 << (fraction_bits - 1));
    }
};

const Half kHalves[] = {
    {"f16", 5, 10, f16_value, f16_bits, f16_bits, f16_bits},
    {"bf16", 8, 7, bf16_value, bf16_bits, bf16_bits, bf16_bits},
};

// The value of a finite pattern, digit by digit.
double by_definition(const Half& h, int bits) {
    int exponent = bits >> h.fraction_bits & ((1 << h.exponent_bits) - 1);
    double significand = exponent ? 1 : 0;
    double digit = 0.5;
    for (int i = h.fraction_bits - 1; i >= 0; --i, digit /= 2)
        significand += (bits >> i & 1) * digit;
    double scale = std::pow(2.0, std::max(exponent, 1) - ((1 << (h.exponent_bits - 1)) - 1));
    return (bits & 0x8000 ? -1 : 1) * significand * scale;
}

class EveryHalf : public testing::TestWithParam<Half> {};

TEST_P(EveryHalf, ValueIsTheFormats) {
    const auto& h = GetParam();
    for (int b = 0; b < 65536; ++b) {
        double v = h.value(static_cast<std::uint16_t>(b));
        int magnitude = b & 0x7fff;
        if (magnitude > h.infinity()) {
            EXPECT_TRUE(std::isnan(v)) << b;
        } else {
            double expected = magnitude == h.infinity() ? (b & 0x8000 ? -kInfinity : kInfinity)
                                                        : by_definition(h, b);
            ASSERT_EQ(std::bit_cast<std::uint64_t>(v), std::bit_cast<std::uint64_t>(expected)) << b;
        }
    }
}

TEST_P(EveryHalf, ValuesRoundTripAndNaNsBecomeOne) {
    const auto& h = GetParam();
    for (int b = 0; b < 65536; ++b) {
        auto bits = static_cast<std::uint16_t>(b);
        bool nan = (b & 0x7fff) > h.infinity();
        ASSERT_EQ(h.from_double(h.value(bits)), nan ? h.nan() : bits) << b;
    }
    EXPECT_EQ(h.from_double(-std::nan("")), h.nan());
}

// Between neighbours the middle is a tie that goes to the even pattern, and its neighbours among
// doubles do not.
TEST_P(EveryHalf, EveryBoundaryRoundsToNearestEven) {
    const auto& h = GetParam();
    for (int b = 0; b < h.infinity(); ++b) {
        double low = by_definition(h, b);
        // The first value that is too great is rounded to as if the format went on.
        double high =
            b + 1 == h.infinity() ? low + (low - by_definition(h, b - 1)) : by_definition(h, b + 1);
        double middle = low + (high - low) / 2;
        for (int sign : {0, 0x8000}) {
            double s = sign ? -1 : 1;
            ASSERT_EQ(h.from_double(s * std::nextafter(middle, 0)), b | sign) << b;
            ASSERT_EQ(h.from_double(s * middle), (b + (b & 1)) | sign) << b;
            ASSERT_EQ(h.from_double(s * std::nextafter(middle, kInfinity)), (b + 1) | sign) << b;
        }
    }
}

TEST_P(EveryHalf, ExtremeDoubles) {
    const auto& h = GetParam();
    EXPECT_EQ(h.from_double(5e-324), 0);
    EXPECT_EQ(h.from_double(-5e-324), 0x8000);
    EXPECT_EQ(h.from_double(1e-300), 0);
    EXPECT_EQ(h.from_double(1.7e308), h.infinity());
    EXPECT_EQ(h.from_double(-kInfinity), h.infinity() | 0x8000);
}

// Whole numbers beside a middle, which a detour over doubles would round twice.
TEST_P(EveryHalf, IntegersRoundOnce) {
    const auto& h = GetParam();
    for (int i = -70'000; i <= 70'000; ++i)
        ASSERT_EQ(h.from_signed(i), h.from_double(i)) << i;
    for (int b = 0; b + 1 < h.infinity(); ++b) {
        double low = by_definition(h, b), high = by_definition(h, b + 1);
        double middle = low + (high - low) / 2;
        if (middle != std::floor(middle) || middle < 2 || middle >= 0x1p64)
            continue;
        auto m = static_cast<std::uint64_t>(middle);
        ASSERT_EQ(h.from_unsigned(m - 1), m - 1 >= low ? b : b - 1) << m;
        ASSERT_EQ(h.from_unsigned(m), b + (b & 1)) << m;
        ASSERT_EQ(h.from_unsigned(m + 1), b + 1) << m;
        if (middle >= 0x1p63)
            continue;
        auto n = static_cast<std::int64_t>(m);
        ASSERT_EQ(h.from_signed(-n), (b + (b & 1)) | 0x8000) << n;
        ASSERT_EQ(h.from_signed(-n - 1), (b + 1) | 0x8000) << n;
        ASSERT_EQ(h.from_signed(n + 1), b + 1) << n;
    }
    EXPECT_EQ(h.from_unsigned(~0ull), h.from_double(0x1p64));
    EXPECT_EQ(h.from_signed(std::numeric_limits<std::int64_t>::min()), h.from_double(-0x1p63));
    EXPECT_EQ(h.from_unsigned(0), 0);
}

// value * 2^digits as a whole number.
__extension__ using Wide = __int128;
Wide scaled(double value, int digits = 60) {
    int exponent = 0;
    auto whole = static_cast<Wide>(std::ldexp(std::frexp(value, &exponent), 53));
    int shift = exponent - 53 + digits;
    return shift >= 0 ? whole << shift : whole >> -shift; // exact for the values used
}

// a*b + c for values whose sum fits 127 bits above 2^-60: exactly, then to the nearest of all
// values.
TEST_P(EveryHalf, FmaRoundsOnce) {
    const auto& h = GetParam();
    std::vector<Wide> values; // of the patterns 0, 1, … : increasing
    for (int b = 0; b < h.infinity() && by_definition(h, b) < 0x1p44; ++b)
        values.push_back(by_definition(h, b) < 0x1p-60 ? 0 : scaled(by_definition(h, b)));
    std::mt19937 random(1);
    auto pick = [&](int least, int greatest) {
        double v = std::ldexp(1.0 + static_cast<double>(random() % (1u << h.fraction_bits)) /
                                        (1u << h.fraction_bits),
                              std::uniform_int_distribution<int>(least, greatest)(random));
        return random() % 2 ? -v : v;
    };
    int inexact = 0;
    for (int i = 0; i < 300'000; ++i) {
        double a = pick(-7, 6), b = pick(-7, 6), c = pick(-14, 13);
        if (i % 3 == 0) // near cancellation
            c = -h.value(h.from_double(a * b));
        Wide exact = scaled(a, 30) * scaled(b, 30) + scaled(c);
        bool negative = exact < 0;
        Wide magnitude = negative ? -exact : exact;
        auto above = std::lower_bound(values.begin(), values.end(), magnitude);
        ASSERT_NE(above, values.end());
        auto pattern = static_cast<int>(above - values.begin());
        if (*above != magnitude) {
            ++inexact;
            Wide up = *above - magnitude, down = magnitude - *(above - 1);
            if (down < up || (down == up && pattern % 2 == 1))
                --pattern;
        }
        if (negative)
            pattern |= 0x8000;
        ASSERT_EQ(h.from_double(fma_to_odd(a, b, c)), pattern) << a << "*" << b << " + " << c;
    }
    EXPECT_GT(inexact, 100'000);
}

INSTANTIATE_TEST_SUITE_P(Half, EveryHalf, testing::ValuesIn(kHalves),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FmaToOdd, FarApartTermsAndSpecialValues) {
    // Just above and below a tie of bf16: 1 + 2^-8 lies between 1 and 1 + 2^-7.
    double tie = 0x1p-8;
    EXPECT_EQ(bf16_bits(fma_to_odd(tie, 1, 1)), 0x3f80);
    EXPECT_EQ(bf16_bits(fma_to_odd(0x1p-126, 0x1p-126, 1)), 0x3f80);
    EXPECT_EQ(bf16_bits(fma_to_odd(0x1p-60, 0x1p-60, -1)), 0xbf80);
    // (1 + 2^-7)(1 + 2^-7) = 1 + 2^-6 + 2^-14: only a hair above its lower neighbour, and c decides
    EXPECT_EQ(bf16_bits(fma_to_odd(1 + 0x1p-7, 1 + 0x1p-7, tie)), bf16_bits(1 + 0x1p-6 + 0x1p-7));
    EXPECT_EQ(bf16_bits(fma_to_odd(1 + 0x1p-7, 1 + 0x1p-7, 0)), bf16_bits(1 + 0x1p-6));
    // A denormal result.
    EXPECT_EQ(bf16_bits(fma_to_odd(0x1.8p-67, 0x1p-66, 0)), 2); // 1.5 * 2^-133: to even
    EXPECT_EQ(bf16_bits(fma_to_odd(0x1.8p-67, 0x1p-66, -0x1p-133)), 0);
    EXPECT_EQ(bf16_bits(fma_to_odd(0x1.8p-67, 0x1.02p-66, -0x1p-133)), 1);
    EXPECT_TRUE(std::isnan(fma_to_odd(kInfinity, 0, 1)));
    EXPECT_EQ(fma_to_odd(kInfinity, -2, 1), -kInfinity);
    EXPECT_TRUE(std::signbit(fma_to_odd(-0.0, 1, -0.0)));
    EXPECT_FALSE(std::signbit(fma_to_odd(1, 1, -1)));
}

} // namespace
} // namespace loopscope
