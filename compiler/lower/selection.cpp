// Steps of argmin and argmax. What passes leave of a step's condition takes many forms (a rank that
// cannot be kNoRank, constants, casts of 16-bit floats), so a condition is not compared with the
// one that build.cpp wrote but tried: it asks only how its operands are ordered, and every order
// that four of them can have is among the samples below.
#include "compiler/lower/reduction.h"

#include "compiler/lower/statements.h"

#include <cmath>

namespace loopscope::lower {

namespace {

// An order of the operands. Values stand for any of their order: 1 < 2 < 3, and NaN.
struct Sample {
    double place, term;
    std::int64_t place_rank, rank;
};

std::vector<Sample> samples(bool floats, bool rank_may_be_none) {
    std::vector<Sample> out;
    std::vector<double> values{1, 2, 3}, places{2};
    std::vector<std::int64_t> ranks{4, 5, 6};
    if (floats)
        values.push_back(std::nan("")), places.push_back(std::nan(""));
    if (rank_may_be_none)
        ranks.push_back(kNoRank);
    for (auto place : places)
        for (auto term : values)
            for (std::int64_t place_rank : {std::int64_t{5}, std::int64_t{kNoRank}})
                for (auto rank : ranks)
                    out.push_back({place, term, place_rank, rank});
    return out;
}

// Evaluates conditions on the operands of a step; nullopt where they ask for anything else.
class Condition {
public:
    Condition(std::vector<ExprPtr> places, std::vector<ExprPtr> terms)
        : places_(std::move(places)), terms_(std::move(terms)) {}

    std::optional<bool> holds(const Expr& e, const Sample& s) const {
        if (e.kind == ExprKind::Constant)
            return e.bits != 0;
        if (e.kind == ExprKind::Unary && e.op == Op::LogicalNot) {
            auto a = holds(*e.args[0], s);
            return a ? std::optional(!*a) : std::nullopt;
        }
        if (e.kind != ExprKind::Binary)
            return std::nullopt;
        if (e.op == Op::LogicalAnd || e.op == Op::LogicalOr) {
            auto a = holds(*e.args[0], s), b = holds(*e.args[1], s);
            if (!a || !b)
                return std::nullopt;
            return e.op == Op::LogicalAnd ? *a && *b : *a || *b;
        }
        return comparison(e, s);
    }

private:
    // Which operands a comparison is of shows by its sides: a value and the place's value, or a
    // rank and the place's.
    std::optional<bool> comparison(const Expr& e, const Sample& s) const {
        auto a = plain(e.args[0]), b = plain(e.args[1]);
        if (equal(a, b) && is_float(a->type)) { // is it NaN?
            if (!equal(a, places_[0]) && !equal(a, terms_[0]))
                return std::nullopt;
            double value = equal(a, places_[0]) ? s.place : s.term;
            return compared(e.op, value, value);
        }
        if (equal(a, places_[0]) || equal(b, places_[0])) {
            bool first = equal(a, places_[0]);
            if (!equal(first ? b : a, terms_[0]))
                return std::nullopt;
            return compared(e.op, first ? s.place : s.term, first ? s.term : s.place);
        }
        auto x = rank(a, s), y = rank(b, s);
        return x && y ? compared(e.op, static_cast<double>(*x), static_cast<double>(*y))
                      : std::nullopt;
    }

    std::optional<std::int64_t> rank(const ExprPtr& e, const Sample& s) const {
        std::int64_t value = 0;
        if (equal(e, places_[1]))
            return s.place_rank;
        if (equal(e, terms_[1]))
            return s.rank;
        return constant_value(e, value) && value == kNoRank ? std::optional(value) : std::nullopt;
    }

    static ExprPtr plain(const ExprPtr& e) {
        bool widened = e->kind == ExprKind::Cast && e->type == ScalarType::F32 &&
                       is_float(e->args[0]->type) && bits(e->args[0]->type) == 16;
        return widened ? e->args[0] : e;
    }

    static std::optional<bool> compared(Op op, double a, double b) {
        switch (op) {
        case Op::Less: return a < b;
        case Op::LessEqual: return a <= b;
        case Op::Greater: return a > b;
        case Op::GreaterEqual: return a >= b;
        case Op::Equal: return a == b;
        case Op::NotEqual: return a != b;
        default: return std::nullopt;
        }
    }

    std::vector<ExprPtr> places_, terms_;
};

bool loads_from_any(const ExprPtr& e, const std::vector<Place>& places) {
    return loads_from(e, places[0].buffer) || loads_from(e, places[1].buffer);
}

// The places and terms of the stores; the operation is not known yet.
std::optional<Selection> match_stores(const Statement& let) {
    const auto& body = *let.children[0];
    if (let.value->lanes > 1 || body.kind != StatementKind::Block || body.children.size() != 2)
        return std::nullopt;
    Selection out;
    for (const auto& s : body.children) {
        bool selects = s->kind == StatementKind::Store && !s->access->mask &&
                       s->value->kind == ExprKind::Select && s->value->lanes == 1 &&
                       s->value->args[0]->kind == ExprKind::Variable &&
                       s->value->args[0]->name == let.variable;
        if (!selects)
            return std::nullopt;
        out.places.push_back({s->access->buffer, s->value->type, s->access->indices});
        out.terms.push_back(s->value->args[1]);
        if (!equal(s->value->args[2], out.places.back().load()))
            return std::nullopt;
    }
    bool same = out.places[0].buffer != out.places[1].buffer &&
                out.places[1].type == ScalarType::I32 &&
                out.places[0].indices.size() == out.places[1].indices.size();
    for (std::size_t d = 0; same && d < out.places[0].indices.size(); ++d)
        same = equal(out.places[0].indices[d], out.places[1].indices[d]) &&
               !loads_from_any(out.places[0].indices[d], out.places);
    for (const auto& term : out.terms)
        same = same && !loads_from_any(term, out.places);
    return same ? std::optional(out) : std::nullopt;
}

} // namespace

StatementPtr selection_step(const NodeId& origin, const std::string& take,
                            const Selection& selection) {
    std::vector<ExprPtr> old;
    for (const auto& place : selection.places)
        old.push_back(place.load());
    auto wins = reduction_step(selection.op, old, selection.terms)[0]->args[0];
    std::vector<StatementPtr> stores;
    for (std::size_t c = 0; c < selection.places.size(); ++c)
        stores.push_back(
            store(origin, selection.places[c].buffer, selection.places[c].indices,
                  select(variable(take, ScalarType::Bool), selection.terms[c], old[c])));
    return let_statement(origin, take, wins, block(std::move(stores)));
}

std::optional<Selection> match_selection(const Statement& let, const KnownFacts& scope) {
    if (let.kind != StatementKind::Let || !is_bool(let.value->type))
        return std::nullopt;
    auto out = match_stores(let);
    if (!out)
        return std::nullopt;
    std::vector<ExprPtr> old{out->places[0].load(), out->places[1].load()};
    std::vector<ExprPtr> terms{variable("term", out->places[0].type),
                               variable("rank", ScalarType::I32)};
    Condition found(old, out->terms), wanted(old, terms);
    auto range = scope.range(out->terms[1]);
    auto all = samples(is_float(out->places[0].type), !range || range->least == kNoRank);
    for (auto op : {ReductionOp::ArgMin, ReductionOp::ArgMax}) {
        auto condition = reduction_step(op, old, terms)[0]->args[0];
        bool same = true;
        for (const auto& s : all)
            same = same && found.holds(*let.value, s) == wanted.holds(*condition, s);
        if (!same)
            continue;
        out->op = op;
        return out;
    }
    return std::nullopt;
}

} // namespace loopscope::lower
