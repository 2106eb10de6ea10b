// simplify: expressions in canonical form, and no statement that ranges show to be useless.
//
//     for yo in 0..32 {                      for yo in 0..32 {
//         let unused = yo + 1                    for yi in 0..32 {
//         for yi in 0..32 {              →           out[yo*32 + yi] = A[max(yo*32 + yi - 1, 0)]
//             if yi + yo*32 < 1024 {             }
//                 for one in 0..1 {          }
//                     out[32*yo + yi + one] = A[min(max(yi + 32*yo - 1, 0), 1023)]
//
// Expects: any program. Guarantees: the same stores of the same bits in the same order; sums of
// integers in canonical order; constants folded; conditions, minima and maxima that ranges decide
// are gone, and so are unused lets, loops of one iteration or none, and empty statements.
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"

#include <unordered_set>

namespace loopscope::lower {

namespace {

class Simplifier {
public:
    StatementPtr run(const StatementPtr& s) {
        switch (s->kind) {
        case StatementKind::Block: return block(s);
        case StatementKind::For: return loop(s);
        case StatementKind::If: return condition(s);
        case StatementKind::Let: return let(s);
        case StatementKind::Store:
        case StatementKind::Atomic:
        case StatementKind::Copy: return store(s);
        case StatementKind::Allocate: {
            auto body = run(s->children[0]);
            return is_empty(body) ? body : with_children(s, {body});
        }
        case StatementKind::Threads: {
            auto body = run(s->children[0]);
            return is_empty(body) ? body : with_children(s, {body});
        }
        case StatementKind::Prefetch:
        case StatementKind::Evaluate:
        case StatementKind::Barrier:
        case StatementKind::Acquire:
        case StatementKind::Commit:
        case StatementKind::Wait:
        case StatementKind::Release:
        case StatementKind::BulkCopy:
        case StatementKind::Intrinsic:
            return map_expressions(s, [&](const ExprPtr& e) { return simplify_.run(e); });
        }
        return s;
    }

private:
    StatementPtr block(const StatementPtr& s) {
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            if (auto simple = run(child); !is_empty(simple))
                children.push_back(simple);
        return with_children(s, std::move(children));
    }

    StatementPtr loop(const StatementPtr& s) {
        auto begin = simplify_.run(s->loop->begin), extent = simplify_.run(s->loop->extent);
        auto trips = scope_.range(extent);
        if (trips && trips->greatest < 1)
            return empty_block();
        // One of all threads is one thread's work.
        const bool shared = s->loop->kind == ForKind::Bound && s->loop->level == kThreadsLevel;
        if (trips && trips->least == 1 && trips->greatest == 1 && !contains_load(begin) &&
            !shared) {
            simplify_.replacements[s->variable] = begin;
            return run(s->children[0]);
        }
        auto mark = scope_.mark();
        scope_.bind_loop(s->variable, begin, extent);
        auto body = run(s->children[0]);
        scope_.restore(mark);
        if (is_empty(body))
            return body;
        if (begin == s->loop->begin && extent == s->loop->extent)
            return with_children(s, {body});
        return edited(s, [&](Statement& copy) {
            copy.loop->begin = begin;
            copy.loop->extent = extent;
            copy.children = {body};
        });
    }

    StatementPtr branch(const StatementPtr& s, const ExprPtr& condition, bool holds) {
        auto mark = scope_.mark();
        scope_.assume(condition, holds);
        auto body = run(s);
        scope_.restore(mark);
        return body;
    }

    StatementPtr condition(const StatementPtr& s) {
        auto condition = simplify_.run(s->condition);
        if (is_constant(condition)) {
            std::size_t chosen = condition->bits ? 0 : 1;
            return chosen < s->children.size() ? run(s->children[chosen]) : empty_block();
        }
        auto then = branch(s->children[0], condition, true);
        auto otherwise =
            s->children.size() > 1 ? branch(s->children[1], condition, false) : empty_block();
        if (is_empty(then) && is_empty(otherwise))
            return then;
        if (is_empty(then))
            return if_then(s->origin, simplify_.run(unary(Op::LogicalNot, condition)), otherwise);
        return if_then(s->origin, condition, then, otherwise);
    }

    StatementPtr let(const StatementPtr& s) {
        auto value = simplify_.run(s->value);
        if (is_replaceable(value)) {
            simplify_.replacements[s->variable] = value;
            return run(s->children[0]);
        }
        scope_.bind_let(s->variable, value);
        auto body = run(s->children[0]);
        if (is_empty(body))
            return body;
        return value == s->value ? with_children(s, {body})
                                 : let_statement(s->origin, s->variable, value, body);
    }

    StatementPtr store(const StatementPtr& s) {
        auto simple = map_expressions(s, [&](const ExprPtr& e) { return simplify_.run(e); });
        std::int64_t on = 0;
        if (simple->access->mask && uniform_constant(simple->access->mask, on)) {
            if (!on)
                return empty_block();
            simple = edited(simple, [](Statement& copy) { copy.access->mask = nullptr; });
        }
        // What is zero all the same is stored.
        const auto loads = is_load(*simple->value);
        if (simple->kind == StatementKind::Copy && !loads)
            simple = as_store(simple);
        // An atomic store combines once a lane, also where all lanes are the same.
        return simple->kind == StatementKind::Store ? with_scalar_indices(simple) : simple;
    }

    // Where one index is a vector the others may be scalars; a store of one value to one place is a
    // scalar store.
    static StatementPtr with_scalar_indices(const StatementPtr& s) {
        bool vector = false, broadcasts = false;
        for (const auto& index : s->access->indices) {
            vector = vector || !uniform_value(index);
            broadcasts = broadcasts || (index->lanes > 1 && uniform_value(index));
        }
        bool one_value =
            s->value->lanes > 1 && uniform_value(s->value) && !vector && !s->access->mask;
        if (!one_value && !(broadcasts && (vector || s->value->lanes > 1)))
            return s;
        return edited(s, [&](Statement& copy) {
            for (auto& index : copy.access->indices)
                if (auto scalar = uniform_value(index))
                    index = scalar;
            if (one_value)
                copy.value = uniform_value(copy.value);
        });
    }

    KnownFacts scope_;
    ExpressionSimplifier simplify_{scope_};
};

// Bodies come before the lets around them, so that a let that only another unused one uses goes
// too.
class DeadLets {
public:
    StatementPtr run(const StatementPtr& s) {
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child));
        if (s->kind == StatementKind::Let && !used_.count(s->variable))
            return children[0];
        for (const auto& e : expressions(*s))
            visit(e, [&](const Expr& x) {
                if (x.kind == ExprKind::Variable)
                    used_.insert(x.name);
                return true;
            });
        return with_children(s, std::move(children));
    }

private:
    std::unordered_set<std::string> used_;
};

} // namespace

Program simplify(const Program& program, const TargetInfo&) {
    return map_bodies(
        program, [](const StatementPtr& body) { return DeadLets().run(Simplifier().run(body)); });
}

} // namespace loopscope::lower
