#include "lower_support.h"

namespace loopscope::lower {
namespace {

TEST(DeadStores, AComponentThatNobodyReadsIsNotStored) {
    EXPECT_EQ(
        test::after(dead_stores, test::on_host("input a: f32[8]\noutput out: i32[8]",
                                               R"(    allocate t.0: f32[8] in host
    allocate t.1: i32[8] in host
    for i in 0..8 {
        let x = a[i]
        t.0[i] = x
        t.1[i] = i
    }
    for k in 0..8 {
        out[k] = t.1[7 - k]
    }
)")),
        test::on_host("input a: f32[8]\noutput out: i32[8]", R"(    allocate t.1: i32[8] in host
    for i in 0..8 {
        t.1[i] = i
    }
    for k in 0..8 {
        out[k] = t.1[7 - k]
    }
)"));
}

// Sums that feed themselves alone, the loops that only they are in, and what their conditions read.
TEST(DeadStores, WhatOnlyFeedsItselfGoesWithItsLoops) {
    EXPECT_EQ(test::after(dead_stores, test::on_host("input a: f32[8]\noutput out: f32[8]",
                                                     R"(    allocate count: i32[1] in host
    allocate sum: f32[1] in host
    sum[0] = 0.0
    for k in 0..8 {
        if count[0] < 3 {
            sum[0] = sum[0] + a[k]
        }
    }
    for i in 0..8 {
        count[0] = count[0] + 1
        if a[i] > 0.0 {
            sum[0] = a[i]
        } else {
            out[i] = a[i]
        }
    }
)")),
              test::on_host("input a: f32[8]\noutput out: f32[8]", R"(    for i in 0..8 {
        if not a[i] > 0.0 {
            out[i] = a[i]
        }
    }
)"));
}

// In a value, an index, a mask, a condition, a bound, through a let and through another buffer.
TEST(DeadStores, WhatAnOutputNeedsStays) {
    const std::string text =
        test::on_host("input a: f32[8]\noutput out: f32[8]", R"(    allocate value: f32[8] in host
    allocate index: i32[8] in host
    allocate end: i32[1] in host
    allocate test: f32[1] in host
    value[0] = a[0]
    index[0] = 1
    end[0] = 4
    test[0] = value[0]
    for i in 0..end[0] {
        if test[0] < 3.0 {
            let x = value[i]
            out[index[i]] = x
        }
    }
)");
    EXPECT_EQ(test::after(dead_stores, text), text);
}

// What is read is a variable of the buffer's name, which a definition's let may have.
TEST(DeadStores, AVariableOfTheBuffersNameIsNoReader) {
    EXPECT_EQ(test::after(dead_stores, test::on_host("input a: f32[8]\noutput out: f32[8]",
                                                     R"(    allocate bright: f32[8] in host
    for i in 0..8 {
        bright[i] = a[i]
    }
    for k in 0..8 {
        out[k] = let bright = a[k] in bright * bright
    }
)")),
              test::on_host("input a: f32[8]\noutput out: f32[8]", R"(    for k in 0..8 {
        out[k] = let bright = a[k] in bright*bright
    }
)"));
}

} // namespace
} // namespace loopscope::lower
