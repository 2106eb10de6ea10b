// Linear forms against brute force: what region inference believes must hold for every value of the
// variables.

#include "core/schedule/linear.h"

#include "core/ir/range.h"

#include <gtest/gtest.h>

using namespace loopscope;

namespace {

// The value of a form's expression at a point, by the range of an expression over single values.
std::int64_t value_at(const LinearForm& form, std::int64_t x, std::int64_t y) {
    auto range = range_of(to_expr(form), [&](const std::string& name) -> std::optional<Interval> {
        return name == "x" ? Interval{x, x} : Interval{y, y};
    });
    EXPECT_TRUE(range && range->least == range->greatest);
    return range->least;
}

const Interval kX{0, 6}, kY{-3, 4};

std::vector<LinearForm> forms() {
    auto x = variable_form("x", kX), y = variable_form("y", kY);
    return {x * 2 + y - LinearForm(3),
            floor_divide(x * 3 + LinearForm(5), 2),
            floor_divide(x * 4 + y * 2 - LinearForm(7), 2),
            modulo(x + y * 2, 3),
            clamp(x * 2 - LinearForm(1), 0, 9),
            clamp(x * 2 + y, 1, 5) + y,
            floor_divide(clamp(x + y, -1, 4), 3) * -2 + x};
}

} // namespace

TEST(Linear, ExpressionsHaveTheValuesAndRangesCoverThem) {
    for (const auto& form : forms())
        for (auto x = kX.least; x <= kX.greatest; ++x)
            for (auto y = kY.least; y <= kY.greatest; ++y) {
                auto value = value_at(form, x, y);
                auto range = form.range();
                EXPECT_LE(range.least, value) << form.key();
                EXPECT_GE(range.greatest, value) << form.key();
            }
    EXPECT_EQ(value_at(floor_divide(variable_form("x", kX) - LinearForm(5), 3), 1, 0), -2);
    EXPECT_EQ(value_at(modulo(variable_form("y", kY), 3), 0, -2), 1);
}

TEST(Linear, DifferenceRangesAndHullsHold) {
    auto all = forms();
    for (const auto& a : all)
        for (const auto& b : all) {
            auto range = difference_range(a, b);
            auto both = hull({a, a, true}, {b, b, true});
            for (auto x = kX.least; x <= kX.greatest; ++x)
                for (auto y = kY.least; y <= kY.greatest; ++y) {
                    auto va = value_at(a, x, y), vb = value_at(b, x, y);
                    EXPECT_LE(range.least, va - vb);
                    EXPECT_GE(range.greatest, va - vb);
                    EXPECT_LE(value_at(both.least, x, y), std::min(va, vb));
                    EXPECT_GE(value_at(both.greatest, x, y), std::max(va, vb));
                }
        }
}

// c*floor((p*x + q)/d) + r*x + s: what it takes is known to the last value, where d is a multiple
// of p.
TEST(Linear, FloorDivisionsGoTogetherWithWhatTheyDivide) {
    int exact = 0;
    for (std::int64_t least : {-7, 0, 3})
        for (std::int64_t extent : {2, 3, 8, 13})
            for (std::int64_t d : {2, 3, 4, 8})
                for (std::int64_t p : {-4, -3, -1, 1, 2, 3})
                    for (std::int64_t q : {-5, 0, 1, 6})
                        for (std::int64_t c : {-3, -1, 1, 2, 4})
                            for (std::int64_t r : {-2, -1, 1, 3}) {
                                const Interval range{least, least + extent - 1};
                                const auto x = variable_form("x", range);
                                const auto form =
                                    floor_divide(x * p + LinearForm(q), d) * c + x * r;
                                auto at = [&](std::int64_t v) {
                                    const auto n = p * v + q;
                                    return c * ((n - ((n % d) + d) % d) / d) + r * v;
                                };
                                Interval values{at(least), at(least)};
                                for (auto v = range.least; v <= range.greatest; ++v)
                                    values = {std::min(values.least, at(v)),
                                              std::max(values.greatest, at(v))};
                                const auto found = difference_range(form, LinearForm(0));
                                ASSERT_TRUE(found.contains(values)) << form.key();
                                if (d % p != 0)
                                    continue;
                                ASSERT_EQ(found, values) << form.key();
                                ++exact;
                            }
    EXPECT_GT(exact, 1000);
}

// Two variables, and floor divisions of floor divisions: held to every value, and to a bound that
// halves add up to.
TEST(Linear, FloorDivisionsOfSeveralVariables) {
    const auto x = variable_form("x", kX), y = variable_form("y", kY);
    const auto half = floor_divide(x + LinearForm(1), 2);
    const std::vector<LinearForm> forms = {
        floor_divide(x + y, 2) - x,
        floor_divide(x + y * 3 + LinearForm(2), 4) * 3 - x - y * 2,
        floor_divide(half + y, 2) - x,
        half + floor_divide(x + LinearForm(2), 3) - x,
        floor_divide(floor_divide(x, 2) + LinearForm(1), 2) * 4 - x,
        floor_divide(clamp(x * 2 + y, 0, 9), 3) * 3 - x * 2 - y,
    };
    for (const auto& form : forms) {
        const auto range = difference_range(form, LinearForm(0));
        for (auto i = kX.least; i <= kX.greatest; ++i)
            for (auto j = kY.least; j <= kY.greatest; ++j)
                EXPECT_TRUE(range.contains({value_at(form, i, j), value_at(form, i, j)}))
                    << form.key();
    }
    EXPECT_EQ(difference_range(floor_divide(y, 2), y), (Interval{-2, 1}));
    EXPECT_EQ(difference_range(floor_divide(x, 2), x), (Interval{-3, 0}));
    EXPECT_EQ(difference_range(floor_divide(floor_divide(x, 2), 2) * 4, x), (Interval{-3, 0}));
    EXPECT_EQ(difference_range(floor_divide(x + y, 2), x), (Interval{-5, 2}));
}

// The first and the last of sixteen points of a tile, clamped to the last one, and halved.
TEST(Linear, HalvesOfAClampedTile) {
    const auto tile = variable_form("x", {0, 3}) * 16;
    const auto first = floor_divide(clamp(tile, 0, 60), 2);
    const auto last = floor_divide(clamp(tile + LinearForm(15), 0, 60) + LinearForm(1), 2);
    EXPECT_LE(difference_range(last, first).greatest, 8);
    EXPECT_GE(difference_range(last, first).least, 0);
}

TEST(Linear, EqualPartsCancel) {
    auto x = variable_form("x", kX);
    auto c = clamp(x * 32, 0, 100);
    EXPECT_EQ(difference_range(c + LinearForm(5), c), (Interval{5, 5}));
    auto d = floor_divide(x * 3 + LinearForm(4), 2) - floor_divide(x * 3, 2);
    EXPECT_EQ(d, LinearForm(2));
}
