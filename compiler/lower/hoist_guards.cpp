// hoist_guards: conditions around a loop's whole body that do not depend on the loop move out of
// it; those that only end a serial loop early become its bound.
//
//     for yi in 0..32 {                              if s < 7 {
//         if s < 7 and yo*32 + yi < 100 {     →          for yi in 0..min(32, 100 - yo*32) {
//             out[yo*32 + yi] = 0.0                          out[yo*32 + yi] = 0.0
//
// Expects: any program. Guarantees: no loop's body is an if (without else) of which some part
// neither depends on the loop nor loads; no serial loop's body is an if of which some part is `v +
// e < limit` with e and limit free of the loop, exact (no sum in it can wrap) and without loads.
#include "compiler/lower/fold.h"
#include "compiler/lower/known_facts.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

ExprPtr all_of(const std::vector<ExprPtr>& parts) {
    ExprPtr all;
    for (const auto& part : parts)
        all = all ? binary(Op::LogicalAnd, all, part) : part;
    return all;
}

class Hoisting {
public:
    StatementPtr run(const StatementPtr& s) {
        StatementScope inside(scope_, *s);
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child));
        auto rebuilt = with_children(s, std::move(children));
        // The dimensions of a launch stay one inside the other.
        const bool loops = s->kind == StatementKind::For && s->loop->kind != ForKind::Bound;
        return loops ? loop(rebuilt) : rebuilt;
    }

private:
    StatementPtr loop(const StatementPtr& s) {
        const auto& guard = s->children[0];
        if (guard->kind != StatementKind::If || guard->children.size() != 1)
            return s;
        std::vector<ExprPtr> parts, outside, inside;
        conjuncts(guard->condition, parts);
        auto extent = s->loop->extent;
        for (const auto& part : parts) {
            bool invariant = !uses_variable(part, s->variable);
            ExprPtr shorter =
                invariant || contains_load(part) ? nullptr : bounded(*s, part, extent);
            if (invariant && !contains_load(part))
                outside.push_back(part);
            else if (shorter)
                extent = shorter;
            else
                inside.push_back(part);
        }
        if (inside.size() == parts.size())
            return s;
        auto body = guard->children[0];
        if (auto rest = all_of(inside))
            body = if_then(guard->origin, rest, body);
        auto result = edited(s, [&](Statement& copy) {
            copy.loop->extent = extent;
            copy.children = {body};
        });
        auto condition = all_of(outside);
        return condition ? if_then(guard->origin, condition, result) : result;
    }

    // The extent of a serial loop that runs only while `part` holds; null when it is of another
    // form.
    ExprPtr bounded(const Statement& loop, const ExprPtr& part, const ExprPtr& extent) {
        bool less =
            part->kind == ExprKind::Binary && (part->op == Op::Less || part->op == Op::LessEqual);
        if (loop.loop->kind != ForKind::Serial || !less ||
            part->args[0]->type != loop.loop->begin->type)
            return nullptr;
        auto left = scope_.affine(part->args[0]), limit = scope_.affine(part->args[1]);
        if (!left || !limit ||
            left->coefficient(variable(loop.variable, loop.loop->begin->type)) != 1 ||
            uses_variable(part->args[1], loop.variable))
            return nullptr;
        // v + e < limit as begin + i + e < limit: i < limit - (begin + e), where begin + e is the
        // left side at v = begin.
        auto first = substitute(part->args[0], [&](const std::string& name) {
            return name == loop.variable ? loop.loop->begin : nullptr;
        });
        for (const auto& term : left->terms)
            if (term.atom->kind != ExprKind::Variable && uses_variable(term.atom, loop.variable))
                return nullptr;
        auto trips = binary(Op::Subtract, part->args[1], first);
        if (part->op == Op::LessEqual)
            trips = binary(Op::Add, trips, constant_int(trips->type, 1));
        // it may wrap
        if (!scope_.affine(trips))
            return nullptr;
        return binary(Op::Min, extent, trips);
    }

    KnownFacts scope_;
};

} // namespace

Program hoist_guards(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) { return Hoisting().run(body); });
}

} // namespace loopscope::lower
