#include "compiler/lower/accumulators.h"

#include "compiler/lower/statements.h"
#include "core/base/fields.h"

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <unordered_set>

namespace loopscope::lower {

namespace {

constexpr std::size_t kMaxAccumulators = 64; // more would not be registers any longer

int lanes_of(const std::vector<ExprPtr>& indices) {
    int lanes = 1;
    for (const auto& i : indices)
        lanes = std::max<int>(lanes, i->lanes);
    return lanes;
}

// Is every part of the other condition a part of this one?
bool implies(const ExprPtr& condition, const ExprPtr& other) {
    std::vector<ExprPtr> parts, needed;
    conjuncts(condition, parts);
    conjuncts(other, needed);
    return std::all_of(needed.begin(), needed.end(), [&](const ExprPtr& x) {
        return std::any_of(parts.begin(), parts.end(),
                           [&](const ExprPtr& y) { return equal(x, y); });
    });
}

// Finds the accumulators of one loop.
class AccumulatorCollector {
public:
    AccumulatorCollector(const StatementPtr& loop, KnownFacts& scope)
        : loop_(*loop), scope_(scope) {
        visit_statements(loop, [&](const Statement& s) {
            if (s.kind == StatementKind::For || s.kind == StatementKind::Let)
                bound_.insert(s.variable);
            if (s.kind == StatementKind::Allocate)
                allocated_.insert(s.storage->buffer);
            return true;
        });
        statement(*loop, {}, true);
    }

    std::vector<Accumulator> take() {
        std::erase_if(found_, [&](const Accumulator& a) {
            return !a.possible || !a.stored || !accumulates(a) || !apart(a);
        });
        return std::move(found_);
    }

private:
    // `runs`: in which runs of the loop. `serial`: in order, by one thread.
    void statement(const Statement& s, Presence runs, bool serial) {
        auto mark = scope_.mark();
        for (const auto& e : expressions(s))
            loads(e, s.origin, runs, serial);
        keep_lanes_apart(s);
        if (s.kind == StatementKind::Atomic) // memory that others combine into as well
            accumulator(s.access->buffer, s.value->type, s.value->lanes).possible = false;
        if (s.kind == StatementKind::Store)
            access({s.access->buffer, s.value->type, s.access->indices, s.access->mask,
                    std::max<int>(s.value->lanes, lanes_of(s.access->indices)), true,
                    s.access->streaming},
                   s.origin, runs, serial);
        if (s.kind == StatementKind::For) {
            auto trips = scope_.range(s.loop->extent);
            if (!trips || trips->least < 1)
                runs = where(runs, binary(Op::Greater, s.loop->extent,
                                          constant_int(s.loop->extent->type, 0)));
            serial = serial && s.loop->kind == ForKind::Serial;
        }
        scope_.bind(s);
        for (std::size_t i = 0; i < s.children.size(); ++i) {
            auto inside = runs;
            if (s.kind == StatementKind::If)
                inside = where(runs, i == 0 ? s.condition : unary(Op::LogicalNot, s.condition));
            statement(*s.children[i], inside, serial);
        }
        scope_.restore(mark);
    }

    // Those of these runs in which the condition holds at some time, too.
    Presence where(Presence runs, const ExprPtr& condition) const {
        std::vector<ExprPtr> parts;
        conjuncts(with_lets(condition), parts);
        for (const auto& part : parts) {
            if (is_fixed(part)) {
                runs.conditions.push_back(part);
                continue;
            }
            auto last = best_in_last(*part);
            if (!last || (runs.in_last && *runs.in_last != *last))
                return {false, {}, {}};
            runs.in_last = last;
            auto at = loop_.loop->begin;
            if (*last)
                at = binary(Op::Subtract, binary(Op::Add, at, loop_.loop->extent),
                            constant_int(at->type, 1));
            runs.conditions.push_back(substitute(part, [&](const std::string& name) {
                return name == loop_.variable ? at : nullptr;
            }));
        }
        return runs;
    }

    // Does a comparison hold in the last iteration of the loop (false: in the first) if in any?
    // nullopt: not known.
    std::optional<bool> best_in_last(const Expr& e) const {
        bool less = e.op == Op::Less || e.op == Op::LessEqual;
        bool greater = e.op == Op::Greater || e.op == Op::GreaterEqual;
        if (e.kind != ExprKind::Binary || (!less && !greater))
            return std::nullopt;
        auto a = scope_.affine(e.args[0]), b = scope_.affine(e.args[1]);
        auto between = a && b ? difference(*a, *b) : std::nullopt;
        auto self = variable(loop_.variable, loop_.loop->begin->type);
        auto slope = between ? between->coefficient(self) : 0;
        if (slope == 0 || !between->add_term(self, -slope) || contains_load(loop_.loop->begin) ||
            contains_load(loop_.loop->extent))
            return std::nullopt;
        for (const auto& term : between->terms)
            if (!is_fixed(term.atom))
                return std::nullopt;
        return (slope > 0) == greater;
    }

    // With the values of the lets inside the loop.
    ExprPtr with_lets(ExprPtr e) const {
        for (bool again = true; again;) {
            again = false;
            e = substitute(e, [&](const std::string& name) -> ExprPtr {
                auto value = bound_.count(name) ? scope_.let_value(name) : nullptr;
                again = again || value;
                return value;
            });
        }
        return e;
    }

    void loads(const ExprPtr& e, const NodeId& origin, const Presence& runs, bool serial) {
        visit(e, [&](const Expr& x) {
            bool masked = x.kind == ExprKind::MaskedLoad;
            if (masked || x.kind == ExprKind::Load)
                access({x.name,
                        x.type,
                        {x.args.begin(), x.args.end() - masked},
                        masked ? x.args.back() : nullptr,
                        x.lanes,
                        false,
                        false},
                       origin, runs, serial);
            return true;
        });
    }

    // A masked load gives zero in lanes that are off; the register gives what the loop has computed
    // there. So what is loaded may only go to where these lanes are off as well: to stores under
    // the same mask, or under more than it.
    void keep_lanes_apart(const Statement& s) {
        std::vector<const Expr*> masked;
        for (const auto& e : expressions(s))
            visit(e, [&](const Expr& x) {
                if (x.kind == ExprKind::MaskedLoad)
                    masked.push_back(&x);
                if (auto let = masked_lets_.find(x.name);
                    x.kind == ExprKind::Variable && let != masked_lets_.end())
                    masked.insert(masked.end(), let->second.begin(), let->second.end());
                return true;
            });
        if (masked.empty())
            return;
        if (s.kind == StatementKind::Let) {
            masked_lets_[s.variable] = std::move(masked);
            return;
        }
        const auto mask = s.access ? s.access->mask : nullptr;
        auto on = mask ? with_lets(mask) : nullptr;
        for (const auto* load : masked)
            for (auto& a : found_)
                if (a.buffer == load->name && a.possible)
                    a.possible = on && implies(on, with_lets(load->args.back()));
    }

    struct Access {
        std::string buffer;
        ScalarType type;
        std::vector<ExprPtr> indices;
        ExprPtr mask;
        int lanes;
        bool is_store;
        bool streaming;
    };

    void access(Access x, const NodeId& origin, const Presence& runs, bool serial) {
        if (allocated_.count(x.buffer))
            return;
        auto& a = accumulator(x.buffer, x.type, x.lanes);
        // Masks are mostly names: what counts is what they stand for.
        if (x.mask)
            x.mask = with_lets(x.mask);
        a.stored = a.stored || x.is_store;
        bool fixed = (!x.mask || is_fixed(x.mask)) &&
                     std::all_of(x.indices.begin(), x.indices.end(),
                                 [&](const ExprPtr& i) { return is_fixed(i); });
        a.possible =
            a.possible && fixed && serial && x.lanes == a.lanes && x.lanes == lanes_of(x.indices);
        if (!a.possible)
            return;
        for (auto& element : a.elements)
            if (same_value(element.indices, x.indices)) {
                element.accessed = element.accessed.or_else(runs);
                element.loaded = element.loaded || (!x.is_store && !element.stored_first);
                element.origin = x.is_store ? origin : element.origin;
                element.streaming = element.streaming || x.streaming;
                a.possible = equal(element.mask, x.mask);
                return;
            }
        // A store under a condition counts: nothing may have been written before it, and the load
        // before the loop would read that.
        a.elements.push_back(
            {x.indices, x.mask, origin, runs, false, !x.is_store, x.is_store, x.streaming});
        a.possible = a.elements.size() <= kMaxAccumulators;
    }

    Accumulator& accumulator(const std::string& buffer, ScalarType type, int lanes) {
        for (auto& a : found_)
            if (a.buffer == buffer)
                return a;
        Accumulator a;
        a.buffer = buffer;
        a.type = type;
        a.lanes = lanes;
        found_.push_back(a);
        return found_.back();
    }

    bool is_fixed(const ExprPtr& e) const {
        bool fixed = true;
        visit(e, [&](const Expr& x) {
            fixed = fixed && !is_load(x) && !(x.kind == ExprKind::Variable && bound_.count(x.name));
            return fixed;
        });
        return fixed;
    }

    static bool accumulates(const Accumulator& a) {
        return std::all_of(a.elements.begin(), a.elements.end(),
                           [](const Element& e) { return e.loaded; });
    }

    // Each two elements differ by a constant in some dimension, by more than their lanes reach.
    bool apart(const Accumulator& a) const {
        std::vector<std::vector<std::optional<Affine>>> forms;
        for (const auto& e : a.elements) {
            forms.emplace_back();
            for (const auto& i : e.indices)
                forms.back().push_back(scope_.affine(i));
        }
        for (std::size_t i = 0; i < forms.size(); ++i)
            for (std::size_t j = i + 1; j < forms.size(); ++j)
                if (!apart(forms[i], forms[j], a.lanes))
                    return false;
        return true;
    }

    static bool apart(const std::vector<std::optional<Affine>>& a,
                      const std::vector<std::optional<Affine>>& b, int lanes) {
        for (std::size_t d = 0; d < a.size(); ++d) {
            auto between = a[d] && b[d] ? difference(*a[d], *b[d]) : std::nullopt;
            if (!between || !between->is_constant())
                continue;
            auto stride = std::abs(a[d]->coefficient(lane_atom(lanes)));
            auto gap = std::abs(between->constant);
            if (gap > stride * (lanes - 1) || (stride > 1 && gap % stride != 0))
                return true;
        }
        return false;
    }

    const Statement& loop_;
    KnownFacts& scope_;
    std::unordered_set<std::string> bound_, allocated_;
    std::unordered_map<std::string, std::vector<const Expr*>> masked_lets_; // what lets load
    std::vector<Accumulator> found_;
};

} // namespace

Presence Presence::or_else(const Presence& other) const {
    if (always() || other.always())
        return {};
    auto within = [](const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
        return std::all_of(a.begin(), a.end(), [&](const ExprPtr& x) {
            return std::any_of(b.begin(), b.end(), [&](const ExprPtr& y) { return equal(x, y); });
        });
    };
    if (known && other.known && within(conditions, other.conditions))
        return *this;
    if (known && other.known && within(other.conditions, conditions))
        return other;
    return {false, {}, {}};
}

std::vector<Accumulator> accumulators_of(const StatementPtr& loop, KnownFacts& scope) {
    return AccumulatorCollector(loop, scope).take();
}

} // namespace loopscope::lower
