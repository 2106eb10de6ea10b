// merge_lanes: a loop of vectors becomes one loop of elements, for source that people read and
// compilers vectorise.
//
//     for x in 0..120 {                                vectorised for x in 0..1920 {
//         peak[y, ramp(x*16, 1, 16)] =          →          peak[y, x] = out[y, x + 1] > 2.0
//             out[y, ramp(x*16 + 1, 1, 16)] > 2.0      }
//     }
//
// The one loop also ends where a tail's mask does, so that neither a mask nor a guard of whole
// vectors is left; a vector with a mask that stands in no such loop becomes a loop of its elements
// too. A compiler of C has then all elements to make vectors of, in the widths that its machine has
// for types of several sizes.
//
// For serial loops around stores of vectors, with lets and ifs between, in which the loop's
// variable v and the lanes of L occur as v*L + lane alone; conditions that do not depend on v move
// out of the loop. The elements must be independent: a buffer that is stored to is accessed at one
// place for each element, which differs from element to element.
//
// Expects: vectors made by `vectorize`. Guarantees: the same bits; vectorised loops hold lets, ifs
// and stores of scalars, and their iterations may run in any order.
#include "compiler/lower/known_facts.h"
#include "compiler/lower/names.h"
#include "compiler/lower/one_lane.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"
#include "core/base/fields.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace loopscope::lower {

namespace {

// Is the condition, for integers, the same as `form` < 0?
std::optional<Affine> below_zero(const ExprPtr& condition, const KnownFacts& scope) {
    if (condition->kind != ExprKind::Binary || !is_integer(condition->args[0]->type))
        return std::nullopt;
    bool swapped = condition->op == Op::Greater || condition->op == Op::GreaterEqual;
    bool equality = condition->op == Op::LessEqual || condition->op == Op::GreaterEqual;
    if (!swapped && !equality && condition->op != Op::Less)
        return std::nullopt;
    auto a = scope.affine(condition->args[swapped ? 1 : 0]),
         b = scope.affine(condition->args[swapped ? 0 : 1]);
    auto form = a && b ? difference(*a, *b) : std::nullopt;
    if (form && equality && !form->add_constant(-1))
        return std::nullopt;
    return form;
}

int lanes_of(const StatementPtr& s) {
    int lanes = 1;
    visit_statements(s, [&](const Statement& x) {
        if (writes(x))
            for (const auto& e : expressions(x))
                lanes = std::max<int>(lanes, e->lanes);
        return lanes == 1;
    });
    return lanes;
}

class Merging {
public:
    // `loop`: null for a store that stands alone.
    Merging(const Statement* loop, int lanes, KnownFacts& scope, NameSource& names)
        : loop_(loop), lanes_(lanes), scope_(scope), names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        if (!loop_)
            return elements(s);
        auto end = binary(Op::Multiply, binary(Op::Add, loop_->loop->begin, loop_->loop->extent),
                          constant_int(loop_->loop->begin->type, lanes_));
        return scope_.range(end) ? outside(s) : nullptr;
    }

private:
    bool varies(const ExprPtr& e) const { return loop_ && uses_variable(e, loop_->variable); }

    // What stands around the loop of elements: conditions and lets that are the same for all of
    // them.
    StatementPtr outside(const StatementPtr& s) {
        if (s->kind == StatementKind::If && !varies(s->condition) && !contains_load(s->condition)) {
            std::vector<StatementPtr> branches;
            for (std::size_t i = 0; i < s->children.size(); ++i) {
                auto mark = scope_.mark();
                scope_.assume(s->condition, i == 0);
                branches.push_back(outside(s->children[i]));
                scope_.restore(mark);
                if (!branches.back())
                    return nullptr;
            }
            return with_children(s, std::move(branches));
        }
        if (s->kind == StatementKind::If && s->children.size() == 1) {
            conjuncts(s->condition, implied_);
            return outside(s->children[0]);
        }
        if (s->kind == StatementKind::Let && s->value->lanes == 1 && !varies(s->value) &&
            !contains_load(s->value)) {
            scope_.bind_let(s->variable, s->value);
            auto body = outside(s->children[0]);
            return body ? with_children(s, {body}) : nullptr;
        }
        return elements(s);
    }

    // The loop of elements.
    StatementPtr elements(const StatementPtr& s) {
        auto type = loop_ ? loop_->loop->begin->type : ScalarType::I32;
        auto name = !loop_          ? names_.fresh("lane")
                    : name_is_free_ ? loop_->variable
                                    : names_.fresh(loop_->variable);
        name_is_free_ = false;
        OneLane lane(scope_, loop_ ? loop_->variable : "", lanes_, variable(name, type));
        OneLane first(scope_, loop_ ? loop_->variable : "", lanes_, constant_int(type, 0));
        auto factor = constant_int(type, loop_ ? lanes_ : 0);
        auto begin =
            loop_ ? binary(Op::Multiply, loop_->loop->begin, factor) : constant_int(type, 0);
        ExprPtr extent =
            loop_ ? binary(Op::Multiply, loop_->loop->extent, factor) : constant_int(type, lanes_);
        auto store = s;
        for (; store->kind == StatementKind::Let; store = store->children[0]) {
            scope_.bind_let(store->variable, store->value);
            inside_.insert(store->variable);
        }
        auto bounded = end_at_mask(*store, first, begin, extent);
        if (!bounded && (!loop_ || !implied_.empty()))
            return nullptr;
        if (bounded)
            lane.assume(store->access->mask);
        auto body = element(s, lane, bounded);
        if (!body || !is_independent(body))
            return nullptr;
        return for_loop(loop_ ? loop_->origin : s->origin, name, begin, extent, ForKind::Vectorized,
                        body);
    }

    // Where the mask of a store says no more than that the elements end: ends them there. True also
    // if it does; false: the mask, if any, stays.
    bool end_at_mask(const Statement& s, OneLane& first, const ExprPtr& begin, ExprPtr& extent) {
        if (s.kind != StatementKind::Store || !s.access->mask)
            return false;
        auto mask = s.access->mask;
        if (mask->kind == ExprKind::Variable)
            if (auto value = scope_.let_value(mask->name))
                mask = value;
        std::vector<ExprPtr> terms;
        conjuncts(mask, terms);
        std::vector<Affine> forms;
        auto shorter = extent;
        for (const auto& term : terms) {
            auto form = below_zero(term, scope_);
            if (!moves(form) || form->coefficient(lane_atom(lanes_)) != 1)
                return false;
            bool swapped = term->op == Op::Greater || term->op == Op::GreaterEqual;
            bool equality = term->op == Op::LessEqual || term->op == Op::GreaterEqual;
            auto low = first.of(term->args[swapped ? 1 : 0]),
                 high = first.of(term->args[swapped ? 0 : 1]);
            if (!low || !high || low->type != begin->type)
                return false;
            auto end = binary(Op::Subtract, high, low);
            if (equality)
                end = binary(Op::Add, end, constant_int(end->type, 1));
            end = binary(Op::Subtract, end, begin);
            if (!scope_.range(end) || contains_load(end) || is_inside(end))
                return false;
            shorter = binary(Op::Min, shorter, end);
            forms.push_back(*form);
        }
        // A guard of whole vectors follows from the mask of their first lanes.
        for (const auto& condition : implied_) {
            auto form = below_zero(condition, scope_);
            bool follows = form && std::any_of(forms.begin(), forms.end(), [&](const Affine& of) {
                               auto between = difference(of, *form);
                               return between && between->add_term(lane_atom(lanes_), -1) &&
                                      between->is_constant() && between->constant >= 0;
                           });
            if (!follows)
                return false;
        }
        extent = shorter;
        return true;
    }

    // One element's statements; null where there is no such form.
    StatementPtr element(const StatementPtr& s, OneLane& lane, bool bounded) {
        switch (s->kind) {
        case StatementKind::Block: {
            std::vector<StatementPtr> children;
            for (const auto& child : s->children) {
                children.push_back(element(child, lane, false));
                if (!children.back())
                    return nullptr;
            }
            return block(std::move(children), s->origin);
        }
        case StatementKind::Let: {
            auto value = lane.of(s->value);
            lane.name(s->variable, s->value);
            auto body = value ? element(s->children[0], lane, bounded) : nullptr;
            return body ? let_statement(s->origin, s->variable, value, body) : nullptr;
        }
        case StatementKind::Store: {
            if (std::max<int>(s->value->lanes, s->access->mask ? s->access->mask->lanes : 1) !=
                lanes_)
                return nullptr;
            for (const auto& index : s->access->indices)
                places_[s->access->buffer].push_back(scope_.affine(index));
            std::vector<ExprPtr> indices;
            for (const auto& index : s->access->indices)
                indices.push_back(lane.of(index));
            auto mask = s->access->mask && !bounded ? lane.of(s->access->mask) : nullptr;
            auto value = lane.of(s->value);
            if (!value || (s->access->mask && !bounded && !mask) ||
                std::count(indices.begin(), indices.end(), nullptr))
                return nullptr;
            return as_streaming(store(s->origin, s->access->buffer, indices, value, mask),
                                s->access->streaming);
        }
        default: return nullptr;
        }
    }

    // Does it use a name that only the loop of elements knows?
    bool is_inside(const ExprPtr& e) const {
        return std::any_of(inside_.begin(), inside_.end(),
                           [&](const std::string& name) { return uses_variable(e, name); });
    }

    // Does each element access what is stored at a place of its own, and nowhere else?
    bool is_independent(const StatementPtr& body) const {
        for (const auto& [buffer, forms] : places_)
            if (std::none_of(forms.begin(), forms.end(), [&](const auto& f) { return moves(f); }))
                return false;
        std::map<std::string, std::vector<ExprPtr>> at;
        bool good = true;
        auto access = [&](const std::string& buffer, const std::vector<ExprPtr>& indices) {
            if (!places_.count(buffer))
                return;
            auto [known, fresh] = at.emplace(buffer, indices);
            good = good && same_value(indices, known->second);
        };
        visit_statements(body, [&](const Statement& s) {
            if (writes(s))
                access(s.access->buffer, s.access->indices);
            for (const auto& e : expressions(s))
                visit(e, [&](const Expr& x) {
                    bool masked = x.kind == ExprKind::MaskedLoad;
                    if (masked || x.kind == ExprKind::Load)
                        access(x.name, {x.args.begin(), x.args.end() - (masked ? 1 : 0)});
                    return true;
                });
            return true;
        });
        return good;
    }

    // Is it another index for each element?
    bool moves(const std::optional<Affine>& index) const {
        if (!index || index->coefficient(lane_atom(lanes_)) == 0)
            return false;
        return std::all_of(index->terms.begin(), index->terms.end(), [&](const Affine::Term& t) {
            bool plain = t.atom->kind == ExprKind::Variable || !varies(t.atom);
            return equal(t.atom, lane_atom(lanes_)) || (t.atom->lanes == 1 && plain);
        });
    }

    const Statement* loop_;
    int lanes_;
    KnownFacts& scope_;
    NameSource& names_;
    bool name_is_free_ = true;     // the loop's own: for the first loop of elements
    std::vector<ExprPtr> implied_; // guards of whole vectors, which must follow from the mask
    std::unordered_set<std::string> inside_;
    std::map<std::string, std::vector<std::optional<Affine>>> places_; // stored to: all indices
};

class MergeLanes {
public:
    explicit MergeLanes(NameSource& names) : names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        StatementScope inside(scope_, *s);
        bool serial = s->kind == StatementKind::For && s->loop->kind == ForKind::Serial;
        if (serial || (s->kind == StatementKind::Store && s->access->mask))
            if (int lanes = lanes_of(s); lanes > 1) {
                auto mark = scope_.mark();
                auto one = Merging(serial ? s.get() : nullptr, lanes, scope_, names_)
                               .run(serial ? s->children[0] : s);
                scope_.restore(mark);
                if (one)
                    return one;
            }
        return with_rebuilt_children(s, scope_,
                                     [&](const StatementPtr& child) { return run(child); });
    }

private:
    KnownFacts scope_;
    NameSource& names_;
};

} // namespace

Program merge_lanes(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program,
                      [&](const StatementPtr& body) { return MergeLanes(names).run(body); });
}

} // namespace loopscope::lower
