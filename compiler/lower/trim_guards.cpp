// trim_guards: guards that relate a loop to the loops around it, as those of a triangle do, become
// its bounds, and are asked only in those of its iterations in which they hold for some lanes and
// copies inside and not for others.
//
//     for k in 0..512 {                  for k in io*4 + 1..3 {      (begin, extent)
//         unrolled for ii in 0..4 {          unrolled for ii in 0..4 {
//             if k > io*4 + ii {     →           if k > io*4 + ii { C[…] = … }
//                 C[io*4 + ii] = …           }
//                                        }
//                                        for k_1 in io*4 + 4..508 - io*4 {
//                                            unrolled for ii_1 in 0..4 { C[…] = … }
//
// (as simplify_partitions shows it). For each serial loop two kinds of conditions are made of the
// guards inside, by putting in for the variables of further loops the values that are the least
// strict, or the strictest:
// - What all statements of the body need, for anything to happen at all: if it bounds the loop's
//   variable, the loop begins later or ends earlier; if it does not depend on it, it is asked once,
//   before the loop.
// - What makes a guard hold in all unrolled and vectorised iterations inside: the loop is split,
//   and its part in which that is so has the guard no longer. Only guards that also depend on a
//   loop around are taken: `partition` has dealt with all others.
// What loads is left alone, and what might wrap.
//
// Expects: any program. Guarantees: the same stores in the same order. No statement is copied more
// than kMaxTrimmedCopies times.
#include "compiler/lower/fold.h"
#include "compiler/lower/known_facts.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_set>

namespace loopscope::lower {

namespace {

constexpr int kMaxTrimmedCopies = 4;
constexpr std::size_t kMaxNeeds = 8; // conditions of one body; more are given up
// of a bound, of each of its parts, and of what it is divided by
constexpr std::int64_t kMaxBound = std::int64_t{1} << 30;

// Conditions are forms that have to be at least 0.
using Forms = std::vector<Affine>;

bool is_known(KnownFacts& scope, const Affine& form) { // in every case at least 0
    Affine negated;
    return negated.add(form, -1) && scope.at_most(negated, 0);
}

// The form of a comparison of integers that neither loads nor may wrap; of strict ones less 1.
std::optional<Affine> form_of(const KnownFacts& scope, const Expr& e) {
    if (e.kind != ExprKind::Binary || e.op < Op::Less || e.op > Op::GreaterEqual || e.lanes > 1 ||
        !is_integer(e.args[0]->type))
        return std::nullopt;
    auto a = scope.affine(e.args[0]), b = scope.affine(e.args[1]);
    if (!a || !b)
        return std::nullopt;
    bool less = e.op == Op::Less || e.op == Op::LessEqual;
    auto form = less ? difference(*b, *a) : difference(*a, *b);
    bool strict = e.op == Op::Less || e.op == Op::Greater;
    if (!form || (strict && !form->add_constant(-1)))
        return std::nullopt;
    for (const auto& term : form->terms)
        if (contains_load(term.atom))
            return std::nullopt;
    return form;
}

bool uses(const Affine& form, const std::string& name) {
    return std::any_of(form.terms.begin(), form.terms.end(),
                       [&](const Affine::Term& term) { return uses_variable(term.atom, name); });
}

// The form with the loop's first or last value for its variable, whichever makes it greater (or
// less). nullopt: not known.
std::optional<Affine> without_variable(const KnownFacts& scope, Affine form, const Statement& loop,
                                       bool greater) {
    auto self = variable(loop.variable, loop.loop->begin->type);
    auto slope = form.coefficient(self);
    auto begin = scope.affine(loop.loop->begin), extent = scope.affine(loop.loop->extent);
    if (slope != 0 && (!begin || !form.add_term(self, -slope) || !form.add(*begin, slope)))
        return std::nullopt;
    if (slope != 0 && (slope > 0) == greater &&
        (!extent || !extent->add_constant(-1) || !form.add(*extent, slope)))
        return std::nullopt;
    return uses(form, loop.variable) ? std::nullopt : std::optional(form);
}

// What has to hold for a statement to do anything.
class NeededConditions {
public:
    explicit NeededConditions(KnownFacts& scope) : scope_(scope) {}

    Forms of(const Statement& s) {
        switch (s.kind) {
        case StatementKind::Block: return of_all(s);
        case StatementKind::For: return of_loop(s);
        case StatementKind::If: return of_condition(s);
        case StatementKind::Let: {
            scope_.bind_let(s.variable, s.value);
            auto forms = of(*s.children[0]);
            std::erase_if(forms, [&](const Affine& form) { return uses(form, s.variable); });
            return forms;
        }
        case StatementKind::Allocate: return of(*s.children[0]);
        default: return {};
        }
    }

private:
    Forms of_condition(const Statement& s) {
        if (s.children.size() > 1)
            return {};
        auto forms = of(*s.children[0]);
        std::vector<ExprPtr> parts;
        conjuncts(s.condition, parts);
        for (const auto& part : parts)
            if (auto form = form_of(scope_, *part))
                forms.push_back(*form);
        return kept(std::move(forms));
    }

    Forms of_loop(const Statement& s) {
        auto mark = scope_.mark();
        scope_.bind_loop(s.variable, s.loop->begin, s.loop->extent);
        auto inside = of(*s.children[0]);
        scope_.restore(mark);
        Forms forms;
        for (const auto& form : inside)
            if (auto without = without_variable(scope_, form, s, true))
                forms.push_back(*without);
        return kept(std::move(forms));
    }

    // What the first needs, as far as the others need it, too: of forms that differ by a constant
    // the weakest.
    Forms of_all(const Statement& block) {
        Forms common;
        bool first = true;
        for (const auto& child : block.children) {
            auto forms = of(*child);
            if (first) {
                common = std::move(forms);
                first = false;
                continue;
            }
            Forms both;
            for (const auto& a : common)
                for (const auto& b : forms)
                    if (auto apart = difference(a, b); apart && apart->is_constant()) {
                        both.push_back(apart->constant > 0 ? a : b);
                        break;
                    }
            common = std::move(both);
            if (common.empty())
                break;
        }
        return common;
    }

    static Forms kept(Forms forms) {
        if (forms.size() > kMaxNeeds)
            forms.resize(kMaxNeeds);
        return forms;
    }

    KnownFacts& scope_;
};

// The guards below a loop that hold in all unrolled and vectorised iterations where a form in the
// loop's variable is at least 0.
class Guards {
public:
    struct Guard {
        const Expr* condition = nullptr; // part of that of an if
        Affine holds;
        bool lanes = false; // does it differ between such iterations?
    };

    Guards(const Statement& loop, KnownFacts& scope)
        : self_(variable(loop.variable, loop.loop->begin->type)), scope_(scope) {
        statement(*loop.children[0]);
    }
    std::vector<Guard> take() { return std::move(guards_); }

private:
    void statement(const Statement& s) {
        StatementScope here(scope_, s);
        bool is_loop = s.kind == StatementKind::For;
        if (is_loop)
            inside_.push_back(&s);
        if (is_loop || s.kind == StatementKind::Let)
            bound_.insert(s.variable);
        if (s.kind == StatementKind::If && s.children.size() == 1) {
            std::vector<ExprPtr> parts;
            conjuncts(s.condition, parts);
            for (const auto& part : parts)
                guard(*part);
        }
        for (const auto& child : s.children)
            statement(*child);
        if (is_loop)
            inside_.pop_back();
    }

    void guard(const Expr& condition) {
        auto form = form_of(scope_, condition);
        bool lanes = false;
        for (auto loop = inside_.rbegin(); form && loop != inside_.rend(); ++loop) {
            const auto& s = **loop;
            if (!uses(*form, s.variable))
                continue;
            if (s.loop->kind != ForKind::Unrolled && s.loop->kind != ForKind::Vectorized)
                return;
            lanes = true;
            form = without_variable(scope_, *form, s, false);
        }
        if (!form || form->coefficient(self_) == 0)
            return;
        bool related = false;
        for (const auto& term : form->terms) {
            bool is_self = equal(term.atom, self_);
            related = related || !is_self;
            if (!is_self && uses_variable(term.atom, self_->name))
                return;
            for (const auto& name : bound_)
                if (uses_variable(term.atom, name))
                    return;
        }
        // Where it never holds in all lanes there is nothing to be gained.
        if (related && !is_known(scope_, *form) && !scope_.at_most(*form, -1))
            guards_.push_back({&condition, *form, lanes});
    }

    ExprPtr self_;
    KnownFacts& scope_;
    std::vector<const Statement*> inside_;
    std::unordered_set<std::string> bound_;
    std::vector<Guard> guards_;
};

// Expressions of forms, where neither they nor their parts can wrap.
class Bounds {
public:
    Bounds(const KnownFacts& scope, ScalarType type) : scope_(scope), type_(type) {}

    ExprPtr of(const Affine& form) const {
        auto sum = constant_int(type_, form.constant);
        __int128 greatest = form.constant < 0 ? -form.constant : form.constant;
        for (const auto& term : form.terms) {
            auto range = scope_.range(term.atom);
            if (!range || range->empty() || range->least < -kMaxBound ||
                range->greatest > kMaxBound || term.coefficient < -kMaxBound ||
                term.coefficient > kMaxBound)
                return nullptr;
            greatest += __int128{std::max(std::abs(range->least), std::abs(range->greatest))} *
                        std::abs(term.coefficient);
            auto atom = term.atom->type == type_ ? term.atom : cast(type_, term.atom);
            auto part = binary(Op::Multiply, atom, constant_int(type_, term.coefficient));
            sum = binary(Op::Add, part, sum);
        }
        return greatest <= kMaxBound ? sum : nullptr;
    }

    // form/divisor, rounded down; what the divisor divides is taken out.
    ExprPtr quotient(const Affine& form, std::int64_t divisor) const {
        Affine whole, rest;
        for (const auto& term : form.terms) {
            bool divides = term.coefficient % divisor == 0;
            (divides ? whole : rest)
                .terms.push_back(
                    {term.atom, divides ? term.coefficient / divisor : term.coefficient});
        }
        if (rest.terms.empty()) {
            whole.constant = floor_divide(form.constant, divisor);
            return of(whole);
        }
        rest.constant = form.constant;
        auto a = of(whole), b = of(rest);
        return a && b ? binary(Op::Add, a, binary(Op::Divide, b, constant_int(type_, divisor)))
                      : nullptr;
    }

private:
    const KnownFacts& scope_;
    ScalarType type_;
};

// Where in a loop some forms are all at least 0: from `first` on and before `end`; null: everywhere
// on that side.
struct TrimmedPart {
    ExprPtr first, end;
    // False: the bound of this form is not known.
    bool add(const Affine& form, const ExprPtr& self, const Bounds& bounds) {
        auto slope = form.coefficient(self);
        Affine rest = form;
        if (std::abs(slope) > kMaxBound || !rest.add_term(self, -slope))
            return false;
        // slope*v + rest >= 0: v >= -floor(rest/slope), or v <= floor(rest/-slope).
        auto quotient = bounds.quotient(rest, slope > 0 ? slope : -slope);
        if (!quotient)
            return false;
        auto& side = slope > 0 ? first : end;
        auto bound = slope > 0 ? unary(Op::Negate, quotient)
                               : binary(Op::Add, quotient, constant_int(quotient->type, 1));
        side = !side ? bound : binary(slope > 0 ? Op::Max : Op::Min, side, bound);
        return true;
    }
};

class Trimming {
public:
    explicit Trimming(NameSource& names) : names_(names) {}

    // `copies`: how many there may be of the statement.
    StatementPtr run(const StatementPtr& s, int copies = kMaxTrimmedCopies) {
        auto mark = scope_.mark();
        if (s->kind == StatementKind::Let)
            scope_.bind_let(s->variable, s->value);
        auto result = s->kind == StatementKind::For ? loop(s, copies) : children(s, copies);
        scope_.restore(mark);
        return result;
    }

private:
    StatementPtr children(const StatementPtr& s, int copies) {
        return with_rebuilt_children(s, scope_,
                                     [&](const StatementPtr& child) { return run(child, copies); });
    }

    // What is known of a loop: where anything happens, and where the guards inside hold.
    struct Findings {
        TrimmedPart anything, inside;
        std::unordered_set<const Expr*> hold, hold_inside; // wherever anything happens; inside
        ExprPtr before; // without which nothing happens; null: nothing to ask
    };

    Findings findings(const StatementPtr& s) {
        Findings found;
        Bounds bounds(scope_, s->loop->begin->type);
        auto self = variable(s->variable, s->loop->begin->type);
        auto mark = scope_.mark();
        scope_.bind_loop(s->variable, s->loop->begin, s->loop->extent);
        Forms met; // by all iterations that are left
        for (const auto& form : NeededConditions(scope_).of(*s->children[0])) {
            auto slope = form.coefficient(self);
            auto rest = form;
            if (is_known(scope_, form) || !rest.add_term(self, -slope) || uses(rest, s->variable))
                continue;
            if (slope != 0) {
                if (found.anything.add(form, self, bounds))
                    met.push_back(form);
            } else if (auto value = bounds.of(form))
                found.before = both(found.before,
                                    binary(Op::GreaterEqual, value, constant_int(value->type, 0)));
        }
        for (const auto& guard : Guards(*s, scope_).take()) {
            bool holds = std::any_of(met.begin(), met.end(), [&](const Affine& form) {
                auto more = difference(guard.holds, form);
                return more && more->is_constant() && more->constant >= 0;
            });
            if (holds)
                found.hold.insert(guard.condition);
            else if (guard.lanes && found.inside.add(guard.holds, self, bounds))
                found.hold_inside.insert(guard.condition);
        }
        scope_.restore(mark);
        return found;
    }

    StatementPtr loop(const StatementPtr& s, int copies) {
        if (s->loop->kind != ForKind::Serial)
            return over(s, s->loop->begin, s->loop->extent, s->children[0], copies);
        auto found = findings(s);
        auto mark = scope_.mark();
        if (found.before)
            scope_.assume(found.before, true);
        auto trimmed = parts(s, found, copies);
        scope_.restore(mark);
        return found.before ? if_then(s->origin, found.before, trimmed) : trimmed;
    }

    StatementPtr parts(const StatementPtr& s, const Findings& found, int copies) {
        auto begin = s->loop->begin, end = binary(Op::Add, s->loop->begin, s->loop->extent);
        if (found.anything.first)
            begin = binary(Op::Max, begin, found.anything.first);
        if (found.anything.end)
            end = binary(Op::Min, end, found.anything.end);
        const auto &first = found.inside.first, &last = found.inside.end;
        int count = 1 + (first != nullptr) + (last != nullptr);
        auto body = without(s->children[0], found.hold);
        if (count == 1 || count > copies) {
            bool same = !found.anything.first && !found.anything.end;
            return over(s, begin, same ? s->loop->extent : binary(Op::Subtract, end, begin), body,
                        copies);
        }
        auto within = [&](const ExprPtr& bound, const ExprPtr& least) {
            return binary(Op::Min, binary(Op::Max, bound, least), end);
        };
        auto from = first ? within(first, begin) : begin;
        auto to = last ? within(last, from) : end;
        std::vector<StatementPtr> out;
        auto guarded = [&](const ExprPtr& from, const ExprPtr& to) {
            auto copy = names_.copy(with_children(s, {body}));
            out.push_back(over(copy, from, binary(Op::Subtract, to, from), copy->children[0],
                               copies / count));
        };
        if (first)
            guarded(begin, from);
        out.push_back(over(s, from, binary(Op::Subtract, to, from),
                           without(body, found.hold_inside), copies / count));
        if (last)
            guarded(to, end);
        return block(std::move(out));
    }

    StatementPtr over(const StatementPtr& s, const ExprPtr& begin, const ExprPtr& extent,
                      const StatementPtr& body, int copies) {
        auto mark = scope_.mark();
        scope_.bind_loop(s->variable, begin, extent);
        auto done = run(body, copies);
        scope_.restore(mark);
        if (begin == s->loop->begin && extent == s->loop->extent)
            return with_children(s, {done});
        return edited(s, [&](Statement& copy) {
            copy.loop->begin = begin;
            copy.loop->extent = extent;
            copy.children = {done};
        });
    }

    // The statement with conditions that are known to hold taken out of its ifs.
    static StatementPtr without(const StatementPtr& s,
                                const std::unordered_set<const Expr*>& hold) {
        return rewrite(s, [&](const StatementPtr& x) {
            if (x->kind != StatementKind::If || x->children.size() > 1)
                return x;
            std::vector<ExprPtr> parts;
            conjuncts(x->condition, parts);
            ExprPtr rest;
            std::size_t kept = 0;
            for (const auto& part : parts)
                if (!hold.count(part.get())) {
                    rest = both(rest, part);
                    ++kept;
                }
            if (kept == parts.size())
                return x;
            return rest ? if_then(x->origin, rest, x->children[0]) : x->children[0];
        });
    }

    static ExprPtr both(const ExprPtr& a, const ExprPtr& b) {
        return a ? binary(Op::LogicalAnd, a, b) : b;
    }

    KnownFacts scope_;
    NameSource& names_;
};

} // namespace

Program trim_guards(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) { return Trimming(names).run(body); });
}

} // namespace loopscope::lower
