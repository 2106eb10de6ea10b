// Whether sets of points are empty: by the search, by isl, and where they are small by looking at
// each point.
#include "core/polyhedral/point_search.h"
#include "core/polyhedral/point_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>

namespace loopscope::polyhedral {
namespace {

using Condition = PointSet::Condition;

int bounded(PointSet& set, std::int64_t least, std::int64_t greatest) {
    const int v = set.variable();
    set.require(PointSet::at_least_zero(set.plus(PointSet::of(v), -least)));
    set.require(
        PointSet::at_least_zero(set.plus(PointSet::constant(greatest), PointSet::of(v), -1)));
    return v;
}

TEST(PointSet, SumsAndTheirBounds) {
    PointSet set;
    const auto x = PointSet::of(bounded(set, 0, 9)), y = PointSet::of(bounded(set, 0, 9));
    set.require(PointSet::zero(set.plus(set.plus(x, y), -18)));
    EXPECT_EQ(search(set), Emptiness::NotEmpty);
    set.require(PointSet::not_zero(set.plus(x, -9)));
    EXPECT_EQ(search(set), Emptiness::Empty);
    EXPECT_EQ(is_empty(set.text()), Emptiness::Empty);
}

TEST(PointSet, NoMultipleIsBetween) {
    PointSet set;
    const auto x = PointSet::of(bounded(set, 0, 1'000'000)),
               y = PointSet::of(bounded(set, 0, 1'000'000));
    set.require(PointSet::zero(set.plus(set.plus(set.times(x, 6), y, -4), -3)));
    EXPECT_EQ(search(set), Emptiness::Empty);
}

// Digits of two numbers are equal only where the numbers are.
TEST(PointSet, QuotientsAndRemainders) {
    PointSet set;
    const auto x = PointSet::of(bounded(set, 0, 255)), y = PointSet::of(bounded(set, 0, 255));
    set.require(PointSet::zero(set.plus(set.quotient(x, 34), set.quotient(y, 34), -1)));
    set.require(PointSet::zero(set.plus(set.remainder(x, 34), set.remainder(y, 34), -1)));
    EXPECT_EQ(search(set), Emptiness::NotEmpty);
    set.require(PointSet::not_zero(set.plus(x, y, -1)));
    EXPECT_EQ(search(set), Emptiness::Empty);
}

TEST(PointSet, WholePartsOfAQuotientAreNoneOfItsOwn) {
    PointSet set;
    const auto x = PointSet::of(set.variable());
    const auto sum = set.plus(set.times(x, 8), -11);
    EXPECT_EQ(set.quotient(sum, 4), set.plus(set.times(x, 2), -3));
    EXPECT_EQ(set.remainder(sum, 4), PointSet::constant(1));
    EXPECT_TRUE(set.derived().empty());
    const auto half = set.quotient(x, 2);
    EXPECT_EQ(set.quotient(set.plus(x, 2), 2), set.plus(half, 1)) << "shares its variable";
    EXPECT_EQ(set.derived().size(), 1u);
}

TEST(PointSet, MinimaAndMaxima) {
    PointSet set;
    const auto x = PointSet::of(bounded(set, -5, 20));
    const auto clamped = set.maximum(set.minimum(x, PointSet::constant(9)), Affine());
    set.require(PointSet::any({PointSet::at_least_zero(set.plus(clamped, -9)),
                               PointSet::at_least_zero(set.times(clamped, -1))}));
    set.require(PointSet::at_least_zero(set.plus(x, -1)));
    EXPECT_EQ(search(set), Emptiness::NotEmpty);
    set.require(PointSet::at_least_zero(set.plus(PointSet::constant(8), x, -1)));
    EXPECT_EQ(search(set), Emptiness::Empty);
}

// What has no bounds is isl's.
TEST(PointSet, WithoutBounds) {
    PointSet set;
    const auto x = PointSet::of(set.variable()), y = PointSet::of(set.variable());
    set.require(PointSet::zero(set.plus(set.times(x, 2), y, -3)));
    EXPECT_EQ(search(set), Emptiness::Unknown);
    EXPECT_EQ(is_empty(set), Emptiness::NotEmpty);
    set.require(PointSet::zero(set.plus(set.plus(x, y), -3)));
    EXPECT_EQ(is_empty(set), Emptiness::Empty);
}

// Bounds may come from other variables, in any order.
TEST(PointSet, BoundsByOthers) {
    PointSet set;
    const auto x = PointSet::of(set.variable()), y = PointSet::of(set.variable());
    set.require(PointSet::at_least_zero(set.plus(y, x, -1))); // x <= y
    set.require(PointSet::at_least_zero(set.plus(x, -1)));
    set.require(PointSet::at_least_zero(set.plus(PointSet::constant(4), y, -1)));
    EXPECT_EQ(search(set), Emptiness::NotEmpty);
    set.require(PointSet::at_least_zero(set.plus(set.plus(x, y), -9)));
    EXPECT_EQ(search(set), Emptiness::Empty);
}

TEST(PointSet, TooManyStepsAreNotKnown) {
    PointSet set;
    const auto x = PointSet::of(bounded(set, 0, 1000)), y = PointSet::of(bounded(set, 0, 1000));
    set.require(PointSet::zero(
        set.plus(set.plus(set.remainder(set.times(x, 7), 11), set.remainder(y, 13)), -21)));
    EXPECT_EQ(search(set, 50), Emptiness::Unknown);
    EXPECT_EQ(search(set), Emptiness::NotEmpty);
}

TEST(PointSet, NumbersThatAreTooLargeAreNotKnown) {
    PointSet set;
    const auto x = PointSet::of(bounded(set, 0, INT64_MAX / 2));
    set.require(PointSet::zero(set.plus(x, -3)));
    EXPECT_EQ(search(set), Emptiness::Unknown);
    EXPECT_EQ(is_empty(set), Emptiness::NotEmpty);
    const auto beyond = set.times(set.times(x, INT64_MAX / 2), 4);
    EXPECT_TRUE(set.overflows());
    set.require(PointSet::zero(beyond));
    EXPECT_EQ(is_empty(set), Emptiness::Unknown);
}

TEST(PointSet, ConnectedConditions) {
    PointSet set;
    const auto x = PointSet::of(bounded(set, 0, 9)), y = PointSet::of(bounded(set, 0, 9)),
               z = PointSet::of(bounded(set, 5, 4));
    set.require(PointSet::zero(set.plus(x, -20)));                    // number 6
    set.require(PointSet::zero(set.plus(x, set.quotient(y, 2), -1))); // 7
    set.require(PointSet::zero(set.plus(set.quotient(z, 3), y, -1))); // 8
    EXPECT_EQ(search(set.connected(7, {6, 8})), Emptiness::NotEmpty);
    EXPECT_EQ(search(set.connected(7, {8})), Emptiness::Empty) << "x is 20";
    EXPECT_EQ(search(set.connected(7, {6})), Emptiness::Empty) << "z is nothing";
    EXPECT_EQ(search(set.connected(7, {8})), is_empty(set.connected(7, {8}).text()));
}

TEST(PointSet, EqualSetsHaveOneKey) {
    auto make = [](std::int64_t constant) {
        PointSet set;
        const auto x = PointSet::of(bounded(set, 0, 63));
        set.require(PointSet::zero(set.plus(set.quotient(x, 5), constant)));
        return set;
    };
    EXPECT_EQ(make(3).key(), make(3).key());
    EXPECT_NE(make(3).key(), make(4).key());
    auto moved = make(3);
    moved.move(2, 1);
    EXPECT_EQ(moved.key(), make(4).key());
}

// Random sets of few points: all that are, by their values.
class RandomSet {
public:
    explicit RandomSet(std::uint64_t seed) : random_(seed) {
        const int variables = below(3) + 2;
        for (int v = 0; v < variables; ++v) {
            extents_.push_back(below(7) + 1);
            variables_.push_back(bounded(set, 0, extents_.back() - 1));
        }
        const int conditions = below(3) + 1;
        for (int c = 0; c < conditions; ++c) {
            auto [condition, holds] = this->condition(2);
            set.require(condition);
            holds_.push_back(holds);
        }
    }

    bool empty() const {
        std::vector<std::int64_t> at(extents_.size(), 0);
        for (;;) {
            if (std::all_of(holds_.begin(), holds_.end(), [&](const auto& h) { return h(at); }))
                return false;
            std::size_t v = 0;
            while (v < at.size() && ++at[v] == extents_[v])
                at[v++] = 0;
            if (v == at.size())
                return true;
        }
    }

    PointSet set;

private:
    using Point = std::vector<std::int64_t>;
    using Value = std::function<std::int64_t(const Point&)>;
    using Holds = std::function<bool(const Point&)>;

    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

    std::pair<Affine, Value> form(int depth) {
        switch (depth == 0 ? below(2) : below(7)) {
        case 0: {
            const int c = below(9) - 4;
            return {PointSet::constant(c), [c](const Point&) { return c; }};
        }
        case 1: {
            const auto v = static_cast<std::size_t>(below(static_cast<int>(variables_.size())));
            return {PointSet::of(variables_[v]), [v](const Point& p) { return p[v]; }};
        }
        case 2:
        case 3: {
            const int factor = below(11) - 5;
            auto [a, of_a] = form(depth - 1);
            auto [b, of_b] = form(depth - 1);
            return {set.plus(a, b, factor), [=, of_a = of_a, of_b = of_b](const Point& p) {
                        return of_a(p) + factor * of_b(p);
                    }};
        }
        case 4: {
            const int divisor = below(6) + 1;
            auto [a, of_a] = form(depth - 1);
            return {set.quotient(a, divisor), [=, of_a = of_a](const Point& p) {
                        const auto value = of_a(p);
                        return value / divisor - (value % divisor < 0);
                    }};
        }
        case 5: {
            const int divisor = below(6) + 1;
            auto [a, of_a] = form(depth - 1);
            return {set.remainder(a, divisor), [=, of_a = of_a](const Point& p) {
                        return (of_a(p) % divisor + divisor) % divisor;
                    }};
        }
        default: {
            const bool least = below(2) == 0;
            auto [a, of_a] = form(depth - 1);
            auto [b, of_b] = form(depth - 1);
            return {least ? set.minimum(a, b) : set.maximum(a, b),
                    [=, of_a = of_a, of_b = of_b](const Point& p) {
                        return least ? std::min(of_a(p), of_b(p)) : std::max(of_a(p), of_b(p));
                    }};
        }
        }
    }

    std::pair<Condition, Holds> condition(int depth) {
        switch (depth == 0 ? below(3) : below(6)) {
        case 0: {
            auto [a, of_a] = form(2);
            return {PointSet::at_least_zero(a),
                    [of_a = of_a](const Point& p) { return of_a(p) >= 0; }};
        }
        case 1: {
            auto [a, of_a] = form(2);
            return {PointSet::zero(a), [of_a = of_a](const Point& p) { return of_a(p) == 0; }};
        }
        case 2: {
            auto [a, of_a] = form(2);
            return {PointSet::not_zero(a), [of_a = of_a](const Point& p) { return of_a(p) != 0; }};
        }
        case 3: {
            auto [a, of_a] = condition(depth - 1);
            return {PointSet::negated(a), [of_a = of_a](const Point& p) { return !of_a(p); }};
        }
        default: {
            const bool all = below(2) == 0;
            auto [a, of_a] = condition(depth - 1);
            auto [b, of_b] = condition(depth - 1);
            return {all ? PointSet::all({a, b}) : PointSet::any({a, b}),
                    [=, of_a = of_a, of_b = of_b](const Point& p) {
                        return all ? of_a(p) && of_b(p) : of_a(p) || of_b(p);
                    }};
        }
        }
    }

    std::mt19937_64 random_;
    std::vector<std::int64_t> extents_;
    std::vector<int> variables_;
    std::vector<Holds> holds_;
};

TEST(PointSet, RandomSetsAreAsTheirPointsSay) {
    int empty = 0;
    constexpr int kSets = 3000;
    for (std::uint64_t seed = 1; seed <= kSets; ++seed) {
        const RandomSet random(seed);
        const auto expected = random.empty() ? Emptiness::Empty : Emptiness::NotEmpty;
        empty += random.empty();
        ASSERT_EQ(search(random.set), expected) << "seed " << seed << ": " << random.set.text();
        if (seed % 10 == 0) {
            ASSERT_EQ(is_empty(random.set.text()), expected)
                << "isl, seed " << seed << ": " << random.set.text();
        }
        const auto last = random.set.conditions().size() - 1;
        for (std::size_t c = 0; c < last; ++c)
            for (const auto& without : {std::vector<std::size_t>{}, {last}})
                if (search(random.set.connected(c, without)) == Emptiness::Empty) {
                    ASSERT_EQ(expected, Emptiness::Empty) << "a part of it, seed " << seed;
                }
    }
    EXPECT_GT(empty, kSets / 10);
    EXPECT_LT(empty, kSets * 9 / 10);
}

} // namespace
} // namespace loopscope::polyhedral
