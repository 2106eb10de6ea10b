// How an output is judged by the ends of its enclosure.
#include "compiler/worker/tolerance.h"

#include "compiler/run/reference/reference.h"
#include "tests/worker/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace loopscope::worker {
namespace {

Buffer floats(const std::vector<float>& values) {
    auto b = make_buffer(ScalarType::F32, {std::int64_t(values.size())}).value();
    std::copy(values.begin(), values.end(), b.as<float>());
    return b;
}

Buffer wholes(const std::vector<std::int64_t>& values) {
    auto b = make_buffer(ScalarType::I64, {std::int64_t(values.size())}).value();
    std::copy(values.begin(), values.end(), b.as<std::int64_t>());
    return b;
}

Buffer bools(const std::vector<std::uint8_t>& values) {
    auto b = make_buffer(ScalarType::Bool, {std::int64_t(values.size())}).value();
    std::copy(values.begin(), values.end(), b.as<std::uint8_t>());
    return b;
}

Tolerance tolerance(const std::string& text, const DefinitionSet& reassociated,
                    const DefinitionSet& approximated = {}, std::optional<double> given = {}) {
    return {*test::load(text).pipeline, Marks{{}, reassociated, approximated}, given};
}

const char* const kSums =
    "pipeline p\ninput a[i, k]: f32[4, 64]\nstage s[i] = sum[k in 0..64](a[i, k])\n"
    "stage other[i] = a[i, 0] * 2.0\nstage half[i] = s[i] * 0.5\n"
    "output s: [4]\noutput other: [4]\noutput half: [4]\n";

TEST(Tolerance, OnlyWhatDependsOnASumMayDiffer) {
    auto t = tolerance(kSums, {{"s", 0}});
    EXPECT_TRUE(t.enclosed().enclosures.count("s"));
    EXPECT_TRUE(t.enclosed().enclosures.count("half"));
    EXPECT_FALSE(t.enclosed().enclosures.count("other"));
    EXPECT_FALSE(t.judge("other", floats({3}), {}));
    EXPECT_EQ(t.text(), "n u sum|terms| in any order (n = 64, u = 2^-24 of f32)");
    auto none = tolerance(kSums, {});
    EXPECT_TRUE(none.enclosed().enclosures.empty());
}

// A sum of nothing, whose order makes no difference: the text stays a text.
TEST(Tolerance, AlwaysSaysWhatIsAllowed) {
    for (const char* axes : {"k in 0..0", "k in 3..3", "k in 0..2, l in 5..5"})
        EXPECT_EQ(tolerance("pipeline p\ninput a[i]: f32[9]\nstage s[i]: f32 = sum[" +
                                std::string(axes) + "](a[k])\noutput s: [2]\n",
                            {{"s", 0}})
                      .text(),
                  "0: nothing is summed");
}

TEST(Tolerance, ElementsBeyondTheirOwnEndsAreCounted) {
    auto reference = floats({1, 2, 3, 4}), low = floats({1, 1.5f, 3, 4}),
         high = floats({1, 2.5f, 3.25f, 4});
    auto right = judge_within(floats({1, 2.5f, 3, 4}), reference, low, high);
    EXPECT_EQ(right.beyond, 0);
    EXPECT_EQ(right.allowed, 0.5);
    EXPECT_FALSE(right.excludes_nothing);
    auto wrong = judge_within(floats({1, 2, 2.75f, 4.25f}), reference, low, high);
    EXPECT_EQ(wrong.beyond, 2);
    EXPECT_EQ(wrong.first, 2) << "2.75 is nearer than the second's bound, and beyond its own";
    EXPECT_EQ(judge_within(floats({1, 2, 3, NAN}), reference, low, high).first, 3);
    EXPECT_EQ(judge_within(floats({1, 2, 3, INFINITY}), reference, low, high).first, 3);
}

TEST(Tolerance, OfWhatHasNoEndsNothingIsKnown) {
    auto reference = floats({1, 2, NAN}), low = floats({NAN, -INFINITY, NAN}),
         high = floats({NAN, INFINITY, NAN});
    auto all = judge_within(floats({7, NAN, 9}), reference, low, high);
    EXPECT_EQ(all.beyond, 0);
    EXPECT_EQ(all.unbounded, 3);
    EXPECT_TRUE(all.excludes_nothing);
    auto doubtful =
        judge_within(bools({1, 0, 1}), bools({1, 1, 1}), bools({1, 0, 0}), bools({1, 1, 0}));
    EXPECT_EQ(doubtful.unbounded, 1);
    EXPECT_EQ(doubtful.first, 2) << "certainly false";
    EXPECT_FALSE(doubtful.excludes_nothing);
}

// An infinity may stand where the other order just did not overflow.
TEST(Tolerance, InfinityIsAnEndAsOthers) {
    const float greatest = std::numeric_limits<float>::max();
    auto low = floats({greatest}), high = floats({INFINITY});
    EXPECT_EQ(judge_within(floats({INFINITY}), floats({greatest}), low, high).beyond, 0);
    EXPECT_EQ(judge_within(floats({greatest / 2}), floats({INFINITY}), low, high).beyond, 1);
    EXPECT_EQ(judge_within(floats({-INFINITY}), floats({INFINITY}), low, high).beyond, 1);
    // Which is as good as unbounded, though: the difference that it admits is no number.
    for (float reference : {greatest, float(INFINITY)}) {
        auto open = judge_within(floats({INFINITY}), floats({reference}), low, high);
        EXPECT_EQ(open.unbounded, 1);
        EXPECT_EQ(open.allowed, 0);
        EXPECT_FALSE(open.conclusive());
    }
    auto certain = judge_within(floats({INFINITY}), floats({INFINITY}), high, high);
    EXPECT_EQ(certain.unbounded, 0);
    EXPECT_TRUE(certain.conclusive());
}

TEST(Tolerance, HalfOfTheElementsMustHaveBounds) {
    auto judge_of = [](int bounded) {
        std::vector<float> value{1, 2, 3, 4}, low = value, high = value;
        for (std::size_t i = static_cast<std::size_t>(bounded); i < 4; ++i)
            low[i] = high[i] = NAN;
        return judge_within(floats(value), floats(value), floats(low), floats(high));
    };
    EXPECT_TRUE(judge_of(4).conclusive());
    EXPECT_TRUE(judge_of(2).conclusive());
    EXPECT_FALSE(judge_of(1).conclusive());
    EXPECT_FALSE(judge_of(1).excludes_nothing);
}

TEST(Tolerance, BoundsThatOneValuePassesExcludeNothing) {
    auto excludes_nothing = [](const std::vector<float>& reference, const std::vector<float>& low,
                               const std::vector<float>& high) {
        return judge_within(floats(reference), floats(reference), floats(low), floats(high))
            .excludes_nothing;
    };
    EXPECT_TRUE(excludes_nothing({1.5f, 2.5f}, {1, 1}, {3, 3})) << "no zero, but 2";
    EXPECT_FALSE(excludes_nothing({1.5f, 2.5f}, {1, 2.25f}, {2, 3}));
    EXPECT_TRUE(excludes_nothing({0, 0}, {0, 0}, {1, 1})) << "it has zeros, and ones would pass";
    EXPECT_FALSE(excludes_nothing({0, 0}, {0, 0}, {0, 0})) << "single values";
    EXPECT_TRUE(excludes_nothing({0, 4}, {0, -1}, {0, 5}));
    EXPECT_FALSE(excludes_nothing({1, 1}, {0.999f, 0.999f}, {1.001f, 1.001f}))
        << "known to a thousandth";
    EXPECT_FALSE(excludes_nothing({7}, {6.99f}, {7.01f})) << "one element";
    EXPECT_TRUE(excludes_nothing({7}, {6.9f}, {7.1f}));
    EXPECT_TRUE(judge_within(wholes({5, 6}), wholes({5, 6}), wholes({5, 4}), wholes({7, 6}))
                    .excludes_nothing);
    EXPECT_FALSE(judge_within(wholes({5, 6}), wholes({5, 6}), wholes({5, 6}), wholes({5, 7}))
                     .excludes_nothing);
}

TEST(Tolerance, WholeNumbersBeyondTheDoublesAreToldApart) {
    const std::int64_t great = (std::int64_t{1} << 60) + 1;
    EXPECT_EQ(
        judge_within(wholes({great - 1}), wholes({great}), wholes({great}), wholes({great})).beyond,
        1);
}

TEST(Tolerance, ABoundBeyondTheGreatestExcludesNothing) {
    EXPECT_TRUE(judge_by(8, floats({1, -8}), floats({1, -8})).excludes_nothing);
    EXPECT_FALSE(judge_by(7.9, floats({1, -8}), floats({1, -8})).excludes_nothing);
    EXPECT_FALSE(judge_by(0, floats({0, 0}), floats({0, 0})).excludes_nothing)
        << "zeros are what it has";
}

TEST(Tolerance, TheCallersOwnStandsInItsPlace) {
    auto t = tolerance(kSums, {{"s", 0}}, {}, 0.25);
    const std::map<std::string, Buffer> evaluated{{"s", floats({1e6f, 2, NAN, INFINITY})}};
    EXPECT_EQ(t.judge("s", floats({1e6f, 2.25f, NAN, INFINITY}), evaluated)->beyond, 0);
    EXPECT_EQ(t.judge("s", floats({1e6f, 2.5f, 3, INFINITY}), evaluated)->beyond, 2);
    EXPECT_EQ(t.text(), "the tolerance 0.25");
    EXPECT_FALSE(t.judge("other", floats({3}), evaluated)) << "what depends on no sum stays exact";
}

} // namespace
} // namespace loopscope::worker
