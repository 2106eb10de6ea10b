#include "compiler/run/compare.h"
#include "compiler/run/random_inputs.h"
#include "core/ir/half.h"
#include "tests/run/build.h"

#include <cmath>
#include <limits>
#include <set>

namespace loopscope::test {
namespace {

TEST(Buffer, ChecksItsSize) {
    EXPECT_EQ(*element_count({3, 4}), 12);
    EXPECT_EQ(*element_count({}), 1);
    EXPECT_EQ(*element_count({INT64_MAX, 0, INT64_MAX}), 0);
    EXPECT_EQ(*element_count({0, INT64_MAX, INT64_MAX}), 0);
    EXPECT_FALSE(element_count({INT64_MAX, 2}));
    EXPECT_FALSE(element_count({2, -1}));
    EXPECT_EQ(*checked_size(T::F64, {10, 10}), 800);
    EXPECT_FALSE(checked_size(T::F64, {10, 10}, 799));
    EXPECT_FALSE(make_buffer(T::F64, {std::int64_t{1} << 50}));
    auto b = make_buffer(T::U16, {5}).value();
    EXPECT_EQ(b.count(), 5);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.data.data()) % kBufferAlignment, 0u);
    EXPECT_THROW(b.as<float>(), std::logic_error);
    EXPECT_EQ(shape_text({2, 3}), "[2, 3]");
}

Comparison floats(float a, float b) {
    return compare(buffer<float>(T::F32, {1}, {a}), buffer<float>(T::F32, {1}, {b}));
}

TEST(Compare, Floats) {
    EXPECT_TRUE(floats(1, 1).equal);
    auto c = floats(1, std::nextafter(1.0f, 2.0f));
    EXPECT_FALSE(c.equal);
    EXPECT_EQ(c.max_ulp, 1u);
    EXPECT_EQ(c.max_abs_error, 0x1p-23);
    EXPECT_EQ(floats(0.0f, -0.0f).max_ulp, 1u);
    EXPECT_EQ(floats(0.0f, -0.0f).max_abs_error, 0);
    EXPECT_EQ(floats(0x1p-149f, -0x1p-149f).max_ulp, 3u);
    EXPECT_TRUE(std::isinf(floats(std::numeric_limits<float>::infinity(), 1).max_abs_error));
}

TEST(Compare, AllNansAreOne) {
    float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_TRUE(floats(nan, -nan).equal);
    auto c = floats(nan, 1);
    EXPECT_FALSE(c.equal);
    EXPECT_TRUE(std::isinf(c.max_abs_error));
    EXPECT_EQ(c.max_ulp, UINT64_MAX);
}

TEST(Compare, Integers) {
    auto c = compare(buffer<std::int32_t>(T::I32, {2, 2}, {1, INT32_MIN, 5, 6}),
                     buffer<std::int32_t>(T::I32, {2, 2}, {1, INT32_MAX, 5, 7}));
    EXPECT_EQ(c.first_difference, 1);
    EXPECT_EQ(c.differences, 2);
    EXPECT_EQ(c.max_ulp, 4294967295u);
    EXPECT_EQ(c.max_abs_error, 4294967295.0);
    EXPECT_THROW(
        compare(buffer<std::int32_t>(T::I32, {1}, {1}), buffer<std::int32_t>(T::I32, {1, 1}, {1})),
        std::logic_error);
}

TEST(RandomInputs, DependOnTheSeedOnly) {
    for (auto mode : {RandomMode::Reals, RandomMode::Hostile, RandomMode::SmallWhole,
                      RandomMode::TinyWhole, RandomMode::FullRange})
        for (auto type : {T::Bool, T::I8, T::I16, T::I32, T::I64, T::U8, T::U16, T::U32, T::U64,
                          T::F16, T::BF16, T::F32, T::F64}) {
            auto a = random_buffer(type, {500}, 7, mode), b = random_buffer(type, {500}, 7, mode),
                 c = random_buffer(type, {500}, 8, mode);
            ASSERT_TRUE(a && b && c);
            EXPECT_TRUE(compare(*a, *b).equal);
            EXPECT_FALSE(compare(*a, *c).equal) << name(type);
        }
}

TEST(Compare, SixteenBitFloats) {
    auto one = [](T type, std::uint16_t bits) { return buffer<std::uint16_t>(type, {1}, {bits}); };
    auto c = compare(one(T::F16, 0x3c00), one(T::F16, 0x3c02));
    EXPECT_FALSE(c.equal);
    EXPECT_EQ(c.max_ulp, 2u);
    EXPECT_EQ(c.max_abs_error, 0x1p-9);
    c = compare(one(T::BF16, 0x0001), one(T::BF16, 0x8001));
    EXPECT_EQ(c.max_ulp, 3u) << "denormals and both zeros lie between";
    EXPECT_EQ(c.max_abs_error, 0x1p-132);
    EXPECT_TRUE(compare(one(T::F16, 0x7e00), one(T::F16, 0xfc01)).equal) << "all NaNs are one";
    EXPECT_FALSE(compare(one(T::BF16, 0x7f80), one(T::BF16, 0x7fc0)).equal);
    EXPECT_TRUE(std::isinf(compare(one(T::F16, 0x7c00), one(T::F16, 0x7bff)).max_abs_error));
    EXPECT_FALSE(compare(one(T::F16, 0x0000), one(T::F16, 0x8000)).equal);
}

TEST(Compare, HashesAreOfWhatCountsAsEqual) {
    auto hash = [](T type, std::vector<std::uint16_t> bits) {
        return hash_of_elements(
            buffer<std::uint16_t>(type, {static_cast<std::int64_t>(bits.size())}, std::move(bits)));
    };
    EXPECT_EQ(hash(T::F16, {1, 0x7e00}), hash(T::F16, {1, 0xfc01})) << "all NaNs are one";
    EXPECT_NE(hash(T::U16, {1, 0x7e00}), hash(T::U16, {1, 0xfc01}));
    EXPECT_NE(hash(T::F16, {0x0000}), hash(T::F16, {0x8000})) << "zeros are two";
    EXPECT_NE(hash(T::F16, {1, 2}), hash(T::F16, {2, 1}));
    EXPECT_NE(hash(T::F16, {0}), hash(T::F16, {0, 0}));
}

TEST(RandomInputs, SixteenBitFloatsHaveARangeOfTheirOwn) {
    for (auto type : {T::F16, T::BF16}) {
        auto value = [type](std::uint16_t bits) {
            return type == T::F16 ? f16_value(bits) : bf16_value(bits);
        };
        auto reals = random_buffer(type, {5000}, 1, RandomMode::Reals).value();
        auto hostile = random_buffer(type, {5000}, 1, RandomMode::Hostile).value();
        auto whole = random_buffer(type, {5000}, 1, RandomMode::SmallWhole).value();
        auto tiny = random_buffer(type, {5000}, 1, RandomMode::TinyWhole).value();
        auto finite = random_buffer(type, {5000}, 1, RandomMode::FullRange).value();
        bool negative = false, nan = false, infinite = false, denormal = false, zero = false;
        for (int i = 0; i < 5000; ++i) {
            auto at = [&](const Buffer& b) { return value(b.as<std::uint16_t>()[i]); };
            double least = type == T::F16 ? 0x1p-4 : 0x1p-8, end = type == T::F16 ? 4 : 256;
            ASSERT_TRUE(std::fabs(at(reals)) >= least && std::fabs(at(reals)) < end);
            negative = negative || at(reals) < 0;
            ASSERT_TRUE(at(whole) == std::floor(at(whole)) && std::fabs(at(whole)) <= 8);
            ASSERT_TRUE(at(tiny) == std::floor(at(tiny)) && std::fabs(at(tiny)) <= 1);
            ASSERT_TRUE(std::isfinite(at(finite)));
            double h = at(hostile);
            nan = nan || std::isnan(h);
            infinite = infinite || std::isinf(h);
            denormal = denormal || (h != 0 && std::fabs(h) < 0x1p-20);
            zero = zero || (h == 0 && std::signbit(h));
        }
        EXPECT_TRUE(negative && nan && infinite && denormal && zero);
    }
}

TEST(RandomInputs, KeepTheirRange) {
    auto reals = random_buffer(T::F32, {10000}, 1, RandomMode::Reals).value();
    auto whole = random_buffer(T::F64, {10000}, 1, RandomMode::SmallWhole).value();
    auto bytes = random_buffer(T::U8, {10000}, 1, RandomMode::FullRange).value();
    auto small = random_buffer(T::U32, {10000}, 1, RandomMode::SmallWhole).value();
    auto finite = random_buffer(T::F32, {10000}, 1, RandomMode::FullRange).value();
    auto hostile = random_buffer(T::F32, {10000}, 1, RandomMode::Hostile).value();
    bool negative = false, nan = false, infinite = false, denormal = false;
    std::set<std::uint8_t> seen;
    for (int i = 0; i < 10000; ++i) {
        auto r = reals.as<float>()[i];
        ASSERT_TRUE(std::fabs(r) >= 0x1p-8f && std::fabs(r) < 0x1p8f);
        negative = negative || r < 0;
        auto w = whole.as<double>()[i];
        ASSERT_TRUE(w == std::floor(w) && std::fabs(w) <= 8);
        ASSERT_LE(small.as<std::uint32_t>()[i], 8u);
        ASSERT_TRUE(std::isfinite(finite.as<float>()[i]));
        auto h = hostile.as<float>()[i];
        nan = nan || std::isnan(h);
        infinite = infinite || std::isinf(h);
        denormal = denormal || std::fpclassify(h) == FP_SUBNORMAL;
        seen.insert(bytes.as<std::uint8_t>()[i]);
    }
    EXPECT_TRUE(negative && nan && infinite && denormal);
    EXPECT_EQ(seen.size(), 256u);
}

} // namespace
} // namespace loopscope::test
