#include "core/polyhedral/dependences.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace loopscope::polyhedral {
namespace {

using Verdict = Answer::Verdict;

Affine form(std::int64_t constant, std::vector<std::pair<int, std::int64_t>> terms) {
    return {constant, std::move(terms)};
}

// A[i] = A[i - distance] for i in 0..n
DependenceQuery shifted(std::int64_t n, std::int64_t distance) {
    DependenceQuery query;
    query.accesses.axes = {{"i", 0, n, false}};
    query.accesses.list = {{true, {form(0, {{0, 1}})}, "A[i]"},
                           {false, {form(-distance, {{0, 1}})}, "A[i - d]"}};
    query.loop_count = 1;
    query.nest = {0};
    return query;
}

TEST(Dependences, DistanceOfARecurrence) {
    auto answer = carries(shifted(10, 3), 0);
    ASSERT_EQ(answer.verdict, Verdict::Yes);
    EXPECT_EQ(answer.example->distance, std::vector<std::int64_t>{3});
    EXPECT_EQ(answer.example->from, std::vector<std::int64_t>{0});
    EXPECT_EQ(answer.example->first, 0);
    EXPECT_EQ(answer.example->second, 1);
    EXPECT_TRUE(answer.example->certain);
    EXPECT_EQ(carries(shifted(10, 0), 0).verdict, Verdict::No);
    EXPECT_EQ(carries(shifted(10, 10), 0).verdict, Verdict::No) << "out of reach";
    EXPECT_EQ(carries(shifted(1, 1), 0).verdict, Verdict::No) << "one iteration";
    EXPECT_EQ(carries(shifted(0, 1), 0).verdict, Verdict::No);
}

TEST(Dependences, AReadAheadIsADependenceToo) {
    auto answer = carries(shifted(10, -2), 0);
    ASSERT_EQ(answer.verdict, Verdict::Yes);
    EXPECT_EQ(answer.example->first, 1) << "read, then overwritten";
    EXPECT_EQ(answer.example->distance, std::vector<std::int64_t>{2});
}

TEST(Dependences, SplitsCarryByBlocks) {
    auto query = shifted(64, 4);
    query.loop_count = 3;
    query.relations = {{false, 0, 1, 2, 4}};
    query.nest = {1, 2};
    EXPECT_EQ(carries(query, 0).verdict, Verdict::Yes);
    EXPECT_EQ(carries(query, 1).verdict, Verdict::No) << "four in a row are independent";
    EXPECT_EQ(exchanges(query, true).verdict, Verdict::No);
    query.nest = {2, 1};
    EXPECT_EQ(exchanges(query, true).verdict, Verdict::No)
        << "each chain of stride 4 stays in order";
    query.relations[0].factor = 8;
    EXPECT_EQ(exchanges(query, true).verdict, Verdict::Yes);
}

TEST(Dependences, FusedLoops) {
    // A[r, c] = A[r, c - 1], r in 0..4, c in 0..6, fused
    DependenceQuery query;
    query.accesses.axes = {{"r", 0, 4, false}, {"c", 0, 6, false}};
    query.accesses.list = {{true, {form(0, {{0, 1}}), form(0, {{1, 1}})}, "w"},
                           {false, {form(0, {{0, 1}}), form(-1, {{1, 1}})}, "r"}};
    query.loop_count = 5;
    query.relations = {{true, 2, 0, 1, 1}, {false, 2, 3, 4, 6}};
    query.nest = {3, 4};
    EXPECT_EQ(carries(query, 0).verdict, Verdict::No) << "a block of 6 is a row";
    EXPECT_EQ(carries(query, 1).verdict, Verdict::Yes);
    query.relations[1].factor = 4;
    EXPECT_EQ(carries(query, 0).verdict, Verdict::Yes);
}

TEST(Dependences, FloorDivisions) {
    // A[i / 4] = …: four iterations write one element.
    auto query = shifted(64, 0);
    query.accesses.divisions = {{form(0, {{0, 1}}), 4}};
    query.accesses.list = {{true, {form(0, {{1, 1}})}, "A[i / 4]"}};
    query.loop_count = 3;
    query.relations = {{false, 0, 1, 2, 4}};
    query.nest = {1, 2};
    EXPECT_EQ(carries(query, 0).verdict, Verdict::No);
    auto answer = carries(query, 1);
    ASSERT_EQ(answer.verdict, Verdict::Yes);
    EXPECT_EQ(answer.example->distance, std::vector<std::int64_t>{1});
}

TEST(Dependences, UnknownIndicesMayMeet) {
    auto query = shifted(10, 1);
    query.accesses.list = {{true, {std::nullopt}, "A[data]"}};
    auto answer = carries(query, 0);
    ASSERT_EQ(answer.verdict, Verdict::Yes);
    EXPECT_FALSE(answer.example->certain);
    query.accesses.list = {{true, {std::nullopt, form(0, {{0, 1}})}, "A[data, i]"}};
    EXPECT_EQ(carries(query, 0).verdict, Verdict::No) << "the second index tells them apart";
}

TEST(Dependences, FreeAxesNeverTellIterationsApart) {
    auto query = shifted(10, 1);
    query.accesses.axes.insert(query.accesses.axes.begin(), Axis{"y", 0, 0, true});
    query.accesses.list = {{true, {form(0, {{0, 1}}), form(0, {{1, 1}})}, "w"},
                           {false, {form(0, {{0, 1}}), form(-1, {{1, 1}})}, "r"}};
    query.loop_count = 4;
    query.relations = {{false, 0, 2, 3, 8}};
    query.nest = {1};
    auto answer = carries(query, 0);
    ASSERT_EQ(answer.verdict, Verdict::Yes);
    EXPECT_EQ(answer.example->axes, std::vector<int>{1});
}

TEST(Dependences, AnExhaustedQuotaIsNotProven) {
    auto query = shifted(1000, 7);
    query.accesses.axes = {{"i", 0, 1000, false}, {"j", 0, 1000, false}};
    query.accesses.list = {{true, {form(0, {{0, 12}, {1, 35}})}, "w"},
                           {false, {form(1, {{0, 21}, {1, 77}})}, "r"}};
    query.loop_count = 2;
    query.nest = {0, 1};
    EXPECT_EQ(carries(query, 0, Effort::ExactOnly, 5).verdict, Verdict::NotProven);
    EXPECT_NE(carries(query, 0, Effort::ExactOnly).verdict, Verdict::NotProven)
        << "and the next call is not harmed";
}

TEST(Dependences, TooManyRelationsAreNotProven) {
    auto query = shifted(1 << 20, 1);
    for (int i = 0; i < 100; ++i)
        query.relations.push_back({false, i == 0 ? 0 : 2 * i, 2 * i + 1, 2 * i + 2, 2});
    query.loop_count = 201;
    query.nest = {1};
    EXPECT_EQ(carries(query, 0).verdict, Verdict::NotProven);
}

// Every answer against enumeration, and the quick one against isl's.
struct Enumerated {
    bool carried = false, exchanged = false;
};

Enumerated enumerate(const DependenceQuery& query, std::size_t position, bool writes) {
    const auto& axes = query.accesses.axes;
    auto extents = loop_extents(query);
    struct Point {
        std::vector<std::int64_t> axes, loops;
    };
    std::vector<Point> points;
    for (auto i = axes[0].begin; i < axes[0].end; ++i)
        for (auto j = axes[1].begin; j < axes[1].end; ++j) {
            std::vector<std::int64_t> value(static_cast<std::size_t>(query.loop_count));
            value[0] = i - axes[0].begin;
            value[1] = j - axes[1].begin;
            for (const auto& r : query.relations) {
                auto at = [&](int loop) -> std::int64_t& {
                    return value[static_cast<std::size_t>(loop)];
                };
                if (r.fuse) {
                    at(r.parent) =
                        at(r.outer) * extents[static_cast<std::size_t>(r.inner)] + at(r.inner);
                } else {
                    at(r.outer) = at(r.parent) / r.factor;
                    at(r.inner) = at(r.parent) % r.factor;
                }
            }
            Point p{{i, j}, {}};
            for (int loop : query.nest)
                p.loops.push_back(value[static_cast<std::size_t>(loop)]);
            points.push_back(p);
        }
    auto element = [&](const Access& access, const Point& p) {
        std::vector<std::int64_t> out;
        auto floor_div = [](std::int64_t a, std::int64_t b) {
            return a / b - (a % b != 0 && (a < 0) ? 1 : 0);
        };
        for (const auto& index : access.indices) {
            std::int64_t sum = index->constant;
            for (auto [v, c] : index->terms) {
                if (v < 2) {
                    sum += c * p.axes[static_cast<std::size_t>(v)];
                    continue;
                }
                const auto& division = query.accesses.divisions[static_cast<std::size_t>(v - 2)];
                std::int64_t numerator = division.numerator.constant;
                for (auto [w, k] : division.numerator.terms)
                    numerator += k * p.axes[static_cast<std::size_t>(w)];
                sum += c * floor_div(numerator, division.divisor);
            }
            out.push_back(sum);
        }
        return out;
    };
    Enumerated out;
    for (const auto& p : points)
        for (const auto& q : points) {
            if (!(p.axes < q.axes))
                continue;
            bool write_write = false, meets = false;
            for (const auto& a : query.accesses.list)
                for (const auto& b : query.accesses.list)
                    if ((a.write || b.write) && element(a, p) == element(b, q)) {
                        meets = true;
                        write_write = write_write || !(a.write && b.write) || writes;
                    }
            bool same_outer =
                std::equal(p.loops.begin(), p.loops.begin() + static_cast<std::ptrdiff_t>(position),
                           q.loops.begin());
            out.carried =
                out.carried || (meets && same_outer && p.loops[position] != q.loops[position]);
            out.exchanged = out.exchanged || (write_write && q.loops < p.loops);
        }
    return out;
}

DependenceQuery random_query(std::mt19937& random) {
    auto pick = [&](int low, int high) {
        return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
    };
    DependenceQuery query;
    query.accesses.axes = {{"i", pick(-2, 2), pick(3, 7), false},
                           {"j", pick(-2, 2), pick(3, 7), false}};
    if (pick(0, 2) == 0)
        query.accesses.divisions = {
            {form(pick(-3, 3), {{0, pick(1, 3)}, {1, pick(1, 2)}}), pick(2, 4)}};
    auto index = [&] {
        Affine a;
        a.constant = pick(-2, 2);
        for (int v = 0; v < 2 + static_cast<int>(query.accesses.divisions.size()); ++v)
            if (int c = pick(0, 2) == 0 ? pick(-2, 2) : pick(0, 1); c != 0)
                a.terms.emplace_back(v, c);
        return a;
    };
    auto dimensions = static_cast<std::size_t>(pick(1, 2));
    for (int access = 0, count = pick(1, 2); access < count; ++access) {
        Access made{access == 0, {}, "x"};
        for (std::size_t d = 0; d < dimensions; ++d)
            made.indices.push_back(index());
        query.accesses.list.push_back(made);
    }
    query.loop_count = 2;
    query.nest = {0, 1};
    for (int step = pick(0, 2); step > 0; --step) {
        auto at = static_cast<std::size_t>(pick(0, static_cast<int>(query.nest.size()) - 1));
        if (pick(0, 2) == 0 && at + 1 < query.nest.size()) {
            query.relations.push_back(
                {true, query.loop_count, query.nest[at], query.nest[at + 1], 1});
            query.nest[at] = query.loop_count++;
            query.nest.erase(query.nest.begin() + static_cast<std::ptrdiff_t>(at) + 1);
        } else {
            query.relations.push_back(
                {false, query.nest[at], query.loop_count, query.loop_count + 1, pick(1, 4)});
            query.nest[at] = query.loop_count;
            query.nest.insert(query.nest.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                              query.loop_count + 1);
            query.loop_count += 2;
        }
    }
    if (pick(0, 1) == 0)
        std::shuffle(query.nest.begin(), query.nest.end(), random);
    return query;
}

TEST(Dependences, RandomQueriesAgreeWithEnumeration) {
    std::mt19937 random(20);
    int quick = 0, independent = 0, exchanged = 0;
    for (int n = 0; n < 150; ++n) {
        auto query = random_query(random);
        for (std::size_t p = 0; p < query.nest.size(); ++p) {
            auto truth = enumerate(query, p, n % 2 == 0);
            auto exact = carries(query, p, Effort::ExactOnly);
            auto first = carries(query, p);
            ASSERT_EQ(exact.verdict, truth.carried ? Verdict::Yes : Verdict::No)
                << "query " << n << " loop " << p;
            ASSERT_EQ(first.verdict, exact.verdict)
                << "quick arithmetic may not accept what isl refuses";
            quick += first.quick;
            independent += !truth.carried;
            auto order = exchanges(query, n % 2 == 0);
            ASSERT_EQ(order.verdict, truth.exchanged ? Verdict::Yes : Verdict::No) << "query " << n;
            ASSERT_EQ(exchanges(query, n % 2 == 0, Effort::ExactOnly).verdict, order.verdict);
            exchanged += truth.exchanged;
        }
    }
    EXPECT_GT(quick, 20) << "of " << independent << " independent loops";
    EXPECT_GT(exchanged, 20);
}

} // namespace
} // namespace loopscope::polyhedral
