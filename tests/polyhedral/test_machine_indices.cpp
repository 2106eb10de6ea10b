// What updates touch, of which indices and conditions are made in the arithmetic of a machine: each
// claim that two iterations never meet, held against all pairs of iterations.
#include "core/base/index.h"
#include "core/polyhedral/dependences.h"
#include "core/polyhedral/quick.h"
#include "tests/polyhedral/machine_expressions.h"

#include <gtest/gtest.h>

#include <array>
#include <numeric>

namespace loopscope::polyhedral {
namespace test_machine_indices {
namespace {

using machine::Drawing;
using machine::value_of;
using machine::Values;
using Verdict = Answer::Verdict;

// An update of f[u, v] over r and s that may read f too. Of a free axis u some values are tried.
struct Update {
    Stage stage;
    Definition definition;
    std::vector<ExprPtr> read;
    Accesses accesses;
    std::vector<Wide> free_values{0};
};

// A let of the index, or of a part of it.
ExprPtr named(Drawing& drawing, const std::string& name, const ExprPtr& e) {
    const auto t = variable(name, e->type);
    switch (drawing.below(8)) {
    case 0: return let(name, e, t);
    case 1: return let(name, e, binary(Op::Modulo, t, constant_int(e->type, 8)));
    case 2: return let(name, e, binary(Op::BitXor, t, constant_int(e->type, drawing.below(16))));
    default: return e;
    }
}

ExprPtr drawn_index(Drawing& drawing, const std::string& name) {
    const auto type = drawing.below(2) ? ScalarType::I32 : drawing.integer_type();
    return named(drawing, name, drawing.expression(type, 1 + drawing.below(3)));
}

// The same element, one beside it, or any other.
ExprPtr near(Drawing& drawing, const ExprPtr& written, const std::string& name) {
    switch (drawing.below(3)) {
    case 0: return written;
    case 1: return binary(Op::Add, written, constant_int(written->type, drawing.below(9) - 4));
    default: return drawn_index(drawing, name);
    }
}

ExprPtr condition(Drawing& drawing, const std::vector<ExprPtr>& left) {
    auto compared = [&]() -> ExprPtr {
        // as rfactor has it, which then writes min(e, N - 1)
        if (drawing.below(3) == 0)
            return binary(Op::Less, left.back(),
                          constant_int(left.back()->type, drawing.below(20)));
        const auto type = drawing.below(2) ? ScalarType::I32 : drawing.integer_type();
        return binary(drawing.any_of<Op>({Op::Less, Op::LessEqual, Op::Greater, Op::GreaterEqual,
                                          Op::Equal, Op::NotEqual}),
                      drawing.expression(type, drawing.below(3)),
                      drawing.expression(type, drawing.below(2)));
    };
    const auto first = compared();
    return drawing.below(2) ? first : binary(Op::LogicalAnd, first, compared());
}

Update drawn(unsigned seed) {
    Drawing names(seed);
    const bool free = names.below(3) == 0;
    Drawing drawing(seed, free ? std::vector<std::string>{"r", "r", "s", "u"}
                               : std::vector<std::string>{"r", "r", "s"});
    Update out;
    out.stage.name = "f";
    out.stage.variables = {"u", "v"};
    out.stage.types = {ScalarType::I32};
    auto& update = out.definition;
    update.kind = DefinitionKind::Update;
    for (const char* axis : {"r", "s"}) {
        const auto begin = drawing.below(3) ? 0 : drawing.below(200) - 100;
        update.axes.push_back({axis, Extent(begin), Extent(begin + 2 + drawing.below(8)), {}});
    }
    update.left = {free ? variable("u") : drawn_index(drawing, "a"), drawn_index(drawing, "b")};
    if (free)
        update.free = {"u"};
    if (drawing.below(3) == 0)
        out.read = {free ? variable("u") : near(drawing, update.left[0], "c"),
                    near(drawing, update.left[1], "d")};
    update.values = {out.read.empty() ? constant_index(1) : load("f", ScalarType::I32, out.read)};
    if (drawing.below(3) == 0) {
        update.condition = condition(drawing, update.left);
        if (drawing.below(2) && update.condition->op == Op::Less) {
            auto& last = update.left.back();
            last = binary(Op::Min, last, constant_int(last->type, drawing.below(20)));
        }
    }
    const bool known = drawing.below(2) == 0;
    if (free)
        out.free_values = {0, drawing.below(300) - 150,
                           known ? 150 : std::int64_t{least(ScalarType::I32)}};
    out.accesses = own_accesses(out.stage, update, [&](const std::string&) {
        return known ? std::optional(Interval{-150, 150}) : std::nullopt;
    });
    return out;
}

// The loops over r and s, perhaps split, fused and in another order.
DependenceQuery nested(const Update& update, Drawing& drawing) {
    DependenceQuery query;
    query.accesses = update.accesses;
    const auto axes = static_cast<int>(query.accesses.axes.size());
    query.loop_count = axes;
    const int r = axes - 2, s = axes - 1;
    query.nest = {r, s};
    switch (drawing.below(4)) {
    case 0:
        query.relations = {{true, axes, r, s, 1}, {false, axes, axes + 1, axes + 2, 4}};
        query.nest = {axes + 1, axes + 2};
        query.loop_count += 3;
        break;
    case 1:
        query.relations = {{false, r, axes, axes + 1, 2 + drawing.below(3)}};
        query.nest = {axes, axes + 1, s};
        query.loop_count += 2;
        break;
    default: break;
    }
    if (drawing.below(2))
        std::swap(query.nest.front(), query.nest.back());
    return query;
}

struct Iteration {
    std::array<std::int64_t, 2> axes;
    std::vector<std::int64_t> loops;         // by number
    std::vector<std::array<Wide, 2>> places; // of each access
};

std::vector<std::int64_t> loops_at(const DependenceQuery& query, const Values& values) {
    const auto extents = loop_extents(query);
    std::vector<std::int64_t> loops(index(query.loop_count));
    for (std::size_t i = 0; i < query.accesses.axes.size(); ++i)
        loops[i] = static_cast<std::int64_t>(values.at(query.accesses.axes[i].name)) -
                   query.accesses.axes[i].begin;
    for (const auto& r : query.relations) {
        auto at = [&](int loop) -> std::int64_t& { return loops[index(loop)]; };
        if (r.fuse) {
            at(r.parent) = at(r.outer) * extents[index(r.inner)] + at(r.inner);
        } else {
            at(r.outer) = at(r.parent) / r.factor;
            at(r.inner) = at(r.parent) % r.factor;
        }
    }
    return loops;
}

// What is known of the places and of the condition, as forms, is what they are.
void expect_forms(const Accesses& accesses, const Values& values, const Iteration& at) {
    for (std::size_t a = 0; a < accesses.list.size(); ++a)
        for (std::size_t d = 0; d < 2; ++d) {
            const auto& form = accesses.list[a].indices[d];
            EXPECT_TRUE(!form || value_of(*form, accesses.axes, accesses.divisions, values) ==
                                     at.places[a][d])
                << "access " << a << ", index " << d;
        }
    for (const auto& condition : accesses.conditions)
        EXPECT_TRUE(value_of(condition, accesses.axes, accesses.divisions, values) >= 0)
            << "where it runs";
}

std::vector<Iteration> iterations_of(const Update& update, const DependenceQuery& query, Wide u) {
    std::vector<Iteration> out;
    const auto& axes = update.definition.axes;
    for (auto r = axes[0].begin.hint(); r < axes[0].end.hint(); ++r)
        for (auto s = axes[1].begin.hint(); s < axes[1].end.hint(); ++s) {
            const Values values{{"r", r}, {"s", s}, {"u", u}};
            const auto& where = update.definition.condition;
            if (where && value_of(where, values) == 0)
                continue;
            Iteration made{{r, s}, loops_at(query, values), {}};
            for (const auto* indices : {&update.definition.left, &update.read})
                if (!indices->empty())
                    made.places.push_back(
                        {value_of((*indices)[0], values), value_of((*indices)[1], values)});
            expect_forms(update.accesses, values, made);
            out.push_back(std::move(made));
        }
    return out;
}

// What of the nest is so, by all pairs of iterations.
struct Truth {
    std::vector<bool> carried; // by position
    // By position, of accesses first * 2 + second: how far apart the nearest that meet are, or 0.
    std::vector<std::vector<std::int64_t>> meeting;
    bool exchanged = false;

    void take(const DependenceQuery& query, const Iteration& p, const Iteration& q) {
        bool any = false;
        std::vector<bool> meets(4);
        for (std::size_t a = 0; a < p.places.size(); ++a)
            for (std::size_t b = 0; b < q.places.size(); ++b)
                if ((a == 0 || b == 0) && p.places[a] == q.places[b])
                    meets[a * 2 + b] = any = true;
        if (!any)
            return;
        for (std::size_t position = 0; position < query.nest.size(); ++position) {
            const auto loop = index(query.nest[position]);
            if (p.loops[loop] == q.loops[loop])
                continue;
            carried[position] = true;
            exchanged = exchanged || q.loops[loop] < p.loops[loop];
            const auto apart = std::abs(q.axes[0] - p.axes[0]) + std::abs(q.axes[1] - p.axes[1]);
            for (std::size_t pair = 0; pair < 4; ++pair)
                if (auto& nearest = meeting[position][pair]; meets[pair])
                    nearest = nearest == 0 ? apart : std::min(nearest, apart);
            return; // loops further inside need not agree
        }
    }
};

Truth truth_of(const Update& update, const DependenceQuery& query) {
    Truth truth{
        std::vector<bool>(query.nest.size()),
        std::vector<std::vector<std::int64_t>>(query.nest.size(), std::vector<std::int64_t>(4)),
        false};
    for (const auto u : update.free_values) {
        const auto iterations = iterations_of(update, query, u);
        for (std::size_t p = 0; p < iterations.size(); ++p)
            for (std::size_t q = p + 1; q < iterations.size(); ++q)
                truth.take(query, iterations[p], iterations[q]);
    }
    return truth;
}

std::string text_of(const Update& update, const DependenceQuery& query) {
    std::string text;
    for (const auto& access : update.accesses.list)
        text += (access.write ? "writes " : "reads ") + access.text + "\n";
    if (update.definition.condition)
        text += "where " + to_text(update.definition.condition) + "\n";
    for (const auto& axis : update.accesses.axes)
        text += axis.name + " in " + std::to_string(axis.begin) + ".." + std::to_string(axis.end) +
                (axis.free ? ", free\n" : "\n");
    for (const auto loop : query.nest)
        text += " loop " + std::to_string(loop);
    return text;
}

// Quick arithmetic, which knows no conditions: what it says never meets does not.
int quick_claims(const DependenceQuery& query, const Truth& truth) {
    int claims = 0;
    const auto& list = query.accesses.list;
    for (std::size_t position = 0; position < query.nest.size(); ++position) {
        const std::vector<int> agreed(query.nest.begin(),
                                      query.nest.begin() + static_cast<std::ptrdiff_t>(position));
        for (std::size_t a = 0; a < list.size(); ++a)
            for (std::size_t b = 0; b < list.size(); ++b)
                if ((a == 0 || b == 0) &&
                    quick_agrees(query, list[a], list[b], agreed, query.nest[position])) {
                    ++claims;
                    EXPECT_EQ(truth.meeting[position][a * 2 + b], 0) << "at " << position;
                }
    }
    return claims;
}

bool is_certain(const Answer& answer) {
    return answer.verdict == Verdict::Yes && answer.example->certain;
}

// All that is claimed, by isl where quick arithmetic leaves it open. Without a condition, which may
// be known in part only, and a free axis, of which few values are tried, what is certain is so.
int claims(const Update& update, const DependenceQuery& query, const Truth& truth) {
    constexpr unsigned long kQuota = 5'000;
    const bool exact = !update.definition.condition && update.definition.free.empty();
    int out = 0;
    for (std::size_t position = 0; position < query.nest.size(); ++position) {
        const auto answer = carries(query, position, Effort::QuickFirst, kQuota);
        out += answer.verdict == Verdict::No;
        EXPECT_FALSE(answer.verdict == Verdict::No && truth.carried[position]) << "at " << position;
        if (!exact || !is_certain(answer))
            continue;
        EXPECT_TRUE(truth.carried[position]) << "at " << position;
        const auto& example = *answer.example;
        const auto apart =
            std::accumulate(example.distance.begin(), example.distance.end(), std::int64_t{0},
                            [](std::int64_t sum, std::int64_t d) { return sum + std::abs(d); });
        EXPECT_EQ(apart, truth.meeting[position][index(example.first * 2 + example.second)])
            << "at " << position;
    }
    const auto answer = exchanges(query, true, Effort::QuickFirst, kQuota);
    out += answer.verdict == Verdict::No;
    EXPECT_FALSE(answer.verdict == Verdict::No && truth.exchanged);
    EXPECT_FALSE(exact && is_certain(answer) && !truth.exchanged);
    return out;
}

TEST(MachineIndices, WhatNeverMeetsDoesNot) {
    int quick = 0, proven = 0, carried = 0;
    for (unsigned seed = 1; seed <= 2'500 && !testing::Test::HasFailure(); ++seed) {
        const auto update = drawn(seed);
        Drawing drawing(seed);
        const auto query = nested(update, drawing);
        SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text_of(update, query));
        const auto truth = truth_of(update, query);
        quick += quick_claims(query, truth);
        if (seed % 10 == 0)
            proven += claims(update, query, truth);
        carried += truth.exchanged;
    }
    EXPECT_GT(quick, 1'000);
    EXPECT_GT(proven, 150);
    EXPECT_GT(carried, 400);
}

} // namespace
} // namespace test_machine_indices
} // namespace loopscope::polyhedral
