#include "views/geometry/log_axes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace loopscope::views {

TEST(LogAxes, DecadesCoverAllValues) {
    const LogRange range = decades_around({0.3, 12, 700}, 2);
    EXPECT_DOUBLE_EQ(range.low, 0.1);
    EXPECT_DOUBLE_EQ(range.high, 1000);
}

TEST(LogAxes, DecadesAreAtLeastAsManyAsAsked) {
    const LogRange range = decades_around({5}, 3);
    EXPECT_NEAR(range.high / range.low, 1000, 1e-6);
    EXPECT_LE(range.low, 5);
    EXPECT_GE(range.high, 5);
}

TEST(LogAxes, WhatHasNoLogarithmIsLeftOut) {
    const LogRange range =
        decades_around({0, -3, std::numeric_limits<double>::infinity(), 10, 100}, 1);
    EXPECT_DOUBLE_EQ(range.low, 10);
    EXPECT_DOUBLE_EQ(range.high, 100);
    EXPECT_LT(decades_around({}).low, decades_around({}).high);
}

TEST(LogAxes, TheLowEndLeavesRoomForAMark) {
    const LogRange range{1, 1000};
    for (const double length : {60.0, 113.0, 800.0}) {
        const double low = low_end_below(1.1, range, 14, length);
        const double pixels_of_a_decade = length / std::log10(range.high / low);
        EXPECT_NEAR(pixels_of_a_decade * std::log10(1.1 / low), 14, 1e-9) << length;
        EXPECT_DOUBLE_EQ(low_end_below(500, range, 14, length), range.low) << "there is room";
    }
    EXPECT_DOUBLE_EQ(low_end_below(1.1, range, 14, 10), range.low) << "no axis to speak of";
}

TEST(LogAxes, TheHighEndLeavesRoomForALabel) {
    const LogRange range{1, 1000};
    for (const double length : {60.0, 113.0, 800.0}) {
        const double high = high_end_above(1000, range, 18, length);
        const double pixels_of_a_decade = length / std::log10(high / range.low);
        EXPECT_NEAR(pixels_of_a_decade * std::log10(high / 1000), 18, 1e-9) << length;
        EXPECT_DOUBLE_EQ(high_end_above(2, range, 18, length), range.high) << "there is room";
    }
    EXPECT_DOUBLE_EQ(high_end_above(1000, range, 18, 10), range.high) << "no axis to speak of";
}

TEST(LogAxes, ARidgeIsWhereBothCeilingsMeet) {
    const double compute = 350e9, bandwidth = 18e9;
    EXPECT_NEAR(attainable(bandwidth, ridge(compute, bandwidth)), compute, 1);
}

TEST(Labels, OverlappingOnesAreMovedApart) {
    std::vector<PlacedLabel> labels(5, PlacedLabel{{50, 50, 40, 10}, true, true});
    labels.push_back({{55, 52, 10, 10}, false, true});
    separate_labels(labels, {0, 0, 300, 200});
    for (std::size_t i = 0; i < labels.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (labels[i].shown && labels[j].shown) {
                EXPECT_FALSE(labels[i].rectangle.overlaps(labels[j].rectangle)) << i << ' ' << j;
            }
    EXPECT_EQ(labels[5].rectangle.x, 55) << "what does not move stays";
}

TEST(Labels, StayInside) {
    std::vector<PlacedLabel> labels{{{-30, -30, 40, 10}, true, true},
                                    {{500, 500, 40, 10}, true, true}};
    separate_labels(labels, {0, 0, 100, 100});
    for (const auto& label : labels) {
        ASSERT_TRUE(label.shown);
        EXPECT_GE(label.rectangle.x, 0);
        EXPECT_LE(label.rectangle.bottom(), 100);
    }
}

TEST(Labels, WithoutRoomOneIsHidden) {
    std::vector<PlacedLabel> labels(2, PlacedLabel{{0, 0, 40, 10}, true, true});
    separate_labels(labels, {0, 0, 40, 10});
    EXPECT_TRUE(labels[0].shown);
    EXPECT_FALSE(labels[1].shown);
}

TEST(StackedWidths, SumUpAndLoseNobody) {
    const std::vector<int> widths = stacked_widths({0.9, 0.0999, 0.0001, 0}, 100);
    EXPECT_EQ(std::accumulate(widths.begin(), widths.end(), 0), 100);
    EXPECT_GE(widths[2], 1);
    EXPECT_EQ(widths[3], 0);
    EXPECT_GT(widths[0], widths[1]);
}

TEST(StackedWidths, MoreSharesThanPixels) {
    const std::vector<int> widths = stacked_widths(std::vector<double>(10, 0.1), 4);
    EXPECT_EQ(std::accumulate(widths.begin(), widths.end(), 0), 4);
    EXPECT_EQ(stacked_widths({0, 0}, 100), (std::vector<int>{0, 0}));
}

} // namespace loopscope::views
