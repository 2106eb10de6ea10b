// lane_accumulators: a reduction over a vectorised axis inside other reduction loops keeps one accumulator a lane, and
// combines the lanes once, after the loops.
//
//     for ko in 0..125 {                        allocate s.lanes: f32[8] in register
//         vectorised for ki in 0..8 {           vectorised for ki.first in 0..8 { s.lanes[ki.first] = -0.0 }
//             s[i] = s[i] + a[ko*8 + ki]    →   for ko in 0..125 {
//         }                                         vectorised for ki in 0..8 {
//     }                                                 s.lanes[ki] = s.lanes[ki] + a[ko*8 + ki]
//                                               vectorised for ki.last in 0..8 { s[i] = s[i] + s.lanes[ki.last] }
//
// For nests of serial and unrolled loops and one vectorised loop, with lets and ifs between, around one combining store
// (reduction.h) whose place none of them changes and is inside its buffer for certain: it is now combined with neutral
// values where no iteration stored.
//
// Expects: vectorised loops in place; guards that no loop of the nest changes are outside of it (hoist_guards).
// Guarantees: equal bits but for float sums and products, whose order changes: the schedule, which vectorised a
// reduction axis, marks them as reassociating.
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/reduction.h"
#include "compiler/lower/scope.h"
#include "compiler/lower/statements.h"

#include <unordered_set>

namespace loopscope::lower {

namespace {

// A chain of statements with one child each, from a loop down to the store.
struct Nest {
    std::vector<StatementPtr> chain; // without the store
    StatementPtr vectorised;
    StatementPtr store;
    Reduction reduction;
};

std::optional<Nest> match_nest(const StatementPtr& s) {
    Nest nest;
    int loops = 0;
    auto at = s;
    for (; at->kind != StatementKind::Store; at = at->children[0]) {
        bool loop = at->kind == StatementKind::For;
        bool lanes = loop && at->for_kind == ForKind::Vectorised;
        bool plain = loop && (at->for_kind == ForKind::Serial || at->for_kind == ForKind::Unrolled);
        bool branch = at->kind == StatementKind::If && at->children.size() == 1;
        if (!(lanes && !nest.vectorised) && !plain && !branch && at->kind != StatementKind::Let)
            return std::nullopt;
        loops += loop;
        if (lanes)
            nest.vectorised = at;
        nest.chain.push_back(at);
    }
    auto r = match_reduction(*at);
    if (!r || !nest.vectorised || loops < 2)
        return std::nullopt;
    nest.store = at;
    nest.reduction = *r;
    return nest;
}

class LaneAccumulators {
public:
    LaneAccumulators(const Program& program, NameSource& names) : names_(names) {
        for (const auto& a : program.arguments)
            extents_[a.buffer] = a.extents;
    }

    StatementPtr run(const StatementPtr& s) {
        if (s->kind == StatementKind::For)
            if (auto nest = match_nest(s); nest && is_possible(*nest))
                return rebuilt(*nest);
        auto mark = scope_.mark();
        if (s->kind == StatementKind::For)
            scope_.bind_loop(s->name, s->begin, s->extent);
        if (s->kind == StatementKind::Let)
            scope_.bind_let(s->name, s->value);
        if (s->kind == StatementKind::Allocate)
            extents_[s->buffer] = s->extents;
        std::vector<StatementPtr> children;
        for (std::size_t i = 0; i < s->children.size(); ++i) {
            auto branch = scope_.mark();
            if (s->kind == StatementKind::If)
                scope_.assume(s->condition, i == 0);
            children.push_back(run(s->children[i]));
            scope_.restore(branch);
        }
        scope_.restore(mark);
        return with_children(s, std::move(children));
    }

private:
    bool is_possible(const Nest& nest) const {
        std::int64_t lanes = 0;
        if (!constant_value(nest.vectorised->extent, lanes) || lanes < 2 || nest.store->mask)
            return false;
        if (neutral_terms(nest.reduction, nest.store->value->type).empty())
            return false;
        std::unordered_set<std::string> bound;
        for (const auto& s : nest.chain)
            bound.insert(s->name);
        const auto& extents = extents_.at(nest.store->buffer);
        for (std::size_t d = 0; d < extents.size(); ++d) {
            const auto& index = nest.store->indices[d];
            bool changes = contains_load(index);
            visit(index, [&](const Expr& x) {
                changes = changes || (x.kind == ExprKind::Variable && bound.count(x.name));
                return !changes;
            });
            auto range = scope_.range(index);
            bool inside = range && extents[d].is_constant() && range->least >= 0 &&
                          range->greatest < extents[d].constant();
            if (changes || !inside)
                return false;
        }
        return true;
    }

    StatementPtr rebuilt(const Nest& nest) {
        const auto& loop = *nest.vectorised;
        const auto& step = *nest.store;
        auto type = step.value->type;
        auto partial = names_.fresh(step.buffer + ".lanes");
        auto over_lanes = [&](const char* what,
                              const std::function<StatementPtr(const ExprPtr&)>& body) {
            auto name = names_.fresh(loop.name + what);
            auto zero = constant_int(loop.begin->type, 0);
            return for_loop(loop.origin, name, zero, loop.extent, ForKind::Vectorised,
                            body(variable(name, loop.begin->type)));
        };
        auto first = over_lanes(".first", [&](const ExprPtr& lane) {
            // fma accumulates sums; what is neutral for it is its product -0.
            return store(step.origin, partial, {lane}, neutral_terms(nest.reduction, type)[0]);
        });
        auto place = binary(Op::Subtract, variable(loop.name, loop.begin->type), loop.begin);
        auto nest_body =
            store(step.origin, partial, {place}, accumulated(nest, load(partial, type, {place})));
        for (auto s = nest.chain.rbegin(); s != nest.chain.rend(); ++s)
            nest_body = with_children(*s, {nest_body});
        auto last = over_lanes(".last", [&](const ExprPtr& lane) {
            auto op = nest.reduction.op == Op::None || nest.reduction.op == Op::Subtract
                          ? Op::Add
                          : nest.reduction.op;
            auto whole = load(step.buffer, type, step.indices), part = load(partial, type, {lane});
            return store(step.origin, step.buffer, step.indices,
                         nest.reduction.place_first ? binary(op, whole, part)
                                                    : binary(op, part, whole));
        });
        auto lanes = Extent(static_cast<std::int64_t>(loop.extent->bits));
        return allocate(step.origin, partial, type, {lanes}, "register",
                        block({first, nest_body, last}));
    }

    static ExprPtr accumulated(const Nest& nest, const ExprPtr& accumulator) {
        const auto& r = nest.reduction;
        if (r.op == Op::None)
            return fma(r.terms[0], r.terms[1], accumulator);
        return r.place_first ? binary(r.op, accumulator, r.terms[0])
                             : binary(r.op, r.terms[0], accumulator);
    }

    NameSource& names_;
    Scope scope_;
    std::unordered_map<std::string, std::vector<Extent>> extents_;
};

} // namespace

Program lane_accumulators(const Program& program, const TargetInfo&) {
    NameSource names(program);
    LaneAccumulators pass(program, names);
    return map_bodies(program, [&](const StatementPtr& body) { return pass.run(body); });
}

} // namespace loopscope::lower
