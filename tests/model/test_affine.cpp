#include "tuner/model/affine.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::model;

namespace {

// Two loops: depth 0 of 10 iterations, depth 1 of 8.
struct TwoLoops : ::testing::Test {
    FormTable table{2};
    Form outer = table.loop(0, 10), inner = table.loop(1, 8);
    Form split = add(scale(outer, 8), inner); // outer*8 + inner: 0 … 79
};

TEST_F(TwoLoops, ASplitAxisMovesByItsPartsThatRun) {
    EXPECT_EQ(table.range(split), (Interval{0, 79}));
    EXPECT_EQ(table.spread(split, 0), 79);
    EXPECT_EQ(table.spread(split, 1), 7);
    EXPECT_EQ(table.spread(split, 2), 0);
    EXPECT_EQ(table.step(split, 0), 8);
    EXPECT_EQ(table.step(split, 1), 1);
}

TEST_F(TwoLoops, DivisionKnowsTheAlignmentOfWhatIsHeld) {
    auto half = table.divide(split, 4); // outer*2 + inner/4
    EXPECT_EQ(table.spread(half, 1), 1);
    EXPECT_EQ(table.spread(half, 0), 19);
    auto third = table.divide(split, 3); // eight values in a row fall into four thirds at worst
    EXPECT_EQ(table.spread(third, 1), 3);
    EXPECT_EQ(table.range(third), (Interval{0, 26}));
}

TEST_F(TwoLoops, DivisionTakesWholePartsOut) {
    EXPECT_EQ(table.divide(split, 8), outer);
    EXPECT_EQ(table.modulo(split, 8), inner);
}

TEST_F(TwoLoops, ModuloWrapsOnlyWhereItMay) {
    // (outer*8 + inner) % 16: held part is 0 or 8, never wraps inside
    auto rest = table.modulo(split, 16);
    EXPECT_EQ(table.spread(rest, 1), 7);
    EXPECT_EQ(table.spread(rest, 0), 15);
    auto odd = table.modulo(split, 10);
    EXPECT_EQ(table.spread(odd, 1), 7 + 0.0);
    EXPECT_LE(table.spread(odd, 0), 9);
}

TEST_F(TwoLoops, ClampsLimitTheSpread) {
    auto clamped = table.clamp(split, 0, 49);
    EXPECT_EQ(table.range(clamped), (Interval{0, 49}));
    EXPECT_EQ(table.spread(clamped, 0), 49);
    EXPECT_EQ(table.spread(clamped, 1), 7);
    EXPECT_EQ(table.clamp(split, -5, 100), split) << "a clamp that never acts is none";
    EXPECT_EQ(table.clamp(split, 90, 100), (Form{{}, 90}));
}

TEST_F(TwoLoops, SpansShareAKeyWhenTheyMoveWithTheSameHeldValue) {
    auto a = table.span(split, 1), b = table.span(add(split, Form{{}, 3}), 1),
         c = table.span(inner, 1);
    EXPECT_EQ(a.key, b.key);
    EXPECT_NE(a.key, c.key);
    EXPECT_EQ(b.low - a.low, 3);
    EXPECT_EQ(b.high - b.low, 7);
}

TEST_F(TwoLoops, ParsesWhatTheTreeWrites) {
    FormTable::Environment names{{"C.io", outer}, {"C.ii", inner}};
    auto io = variable("C.io"), ii = variable("C.ii");
    auto number = [](std::int64_t v) { return constant_int(ScalarType::I32, v); };
    Form form;
    ASSERT_TRUE(table.parse(binary(Op::Add, binary(Op::Multiply, io, number(8)), ii), names, form));
    EXPECT_EQ(form, split);
    ASSERT_TRUE(table.parse(
        binary(Op::Min, binary(Op::Max, binary(Op::Subtract, ii, number(1)), number(0)), number(5)),
        names, form));
    EXPECT_EQ(table.range(form), (Interval{0, 5}));
    EXPECT_FALSE(table.parse(binary(Op::Multiply, io, ii), names, form));
    EXPECT_FALSE(table.parse(load("a", ScalarType::I32, {io}), names, form));
    EXPECT_FALSE(table.parse(variable("other"), names, form));
    // A cast that may wrap is no form; one that fits is the value itself.
    ASSERT_TRUE(table.parse(cast(ScalarType::I64, io), names, form));
    EXPECT_EQ(form, outer);
    EXPECT_FALSE(
        table.parse(cast(ScalarType::I8, binary(Op::Multiply, io, number(100))), names, form));
}

TEST_F(TwoLoops, WhatIsOnlyKnownByRangeTouchesAtMostOneValueAnIteration) {
    auto form = table.opaque({0, 255}, ~std::uint64_t{0}, {10, 8});
    EXPECT_EQ(table.spread(form, 0), 79);
    EXPECT_EQ(table.spread(form, 1), 7);
    EXPECT_EQ(table.spread(form, 2), 0);
    EXPECT_EQ(table.spread(table.opaque({0, 5}, ~std::uint64_t{0}, {10, 8}), 0), 5);
}

} // namespace
