// partition: loops are split where guards and clamps stop to matter, so that they cost nothing in
// the interior.
//
//     for yo in 0..4 {                         for yo in 0..3 {
//         for yi in 0..32 {                        for yi in 0..32 { out[yo*32 + yi] = 0.0 }
//             if yo*32 + yi < 100 {      →     }
//                 out[yo*32 + yi] = 0.0        for yo_1 in 3..4 {
//                                                  for yi_1 in 0..32 {
//                                                      if yo_1*32 + yi_1 < 100 { … }
//
// (the guard in the first loop is gone after simplify_partitions). For each loop with constant
// bounds: the iterations in which a condition inside always has the same value form an interval;
// where it holds at least half of all, the loop is split around it. A serial loop becomes up to
// three loops in order; in a parallel loop, whose iterations stay together, the body becomes `if
// interior { body } else { copy }`. Counted are
// - conditions of ifs;
// - integer minima, maxima, selects, absolute values and indices that wrap around (what boundaries
//   make of an index), where they differ between lanes of a vectorised loop inside: left alone they
//   make gathers; where nothing is vectorised, those that the innermost loop changes.
//
// The loops that number a device's blocks count as parallel ones, where clamps move the memory of a
// thread: a copy for the blocks inside, which need none, can keep it in registers. What is copied
// stands inside of all dimensions of the launch; all threads of a block take the same copy, so that
// barriers may be in it. There every minimum counts.
//
// Not counted is whether a pipeline still loads ahead.
//
// Expects: any program; simplify before and after it. Guarantees: the same stores in the same
// order, for a parallel loop in each iteration. No statement is copied so often that there are more
// than kMaxPartitions of it; copies are not split again. Inner loops are served first.
#include "compiler/lower/fold.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/known_facts.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <unordered_set>

namespace loopscope::lower {

namespace {

constexpr int kMaxPartitions = 4;

// Where one condition is decided for the loop's variable, and how much that is worth.
struct Candidate {
    Interval inside;
    bool guard = false;
};

// Collects the candidates of one loop from its body.
class Decisions {
public:
    Decisions(const Statement& loop, const Interval& trips, KnownFacts& scope)
        : variable_(variable(loop.variable, loop.loop->begin->type)),
          trips_(trips),
          scope_(scope),
          of_blocks_(loop.loop->kind == ForKind::Bound) {
        inner_.push_back(loop.variable);
        visit_statements(loop.children[0], [&](const Statement& s) {
            if (s.kind == StatementKind::For && s.loop->kind == ForKind::Vectorized)
                vectorized_.insert(s.variable);
            return true;
        });
    }

    std::vector<Candidate> run(const StatementPtr& body) {
        statement(*body);
        return std::move(candidates_);
    }

private:
    void statement(const Statement& s) {
        auto mark = scope_.mark();
        // Whether to load ahead is one question for all threads: cheaper than a second version of
        // the loop.
        if (s.kind == StatementKind::If && !copies_ahead(s))
            condition(s.condition, true);
        // A bound costs once a loop, whatever it is; of a prefetch each clamp stands for a whole
        // line.
        if (s.kind != StatementKind::For && s.kind != StatementKind::Prefetch)
            for (const auto& e : expressions(s))
                expression(e);
        scope_.bind(s);
        if (s.kind == StatementKind::For)
            inner_.push_back(s.variable);
        for (std::size_t i = 0; i < s.children.size(); ++i) {
            auto branch = scope_.mark();
            if (s.kind == StatementKind::If)
                scope_.assume(s.condition, i == 0);
            statement(*s.children[i]);
            scope_.restore(branch);
        }
        if (s.kind == StatementKind::For)
            inner_.pop_back();
        scope_.restore(mark);
    }

    static bool copies_ahead(const Statement& s) {
        return any_statement(s.children[0],
                             [&](const Statement& x) { return x.kind == StatementKind::Copy; });
    }

    void condition(const ExprPtr& e, bool guard) {
        if (e->kind == ExprKind::Binary && (e->op == Op::LogicalAnd || e->op == Op::LogicalOr)) {
            condition(e->args[0], guard);
            condition(e->args[1], guard);
        } else if (e->kind == ExprKind::Unary && e->op == Op::LogicalNot) {
            condition(e->args[0], guard);
        } else if (e->kind == ExprKind::Binary && e->op >= Op::Less && e->op <= Op::NotEqual) {
            comparison(e->op, e->args[0], e->args[1], guard);
            // Its clamps are to be decided with it.
            visit(e, [&](const Expr& x) {
                if (guard && is_clamp(x))
                    comparison(x.op, x.args[0], x.args[1], guard);
                return true;
            });
        }
    }

    // What an expression decides by comparing: minima, maxima, selects, absolute values, indices
    // that wrap around.
    void expression(const ExprPtr& e) {
        visit(e, [&](const Expr& x) {
            if (x.kind == ExprKind::Select)
                condition(x.args[0], false);
            if (x.kind == ExprKind::Binary && (x.op == Op::Min || x.op == Op::Max))
                comparison(x.op, x.args[0], x.args[1], false);
            if (x.kind == ExprKind::Unary && x.op == Op::Abs && is_integer(x.type))
                comparison(Op::Max, x.args[0], constant_int(x.type, 0), false);
            if (wraps_once(x)) {
                comparison(Op::GreaterEqual, x.args[0], constant_int(x.type, 0), false);
                comparison(Op::Less, x.args[0], x.args[1], false);
            }
            return true;
        });
    }

    // x % n with x in [-n, 2n): what boundaries make of an index that is seldom outside.
    bool wraps_once(const Expr& x) const {
        std::int64_t n = 0;
        if (x.kind != ExprKind::Binary || x.op != Op::Modulo || !constant_value(x.args[1], n) ||
            n < 1)
            return false;
        auto range = scope_.range(x.args[0]);
        return range && range->least >= -n && range->greatest < 2 * n &&
               (range->least < 0 || range->greatest >= n);
    }

    // As it is where no index wraps around and no tile is shifted: min(xo*8, 95) is xo*8.
    ExprPtr unwrapped(const ExprPtr& e) const {
        return loopscope::rewrite(e, [&](const ExprPtr& x) {
            if (wraps_once(*x))
                return x->args[0];
            return is_clamp(*x) ? x->args[uses_variable(x->args[0], variable_->name) ? 0 : 1] : x;
        });
    }

    // A minimum or maximum of which one side alone depends on the loop.
    bool is_clamp(const Expr& x) const {
        bool extreme = x.kind == ExprKind::Binary && (x.op == Op::Min || x.op == Op::Max);
        return extreme && uses_variable(x.args[0], variable_->name) !=
                              uses_variable(x.args[1], variable_->name);
    }

    void comparison(Op op, const ExprPtr& a, const ExprPtr& b, bool guard) {
        if (!is_integer(a->type))
            return;
        auto x = scope_.affine(unwrapped(a)), y = scope_.affine(unwrapped(b));
        auto d = x && y ? difference(*x, *y) : std::nullopt;
        auto slope = d ? d->coefficient(variable_) : 0;
        if (slope == 0 || (!guard && !worthwhile(*d)))
            return;
        auto rest = *d;
        rest.add_term(variable_, -slope);
        auto range = scope_.range(rest);
        if (!range)
            return;
        // Decided where slope*v + rest is always at most `low`, or always at least `high`.
        auto [low, high] = decided(op);
        auto below = at_most(slope, low - range->greatest),
             above = at_least(slope, high - range->least);
        auto inside = below.extent() >= above.extent() ? below : above;
        if (inside.extent() < trips_.extent() && inside.extent() * 2 >= trips_.extent())
            candidates_.push_back({inside, guard});
    }

    static std::pair<std::int64_t, std::int64_t> decided(Op op) {
        switch (op) {
        case Op::Less:
        case Op::GreaterEqual: return {-1, 0};
        case Op::LessEqual:
        case Op::Greater: return {0, 1};
        case Op::Equal:
        case Op::NotEqual: return {-1, 1};
        default: return {0, 0}; // min, max: at 0 either argument will do
        }
    }

    // The v of the loop with slope*v <= bound.
    Interval at_most(std::int64_t slope, std::int64_t bound) const {
        auto inside = trips_;
        if (slope > 0)
            inside.greatest = std::min(inside.greatest, floor_divide(bound, slope));
        else
            inside.least = std::max(inside.least, -floor_divide(bound, -slope));
        return inside;
    }
    Interval at_least(std::int64_t slope, std::int64_t bound) const {
        return at_most(-slope, -bound);
    }

    bool worthwhile(const Affine& d) const {
        if (of_blocks_)
            return true;
        auto depends = [&](const std::string& name) {
            return std::any_of(d.terms.begin(), d.terms.end(),
                               [&](const Affine::Term& t) { return uses_variable(t.atom, name); });
        };
        if (vectorized_.empty())
            return depends(inner_.back());
        return std::any_of(vectorized_.begin(), vectorized_.end(), depends);
    }

    ExprPtr variable_;
    Interval trips_;
    KnownFacts& scope_;
    bool of_blocks_;
    std::vector<std::string> inner_;
    std::unordered_set<std::string> vectorized_;
    std::vector<Candidate> candidates_;
};

class Partitioner {
public:
    explicit Partitioner(NameSource& names) : names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        int copies = 1;
        return run(s, copies);
    }

private:
    // `copies`: receives the most copies of any statement below, this one included.
    StatementPtr run(const StatementPtr& s, int& copies) {
        StatementScope inside(scope_, *s);
        copies = 1;
        auto rebuilt = with_rebuilt_children(s, scope_, [&](const StatementPtr& child) {
            int below = 1;
            auto result = run(child, below);
            copies = std::max(copies, below);
            return result;
        });
        return s->kind == StatementKind::For ? loop(s, rebuilt, copies) : rebuilt;
    }

    // `original` is what the tails copy; `inner` has its inner loops split.
    StatementPtr loop(const StatementPtr& original, const StatementPtr& inner, int& copies) {
        std::int64_t begin = 0, extent = 0;
        bool constant = constant_value(original->loop->begin, begin) &&
                        constant_value(original->loop->extent, extent);
        bool of_blocks = numbers_blocks(*original) && moves_private_memory(*original);
        bool kind = original->loop->kind == ForKind::Serial ||
                    original->loop->kind == ForKind::Parallel || of_blocks;
        if (!constant || !kind || extent < 2)
            return inner;
        Interval trips{begin, begin + extent - 1};
        bool parallel = original->loop->kind != ForKind::Serial;
        auto inside = interior(original, trips, kMaxPartitions - copies, parallel);
        if (inside == trips)
            return inner;
        copies += tails(inside, trips, parallel);
        return parallel ? guarded(original, inner, inside, trips)
                        : split(original, inner, inside, trips);
    }

    static int tails(const Interval& inside, const Interval& trips, bool parallel) {
        int sides = (inside.least > trips.least) + (inside.greatest < trips.greatest);
        return parallel ? std::min(sides, 1) : sides;
    }

    Interval interior(const StatementPtr& loop, const Interval& trips, int most_tails,
                      bool parallel) {
        auto candidates = Decisions(*loop, trips, scope_).run(loop->children[0]);
        std::stable_sort(candidates.begin(), candidates.end(),
                         [](const auto& a, const auto& b) { return a.guard > b.guard; });
        auto inside = trips;
        for (const auto& c : candidates) {
            Interval both{std::max(inside.least, c.inside.least),
                          std::min(inside.greatest, c.inside.greatest)};
            if (both.extent() * 2 >= trips.extent() && tails(both, trips, parallel) <= most_tails)
                inside = both;
        }
        return inside;
    }

    StatementPtr split(const StatementPtr& original, const StatementPtr& inner,
                       const Interval& inside, const Interval& trips) {
        std::vector<StatementPtr> parts;
        if (inside.least > trips.least)
            parts.push_back(over(names_.copy(original), {trips.least, inside.least - 1}));
        parts.push_back(over(inner, inside));
        if (inside.greatest < trips.greatest)
            parts.push_back(over(names_.copy(original), {inside.greatest + 1, trips.greatest}));
        return block(std::move(parts));
    }

    static StatementPtr over(const StatementPtr& loop, const Interval& trips) {
        return edited(loop, [&](Statement& copy) {
            copy.loop->begin = constant_int(copy.loop->begin->type, trips.least);
            copy.loop->extent = constant_int(copy.loop->begin->type, trips.extent());
        });
    }

    StatementPtr guarded(const StatementPtr& original, const StatementPtr& inner,
                         const Interval& inside, const Interval& trips) {
        auto type = original->loop->begin->type;
        auto self = variable(original->variable, type);
        ExprPtr condition;
        if (inside.least > trips.least)
            condition = binary(Op::GreaterEqual, self, constant_int(type, inside.least));
        if (inside.greatest < trips.greatest) {
            auto below = binary(Op::Less, self, constant_int(type, inside.greatest + 1));
            condition = condition ? binary(Op::LogicalAnd, condition, below) : below;
        }
        const auto& first = inner->children[0];
        auto body = inside_dimensions(first);
        if (body == of_blocks_) // two dimensions decide together: there is one copy
            of_blocks_ = if_then(body->origin, binary(Op::LogicalAnd, body->condition, condition),
                                 body->children[0], body->children[1]);
        else
            of_blocks_ = if_then(original->origin, condition, body,
                                 names_.copy(inside_dimensions(original->children[0])));
        return with_children(inner, {detail::around_inside(first, of_blocks_)});
    }

    // Below the loops that number blocks and threads: the dimensions of a launch have nothing
    // between them.
    static StatementPtr inside_dimensions(StatementPtr s) {
        while (s->kind == StatementKind::For && s->loop->kind == ForKind::Bound)
            s = s->children[0];
        return s;
    }

    static bool numbers_blocks(const Statement& loop) {
        const auto unit = level_unit(loop.loop->level);
        return loop.loop->kind == ForKind::Bound && (unit == "block" || unit == "cluster") &&
               loop.loop->level != kBlockLevel;
    }

    // Is a thread's own memory accessed at an index that depends on the block? That is where a
    // region is clamped in the last blocks; memory that is so addressed cannot be in registers. A
    // pipeline's steps have names, and are not copied.
    static bool moves_private_memory(const Statement& loop) {
        std::unordered_set<std::string> mine, moving{loop.variable};
        bool steps = false, found = false;
        auto moves = [&](const ExprPtr& e) {
            bool any = false;
            visit(e, [&](const Expr& x) {
                any = any || (x.kind == ExprKind::Variable && moving.count(x.name));
                return !any;
            });
            return any;
        };
        visit_statements(loop.children[0], [&](const Statement& s) {
            steps = steps || s.kind == StatementKind::Acquire || s.kind == StatementKind::Commit ||
                    s.kind == StatementKind::Wait || s.kind == StatementKind::Release;
            if (allocates_own(s))
                mine.insert(s.storage->buffer);
            if (s.kind == StatementKind::Let && moves(s.value))
                moving.insert(s.variable);
            if (has_place(s) && mine.count(s.access->buffer))
                found =
                    found || std::any_of(s.access->indices.begin(), s.access->indices.end(), moves);
            for (const auto& e : expressions(s))
                visit(e, [&](const Expr& x) {
                    if (x.kind == ExprKind::Load && mine.count(x.name))
                        found = found || std::any_of(x.args.begin(), x.args.end(), moves);
                    return !found;
                });
            return true;
        });
        return found && !steps;
    }

    KnownFacts scope_;
    NameSource& names_;
    StatementPtr of_blocks_; // where inner loops that number blocks have been partitioned
};

} // namespace

Program partition(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program,
                      [&](const StatementPtr& body) { return Partitioner(names).run(body); });
}

} // namespace loopscope::lower
