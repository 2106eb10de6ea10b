#include "compiler/measure/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace loopscope::measure {
namespace {

TEST(Statistics, MedianAndLeast) {
    auto odd = summarize({5, 1, 9});
    EXPECT_EQ(odd.median, 5);
    EXPECT_EQ(odd.least, 1);
    EXPECT_EQ(summarize({4, 1, 2, 9}).median, 3);
    EXPECT_EQ(summarize({7}).median, 7);
}

// The published table of ranks for the confidence interval of a median at 95 %.
TEST(Statistics, RanksAgreeWithThePublishedTable) {
    const std::pair<std::size_t, std::size_t> table[] = {
        {5, 0},  {6, 1},  {8, 1},   {9, 2},   {11, 2},  {12, 3},  {15, 4},  {17, 5},
        {20, 6}, {25, 8}, {30, 10}, {40, 14}, {50, 18}, {60, 22}, {70, 27}, {100, 40}};
    for (auto [n, rank] : table)
        EXPECT_EQ(lower_rank_95(n), rank) << n << " samples";
}

TEST(Statistics, NoIntervalBelowSixSamples) {
    EXPECT_FALSE(summarize({1, 2, 3, 4, 5}).ci95);
    EXPECT_TRUE(std::isinf(summarize({1, 2, 3, 4, 5}).relative_half_width()));
    auto six = summarize({6, 5, 4, 3, 2, 1});
    ASSERT_TRUE(six.ci95);
    EXPECT_EQ(six.ci95->first, 1);
    EXPECT_EQ(six.ci95->second, 6);
}

TEST(Statistics, IntervalCoversTheMedianAsOftenAsItSays) {
    std::mt19937 random(7);
    std::exponential_distribution<double> draw(1); // skewed, as timings are
    const double median = std::log(2.0);
    int covered = 0;
    const int trials = 4000;
    for (int t = 0; t < trials; ++t) {
        std::vector<double> samples(37);
        for (auto& s : samples)
            s = draw(random);
        auto interval = *summarize(samples).ci95;
        covered += interval.first <= median && median <= interval.second;
    }
    // At least 95 %, and the discreteness of ranks gives at most some 2 % more; 1.3 % is four
    // standard deviations.
    EXPECT_GT(covered, trials * 0.937);
    EXPECT_LT(covered, trials * 0.985);
}

TEST(Statistics, ManySamplesDoNotUnderflow) {
    auto rank = lower_rank_95(20000);
    EXPECT_NEAR(static_cast<double>(rank), 10000 - 1.96 * std::sqrt(20000) / 2, 2);
}

} // namespace
} // namespace loopscope::measure
