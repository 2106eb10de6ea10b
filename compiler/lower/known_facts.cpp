#include "compiler/lower/known_facts.h"

#include "compiler/lower/fold.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::lower {

namespace {

constexpr int kLetBudget = 16; // lets looked through
constexpr int kArmBudget = 6;  // minima and maxima replaced by their arms
constexpr __int128 kMaxRange = __int128{1} << 62;

bool exact_type(ScalarType t) { return is_integer(t) && bits(t) >= 32; }

} // namespace

void conjuncts(const ExprPtr& condition, std::vector<ExprPtr>& out) {
    if (condition->kind == ExprKind::Binary && condition->op == Op::LogicalAnd) {
        conjuncts(condition->args[0], out);
        conjuncts(condition->args[1], out);
    } else {
        out.push_back(condition);
    }
}

void KnownFacts::bind_loop(const std::string& name, const ExprPtr& begin, const ExprPtr& extent) {
    Entry entry;
    entry.depth = next_depth_++;
    auto first = range(begin), count = range(extent);
    if (first && count && !first->empty() && count->greatest >= 1)
        entry.range = Interval{first->least, first->greatest + count->greatest - 1};
    names_[name] = entry;
    // Where the bounds vary, what relates the variable to them is worth more than its range.
    auto from = affine(begin), length = affine(extent);
    if (!entry.range || !from || !length || (from->is_constant() && length->is_constant()))
        return;
    Affine above, below;
    auto self = variable(name, begin->type);
    if (above.add_term(self, 1) && above.add(*from, -1))
        add_fact(above);
    if (below.add(*from, 1) && below.add(*length, 1) && below.add_term(self, -1) &&
        below.add_constant(-1))
        add_fact(below);
}

void KnownFacts::bind_let(const std::string& name, const ExprPtr& value) {
    Entry entry;
    entry.depth = next_depth_++;
    if (!is_float(value->type))
        entry.range = range(value);
    entry.value = value;
    names_[name] = entry;
}

LetScope::LetScope(KnownFacts& scope, const std::string& name, const ExprPtr& value)
    : scope_(scope), name_(name) {
    if (const auto known = scope.names_.find(name); known != scope.names_.end())
        before_ = known->second;
    scope.bind_let(name, value);
}

// The order of terms, which is that of depths, stays.
LetScope::~LetScope() {
    auto& entry = scope_.names_.at(name_);
    entry.range = before_.range;
    entry.value = std::move(before_.value);
}

void KnownFacts::bind(const Statement& s) {
    if (s.kind == StatementKind::For)
        bind_loop(s.variable, s.loop->begin, s.loop->extent);
    if (s.kind == StatementKind::Let)
        bind_let(s.variable, s.value);
}

KnownFacts::Mark KnownFacts::mark() const {
    return {facts_.size(), conditions_.size(), refined_.size()};
}

void KnownFacts::restore(const Mark& mark) {
    facts_.resize(mark.facts);
    conditions_.resize(mark.conditions);
    for (; refined_.size() > mark.ranges; refined_.pop_back())
        names_[refined_.back().first].range = refined_.back().second;
}

void KnownFacts::assume(const ExprPtr& condition, bool holds) {
    conditions_.emplace_back(condition, holds);
    const auto& e = *condition;
    if (e.kind == ExprKind::Unary && e.op == Op::LogicalNot)
        return assume(e.args[0], !holds);
    if (e.kind != ExprKind::Binary)
        return;
    if ((e.op == Op::LogicalAnd && holds) || (e.op == Op::LogicalOr && !holds)) {
        assume(e.args[0], holds);
        assume(e.args[1], holds);
    } else if (e.op >= Op::Less && e.op <= Op::NotEqual && e.lanes == 1) {
        assume_comparison(e, holds);
    }
}

void KnownFacts::assume_comparison(const Expr& e, bool holds) {
    auto a = affine(e.args[0]), b = affine(e.args[1]);
    if (!a || !b)
        return;
    auto add = [&](const Affine& large, const Affine& small,
                   std::int64_t by) { // large - small >= by
        auto d = difference(large, small);
        if (d && d->add_constant(-by))
            add_fact(*d);
    };
    switch (e.op) {
    case Op::Less: holds ? add(*b, *a, 1) : add(*a, *b, 0); break;
    case Op::LessEqual: holds ? add(*b, *a, 0) : add(*a, *b, 1); break;
    case Op::Greater: holds ? add(*a, *b, 1) : add(*b, *a, 0); break;
    case Op::GreaterEqual: holds ? add(*a, *b, 0) : add(*b, *a, 1); break;
    case Op::Equal:
    case Op::NotEqual:
        if ((e.op == Op::Equal) == holds) {
            add(*a, *b, 0);
            add(*b, *a, 0);
        }
        break;
    default: break;
    }
}

void KnownFacts::add_fact(const Affine& at_least_zero) {
    facts_.push_back(at_least_zero);
    if (at_least_zero.terms.size() != 1 || at_least_zero.terms[0].atom->kind != ExprKind::Variable)
        return;
    // c*v + k >= 0 narrows the range of v itself.
    const auto& term = at_least_zero.terms[0];
    auto found = names_.find(term.atom->name);
    if (found == names_.end() || !found->second.range)
        return;
    refined_.emplace_back(term.atom->name, found->second.range);
    auto& range = *found->second.range;
    auto k = at_least_zero.constant, c = term.coefficient;
    if (c > 0)
        range.least = std::max(range.least, -floor_divide(k, c));
    else
        range.greatest = std::min(range.greatest, floor_divide(k, -c));
}

std::optional<Interval> KnownFacts::range_of_name(const std::string& name) const {
    if (int lanes = lanes_of_lane_atom(name))
        return Interval{0, lanes - 1};
    auto found = names_.find(name);
    return found == names_.end() ? std::nullopt : found->second.range;
}

std::optional<Interval> KnownFacts::range(const ExprPtr& e) const {
    if (is_float(e->type))
        return std::nullopt;
    return range_of(e, [this](const std::string& name) { return range_of_name(name); });
}

std::optional<Interval> KnownFacts::range(const Affine& a) const {
    __int128 least = a.constant, greatest = a.constant;
    for (const auto& term : a.terms) {
        auto r = range(term.atom);
        if (!r || r->empty())
            return std::nullopt;
        __int128 x = __int128{term.coefficient} * r->least,
                 y = __int128{term.coefficient} * r->greatest;
        least += std::min(x, y);
        greatest += std::max(x, y);
    }
    if (least < -kMaxRange || greatest > kMaxRange)
        return std::nullopt;
    return Interval{static_cast<std::int64_t>(least), static_cast<std::int64_t>(greatest)};
}

std::optional<Affine> KnownFacts::affine(const ExprPtr& e) const {
    return affine_of(e, kLetBudget);
}

// Only what cannot wrap has an exact form; types of 16 bits and less wrap silently in range_of.
std::optional<Affine> KnownFacts::affine_of(const ExprPtr& e, int budget) const {
    if (!exact_type(e->type) || !range(e))
        return std::nullopt;
    return affine_parts(e, budget);
}

// `e` is known not to wrap, and so are the operands of its sums and products.
std::optional<Affine> KnownFacts::affine_parts(const ExprPtr& e, int budget) const {
    Affine out;
    std::int64_t value = 0;
    auto atom = [&]() -> std::optional<Affine> {
        out.terms = {{e, 1}};
        return out;
    };
    auto sum = [&](std::int64_t sign) -> std::optional<Affine> {
        auto a = affine_parts(e->args[0], budget), b = affine_parts(e->args[1], budget);
        return a && b && a->add(*b, sign) ? a : std::nullopt;
    };
    switch (e->kind) {
    case ExprKind::Constant:
        if (!constant_value(e, value) || !out.add_constant(value))
            return std::nullopt;
        return out;
    case ExprKind::Variable: {
        auto found = names_.find(e->name);
        if (found == names_.end() || !found->second.value || budget == 0)
            return atom();
        auto a = affine_of(found->second.value, budget - 1);
        return a ? a : atom();
    }
    case ExprKind::Unary:
        if (e->op != Op::Negate)
            return atom();
        if (auto a = affine_parts(e->args[0], budget))
            return out.add(*a, -1) ? std::optional(out) : std::nullopt;
        return std::nullopt;
    case ExprKind::Binary: {
        if (e->op == Op::Add || e->op == Op::Subtract)
            return sum(e->op == Op::Add ? 1 : -1);
        if (e->op != Op::Multiply)
            return atom();
        auto a = affine_parts(e->args[0], budget), b = affine_parts(e->args[1], budget);
        if (a && b && b->is_constant())
            return out.add(*a, b->constant) ? std::optional(out) : std::nullopt;
        if (a && b && a->is_constant())
            return out.add(*b, a->constant) ? std::optional(out) : std::nullopt;
        return atom();
    }
    case ExprKind::Cast: {
        auto a = is_integer(e->args[0]->type) ? affine_of(e->args[0], budget) : std::nullopt;
        auto r = a ? range(e->args[0]) : std::nullopt;
        bool same = r && r->least >= least(e->type) && r->greatest <= greatest(e->type);
        return same ? a : atom();
    }
    case ExprKind::Broadcast: return affine_parts(e->args[0], budget);
    case ExprKind::Ramp: {
        auto base = affine_of(e->args[0], budget), stride = affine_of(e->args[1], budget);
        if (!base || !stride || !stride->is_constant())
            return atom();
        return base->add_term(lane_atom(e->lanes), stride->constant) ? base : std::nullopt;
    }
    default: return atom();
    }
}

bool KnownFacts::at_most(const Affine& a, std::int64_t bound) const {
    return at_most(a, bound, kArmBudget);
}

bool KnownFacts::at_most(const Affine& a, std::int64_t bound, int budget) const {
    auto r = range(a);
    if (r && r->greatest <= bound)
        return true;
    return at_most_by_facts(a, bound) || (budget > 0 && at_most_by_arms(a, bound, budget));
}

// a = (a + m*f) - m*f <= a + m*f for any fact f >= 0 and m > 0; the useful m cancels a shared atom.
bool KnownFacts::at_most_by_facts(const Affine& a, std::int64_t bound) const {
    for (const auto& fact : facts_)
        for (const auto& term : fact.terms) {
            auto c = a.coefficient(term.atom);
            if (c == 0 || (c > 0) == (term.coefficient > 0) || c % term.coefficient != 0)
                continue;
            auto sum = a;
            if (!sum.add(fact, -(c / term.coefficient)))
                continue;
            auto r = range(sum);
            if (r && r->greatest <= bound)
                return true;
        }
    return false;
}

// min(p, q) is at most each of p and q; max(p, q) is one of them. The reverse under a negative
// coefficient.
bool KnownFacts::at_most_by_arms(const Affine& a, std::int64_t bound, int budget) const {
    for (const auto& term : a.terms) {
        const auto& atom = *term.atom;
        if (atom.kind != ExprKind::Binary || (atom.op != Op::Min && atom.op != Op::Max))
            continue;
        auto with_arm = [&](const ExprPtr& arm) {
            auto sum = a;
            auto form = affine(arm);
            return form && sum.add_term(term.atom, -term.coefficient) &&
                   sum.add(*form, term.coefficient) && at_most(sum, bound, budget - 1);
        };
        bool either = (atom.op == Op::Min) == (term.coefficient > 0);
        bool first = with_arm(atom.args[0]);
        if (either ? first || with_arm(atom.args[1]) : first && with_arm(atom.args[1]))
            return true;
    }
    return false;
}

bool KnownFacts::ordered(const ExprPtr& a, const ExprPtr& b) const {
    auto x = range(a), y = range(b);
    if (x && y && x->greatest <= y->least)
        return true;
    auto form_a = affine(a), form_b = affine(b);
    auto d = form_a && form_b ? difference(*form_a, *form_b) : std::nullopt;
    return d && at_most(*d, 0);
}

std::optional<bool> KnownFacts::decide(const ExprPtr& condition) const {
    if (!is_bool(condition->type))
        return std::nullopt;
    for (const auto& [known, holds] : conditions_)
        if (equal(known, condition))
            return holds;
    if (auto r = range(condition); r && r->least == r->greatest)
        return r->least != 0;
    const auto& e = *condition;
    if (e.kind != ExprKind::Binary || e.op < Op::Less || e.op > Op::NotEqual)
        return std::nullopt;
    auto a = affine(e.args[0]), b = affine(e.args[1]);
    auto d = a && b ? difference(*a, *b) : std::nullopt;
    auto opposite = a && b ? difference(*b, *a) : std::nullopt;
    if (!d || !opposite)
        return std::nullopt;
    auto verdict = [&](const Affine& x, std::int64_t holds_up_to,
                       const Affine& negated) -> std::optional<bool> {
        if (at_most(x, holds_up_to))
            return true;
        return at_most(negated, -holds_up_to - 1) ? std::optional(false) : std::nullopt;
    };
    switch (e.op) {
    case Op::Less: return verdict(*d, -1, *opposite);
    case Op::LessEqual: return verdict(*d, 0, *opposite);
    case Op::Greater: return verdict(*opposite, -1, *d);
    case Op::GreaterEqual: return verdict(*opposite, 0, *d);
    default: break;
    }
    bool apart = at_most(*d, -1) || at_most(*opposite, -1);
    bool same = !apart && d->is_constant() && d->constant == 0;
    if (!apart && !same)
        return std::nullopt;
    return (e.op == Op::Equal) == same;
}

ExprPtr KnownFacts::let_value(const std::string& name) const {
    auto found = names_.find(name);
    return found == names_.end() ? nullptr : found->second.value;
}

int KnownFacts::depth(const std::string& name) const {
    auto found = names_.find(name);
    return found == names_.end() ? -1 : found->second.depth;
}

int KnownFacts::depth(const ExprPtr& e) const {
    int deepest = -1;
    visit(e, [&](const Expr& x) {
        if (x.kind == ExprKind::Variable)
            deepest = std::max(deepest, depth(x.name));
        return true;
    });
    return deepest;
}

StatementPtr
with_rebuilt_children(const StatementPtr& s, KnownFacts& scope,
                      const std::function<StatementPtr(const StatementPtr&)>& rebuild) {
    std::vector<StatementPtr> children;
    for (std::size_t i = 0; i < s->children.size(); ++i) {
        auto mark = scope.mark();
        if (s->kind == StatementKind::If)
            scope.assume(s->condition, i == 0);
        children.push_back(rebuild(s->children[i]));
        scope.restore(mark);
    }
    return with_children(s, std::move(children));
}

} // namespace loopscope::lower
