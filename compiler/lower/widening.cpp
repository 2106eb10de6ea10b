#include "compiler/lower/widening.h"

#include "compiler/lower/quotients.h"
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::lower {

namespace {
constexpr const char* kVectorCode = "it holds vector code";
constexpr const char* kOnePlace = "several iterations may store to one place";
} // namespace

Widening::Widening(const Statement& loop, int lanes, KnownFacts& scope, NameSource& names)
    : loop_(loop), lanes_(lanes), scope_(scope), names_(names) {
    vector_names_.insert(loop.variable);
}

StatementPtr Widening::run() {
    try {
        return statement(loop_.children[0]);
    } catch (const Impossible& reason) {
        why_ = reason.why;
        return nullptr;
    }
}

StatementPtr Widening::statement(const StatementPtr& s) {
    memo_.clear(); // the mask or the names in scope may have changed
    switch (s->kind) {
    case StatementKind::Block: {
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(statement(child));
        return with_children(s, std::move(children));
    }
    case StatementKind::For:
        if (depends_on_lane(s->loop->begin) || depends_on_lane(s->loop->extent))
            throw Impossible{"the bounds of a loop inside differ from iteration to iteration"};
        scope_.bind_loop(s->variable, s->loop->begin, s->loop->extent);
        return with_children(s, {statement(s->children[0])});
    case StatementKind::If: return branch(s);
    case StatementKind::Let: {
        if (auto step = match_selection(*s, scope_); step && is_over_lanes(*step))
            return selection(s, *step);
        auto value = widen(s->value);
        if (value->lanes > 1)
            vector_names_.insert(s->variable);
        scope_.bind_let(s->variable, s->value);
        return let_statement(s->origin, s->variable, value, statement(s->children[0]));
    }
    case StatementKind::Store: return store(s);
    case StatementKind::Atomic: return atomic(s);
    case StatementKind::Allocate:
        laned_buffers_.insert(s->storage->buffer);
        return edited(s, [&](Statement& copy) {
            copy.storage->extents.push_back(Extent(lanes_));
            copy.children = {statement(s->children[0])};
        });
    case StatementKind::Prefetch:
        throw Impossible{"it holds a prefetch"}; // lanes would ask for one line again and again
    case StatementKind::Evaluate:
        return map_expressions(s, [&](const ExprPtr& e) { return widen(e); });
    case StatementKind::Copy: return store(s); // a load stays one
    case StatementKind::Barrier:
    case StatementKind::Acquire:
    case StatementKind::Commit:
    case StatementKind::Wait:
    case StatementKind::Release:
    case StatementKind::BulkCopy:
    case StatementKind::Intrinsic:
    case StatementKind::Threads: throw Impossible{"it holds a step that all threads take together"};
    }
    return s;
}

StatementPtr Widening::branch(const StatementPtr& s) {
    auto condition = widen(s->condition);
    if (condition->lanes == 1) {
        auto then = statement(s->children[0]);
        auto otherwise = s->children.size() > 1 ? statement(s->children[1]) : nullptr;
        return if_then(s->origin, condition, then, otherwise);
    }
    std::vector<StatementPtr> parts{masked_branch(s, s->children[0], condition, true)};
    if (s->children.size() > 1)
        parts.push_back(masked_branch(s, s->children[1], unary(Op::LogicalNot, condition), false));
    return block(std::move(parts), s->origin);
}

// The body under a mask, and under a scalar condition that some lane is on where one can be
// written.
StatementPtr Widening::masked_branch(const StatementPtr& s, const StatementPtr& body,
                                     const ExprPtr& condition, bool holds) {
    auto outer_mask = mask_;
    bool outer_some = some_lane_on_;
    guards_.push_back({s->condition, holds});
    auto lane = best_lane();
    some_lane_on_ = lane.has_value();
    auto name = names_.fresh(loop_.variable + ".mask");
    auto value = mask_ ? binary(Op::LogicalAnd, mask_, condition) : condition;
    mask_ = vector_variable(name, ScalarType::Bool, lanes_);
    auto result = let_statement(s->origin, name, value, statement(body));
    if (lane) {
        auto at = at_lane(s->condition, *lane);
        result = if_then(s->origin, holds ? at : unary(Op::LogicalNot, at), result);
    }
    guards_.pop_back();
    mask_ = outer_mask;
    some_lane_on_ = outer_some;
    memo_.clear();
    return result;
}

StatementPtr Widening::store(const StatementPtr& s) {
    if (s->access->mask)
        throw Impossible{kVectorCode};
    auto indices = widened(s->access->indices);
    if (laned_buffers_.count(s->access->buffer)) {
        indices.push_back(lane_numbers());
    } else {
        bool vector = std::any_of(indices.begin(), indices.end(),
                                  [](const ExprPtr& i) { return i->lanes > 1; });
        if (!vector)
            return uniform_store(s, std::move(indices));
        if (!is_injective(s->access->indices))
            throw Impossible{kOnePlace};
    }
    auto value = with_lanes(widen(s->value), lanes_);
    // One element in all lanes, say, is no vector's copy.
    const bool loads = is_load(*value);
    const auto out = edited(s, [&](Statement& wide) {
        wide.access->indices = std::move(indices);
        wide.value = std::move(value);
        wide.access->mask = mask_;
    });
    return s->kind == StatementKind::Copy && !loads ? as_store(out) : out;
}

// Lanes may meet in one place: each combines for itself, also where nothing differs between them.
// Where all meet in one place they combine among themselves first.
StatementPtr Widening::atomic(const StatementPtr& s) {
    if (s->access->mask)
        throw Impossible{kVectorCode};
    auto indices = widened(s->access->indices);
    if (laned_buffers_.count(s->access->buffer))
        indices.push_back(lane_numbers());
    bool one_place =
        std::all_of(indices.begin(), indices.end(), [](const ExprPtr& i) { return i->lanes == 1; });
    if (one_place && some_lane_on_)
        return atomic_reduction(s, std::move(indices));
    return lower::atomic(s->origin, s->access->buffer, std::move(indices), s->access->op,
                         with_lanes(widen(s->value), lanes_), mask_);
}

// All lanes store to one place.
StatementPtr Widening::uniform_store(const StatementPtr& s, std::vector<ExprPtr> indices) {
    if (!some_lane_on_)
        throw Impossible{kOnePlace};
    if (loads_from(s->value, s->access->buffer)) {
        auto r = match_reduction(*s);
        if (!r || !only_combines(s->access->buffer, combining_operation(*r)))
            throw Impossible{kOnePlace};
        return reduction(s, *r, indices);
    }
    auto value = widen(s->value);
    // the last lane's value stays
    if (value->lanes > 1)
        throw Impossible{kOnePlace};
    return as_streaming(lower::store(s->origin, s->access->buffer, std::move(indices), value),
                        s->access->streaming);
}

ExprPtr Widening::lane_numbers() const {
    return ramp(constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, 1), lanes_);
}

ExprPtr Widening::widen(const ExprPtr& e) {
    if (e->kind == ExprKind::Constant)
        return e;
    if (auto found = memo_.find(e.get()); found != memo_.end())
        return found->second;
    auto result = compute(e);
    memo_.emplace(e.get(), result);
    return result;
}

std::vector<ExprPtr> Widening::widened(const std::vector<ExprPtr>& list) {
    std::vector<ExprPtr> out;
    for (const auto& e : list)
        out.push_back(widen(e));
    return out;
}

std::vector<ExprPtr> Widening::level(std::vector<ExprPtr> args) const {
    bool vector =
        std::any_of(args.begin(), args.end(), [](const ExprPtr& a) { return a->lanes > 1; });
    if (vector)
        for (auto& a : args)
            a = with_lanes(a, lanes_);
    return args;
}

ExprPtr Widening::compute(const ExprPtr& e) {
    switch (e->kind) {
    case ExprKind::Constant: return e;
    case ExprKind::Variable:
        if (e->name == loop_.variable)
            return ramp(loop_.loop->begin, constant_int(e->type, 1), lanes_);
        return vector_names_.count(e->name) ? vector_variable(e->name, e->type, lanes_) : e;
    case ExprKind::Unary: return unary(e->op, widen(e->args[0]));
    case ExprKind::Cast: return cast(e->type, widen(e->args[0]));
    case ExprKind::Reinterpret: return reinterpret(e->type, widen(e->args[0]));
    case ExprKind::Call: return call(e->name, level(widened(e->args)));
    case ExprKind::Binary: {
        auto args = level(widened(e->args));
        return binary(e->op, args[0], args[1]);
    }
    case ExprKind::Select: {
        auto args = level(widened(e->args));
        return select(args[0], args[1], args[2]);
    }
    case ExprKind::Fma: {
        auto args = level(widened(e->args));
        return fma(args[0], args[1], args[2]);
    }
    case ExprKind::Let: {
        auto value = widen(e->args[0]);
        bool vector = value->lanes > 1;
        // As in simplify_expression: bodies may be shared between lets of one name.
        decltype(memo_) outer;
        std::swap(outer, memo_);
        bool added = vector && vector_names_.insert(e->name).second;
        ExprPtr body;
        {
            const LetScope inside(scope_, e->name, e->args[0]);
            body = widen(e->args[1]);
        }
        if (added)
            vector_names_.erase(e->name);
        std::swap(outer, memo_);
        return let(e->name, value, body);
    }
    case ExprKind::Load: return load(e);
    case ExprKind::MaskedLoad: return masked(e);
    default: throw Impossible{kVectorCode};
    }
}

ExprPtr Widening::load(const ExprPtr& e) {
    auto indices = widened(e->args);
    if (laned_buffers_.count(e->name))
        indices.push_back(lane_numbers());
    bool vector =
        std::any_of(indices.begin(), indices.end(), [](const ExprPtr& i) { return i->lanes > 1; });
    if (!mask_ || (!vector && some_lane_on_))
        return loopscope::load(e->name, e->type, std::move(indices), e->component);
    if (!vector) {
        if (indices.empty())
            throw Impossible{kOnePlace};
        indices.back() = broadcast(indices.back(), lanes_);
    }
    return masked_load(e->name, e->type, std::move(indices), mask_);
}

// What a lane does not load is zero, as before.
ExprPtr Widening::masked(const ExprPtr& e) {
    if (e->lanes > 1)
        throw Impossible{kVectorCode};
    auto indices = widened({e->args.begin(), e->args.end() - 1});
    if (laned_buffers_.count(e->name))
        indices.push_back(lane_numbers());
    const bool vector =
        std::any_of(indices.begin(), indices.end(), [](const ExprPtr& i) { return i->lanes > 1; });
    if (!vector) {
        if (indices.empty())
            throw Impossible{kOnePlace};
        indices.back() = broadcast(indices.back(), lanes_);
    }
    auto own = with_lanes(widen(e->args.back()), lanes_);
    return masked_load(e->name, e->type, std::move(indices),
                       mask_ ? binary(Op::LogicalAnd, mask_, own) : own);
}

bool Widening::depends_on_lane(const ExprPtr& e) const {
    return any_node(e, [&](const Expr& x) {
        return (x.kind == ExprKind::Variable && vector_names_.count(x.name)) ||
               (is_load(x) && laned_buffers_.count(x.name));
    });
}

// The part of an index that differs between lanes, if the index is a multiple of it plus what is
// the same in all lanes; null: there is no such part, or it is not known.
ExprPtr Widening::varying_part(const ExprPtr& index) const {
    auto form = scope_.affine(index);
    ExprPtr part;
    for (std::size_t i = 0; form && i < form->terms.size(); ++i) {
        const auto& atom = form->terms[i].atom;
        if (!depends_on_lane(atom))
            continue;
        if (part)
            return nullptr;
        part = atom;
    }
    return part;
}

// One index that steps by a constant from lane to lane keeps all lanes apart; so do a quotient and
// a remainder of something that does.
bool Widening::is_injective(const std::vector<ExprPtr>& indices) const {
    auto self = variable(loop_.variable, loop_.loop->begin->type);
    std::vector<ExprPtr> parts;
    for (const auto& index : indices)
        if (auto part = varying_part(index))
            parts.push_back(part);
    auto joined = [&]() -> ExprPtr { // takes a pair out of the parts
        for (std::size_t q = 0; q < parts.size(); ++q)
            for (std::size_t r = 0; r < parts.size(); ++r)
                if (auto whole = rejoined(scope_, parts[q], parts[r])) {
                    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(std::max(q, r)));
                    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(std::min(q, r)));
                    return whole;
                }
        return nullptr;
    };
    auto has_self = [&] {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const ExprPtr& part) { return equal(part, self); });
    };
    while (!has_self()) {
        auto whole = joined();
        if (!whole)
            return false;
        if (auto part = varying_part(whole))
            parts.push_back(part);
    }
    return true;
}

// Each comparison of the guards grows or falls with the lane: where all are best in the same lane,
// that one decides.
std::optional<int> Widening::best_lane() const {
    auto self = variable(loop_.variable, loop_.loop->begin->type);
    std::optional<int> best;
    for (const auto& guard : guards_) {
        std::vector<ExprPtr> parts{guard.condition};
        if (guard.holds) {
            parts.clear();
            conjuncts(guard.condition, parts);
        }
        for (const auto& part : parts) {
            if (!depends_on_lane(part))
                continue;
            bool less = part->op == Op::Less || part->op == Op::LessEqual;
            bool greater = part->op == Op::Greater || part->op == Op::GreaterEqual;
            if (part->kind != ExprKind::Binary || (!less && !greater) || contains_load(part))
                return std::nullopt;
            auto a = scope_.affine(part->args[0]), b = scope_.affine(part->args[1]);
            auto d = a && b ? difference(*a, *b) : std::nullopt;
            if (!d)
                return std::nullopt;
            for (const auto& term : d->terms)
                if (!equal(term.atom, self) && depends_on_lane(term.atom))
                    return std::nullopt;
            auto slope = d->coefficient(self);
            // the condition turns from true to false as the lane grows
            bool falls = (slope > 0) == less;
            int lane = falls == guard.holds ? 0 : lanes_ - 1;
            if (slope != 0 && best && *best != lane)
                return std::nullopt;
            if (slope != 0)
                best = lane;
        }
    }
    return best;
}

// A scalar condition with the lane's number put in; what lets hold of the lane is put in as well.
ExprPtr Widening::at_lane(const ExprPtr& e, int lane) const {
    auto at = lane == 0
                  ? loop_.loop->begin
                  : binary(Op::Add, loop_.loop->begin, constant_int(loop_.loop->begin->type, lane));
    ExprPtr result = e;
    for (bool again = true; again;) {
        again = false;
        result = substitute(result, [&](const std::string& name) -> ExprPtr {
            if (name == loop_.variable)
                return at;
            if (!vector_names_.count(name))
                return nullptr;
            auto value = scope_.let_value(name);
            again = again || value;
            return value;
        });
    }
    return result;
}

bool Widening::only_combines(const std::string& buffer, Op operation) const {
    int others = 0; // accesses less the load and store of each combining statement
    visit_statements(loop_.children[0], [&](const Statement& s) {
        if (writes(s) && s.access->buffer == buffer) {
            auto r = match_reduction(s);
            others += r && combining_operation(*r) == operation ? -1 : 1;
        }
        for (const auto& e : expressions(s))
            visit(e, [&](const Expr& x) {
                others += is_load(x) && x.name == buffer;
                return true;
            });
        return true;
    });
    return others == 0;
}

bool Widening::is_over_lanes(const Selection& step) const {
    for (const auto& place : step.places) {
        for (const auto& index : place.indices)
            if (depends_on_lane(index))
                return false;
        if (laned_buffers_.count(place.buffer))
            return false;
    }
    if (!some_lane_on_ || !only_selects(step))
        throw Impossible{kOnePlace};
    return true;
}

bool Widening::only_selects(const Selection& step) const {
    bool others = false;
    auto is_place = [&](const std::string& buffer) {
        return buffer == step.places[0].buffer || buffer == step.places[1].buffer;
    };
    visit_statements(loop_.children[0], [&](const Statement& s) {
        if (auto other = match_selection(s, scope_);
            other && other->op == step.op && other->places[0].buffer == step.places[0].buffer &&
            other->places[1].buffer == step.places[1].buffer)
            return false;
        others = others || (writes(s) && is_place(s.access->buffer));
        for (const auto& e : expressions(s))
            visit(e, [&](const Expr& x) {
                others = others || (is_load(x) && is_place(x.name));
                return true;
            });
        return true;
    });
    return !others;
}

} // namespace loopscope::lower
