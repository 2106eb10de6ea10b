// lane_accumulators: a reduction over a vectorised axis inside other reduction loops keeps one
// accumulator a lane, and combines the lanes once, after the loops.
//
//     for ko in 0..125 {                      allocate s.lanes: f32[8] in register
//         vectorised for ki in 0..8 {         vectorised for ki.first in 0..8 {
//             s[i] = s[i] + a[ko*8 + ki]  →       s.lanes[ki.first] = -0.0
//         }                                   }
//     }                                       for ko in 0..125 {
//                                                 vectorised for ki in 0..8 {
//                                                     s.lanes[ki] = s.lanes[ki] + a[ko*8 + ki]
//                                             vectorised for ki.last in 0..8 {
//                                                 s[i] = s[i] + s.lanes[ki.last]
//                                             }
//
// An atomic store is combined in accumulators of its own too, also in nests without a vectorised
// loop, and reaches memory that threads share once a nest.
//
// For nests of serial and unrolled loops and one vectorised loop, with lets and ifs between, around
// one combining store or one step of argmin or argmax (reduction.h) whose place none of them
// changes and is inside its buffer for certain: it is now combined with neutral values where no
// iteration stored.
//
// Expects: vectorised loops in place; guards that no loop of the nest changes are outside of it
// (hoist_guards). Guarantees: equal bits but for float sums and products, whose order changes: the
// schedule, which vectorised a reduction axis or asked for atomic stores, marks them as
// reassociating.
#include "compiler/lower/known_facts.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/reduction.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <unordered_set>

namespace loopscope::lower {

namespace {

// A chain of statements with one child each, from a loop down to the step: a combining store, or a
// selection.
struct ReductionNest {
    std::vector<StatementPtr> chain; // without the step
    StatementPtr vectorized;
    StatementPtr step;
    std::optional<Reduction> reduction; // else a selection
    std::optional<Selection> selection;

    bool is_atomic() const { return step->kind == StatementKind::Atomic; }
    std::vector<Place> places() const {
        if (selection)
            return selection->places;
        return {{step->access->buffer, step->value->type, step->access->indices}};
    }
};

std::optional<ReductionNest> match_nest(const StatementPtr& s, KnownFacts& scope) {
    ReductionNest nest;
    int loops = 0;
    auto at = s;
    for (; !writes(*at); at = at->children[0]) {
        if (auto selection = match_selection(*at, scope)) {
            nest.selection = selection;
            break;
        }
        bool loop = at->kind == StatementKind::For;
        bool lanes = loop && at->loop->kind == ForKind::Vectorized;
        bool plain =
            loop && (at->loop->kind == ForKind::Serial || at->loop->kind == ForKind::Unrolled);
        bool branch = at->kind == StatementKind::If && at->children.size() == 1;
        if (!(lanes && !nest.vectorized) && !plain && !branch && at->kind != StatementKind::Let)
            return std::nullopt;
        loops += loop;
        scope.bind(*at);
        if (lanes)
            nest.vectorized = at;
        nest.chain.push_back(at);
    }
    nest.step = at;
    if (at->kind == StatementKind::Atomic)
        nest.reduction = Reduction{at->access->op, true, false, {at->value}};
    else if (!nest.selection)
        nest.reduction = match_reduction(*at);
    bool steps = nest.selection || (nest.reduction && !at->access->mask);
    bool gains = nest.is_atomic() ? loops >= 1 : nest.vectorized && loops >= 2;
    return steps && gains ? std::optional(nest) : std::nullopt;
}

class LaneAccumulators {
public:
    LaneAccumulators(const Program& program, NameSource& names) : names_(names) {
        for (const auto& b : program.buffers)
            extents_[b.buffer] = b.extents;
        for (const auto& a : program.arguments)
            extents_[a.buffer] = a.extents;
    }

    StatementPtr run(const StatementPtr& s) {
        if (s->kind == StatementKind::For)
            if (auto nest = matched(s))
                return rebuilt(*nest);
        StatementScope inside(scope_, *s);
        if (s->kind == StatementKind::Allocate)
            extents_[s->storage->buffer] = s->storage->extents;
        return with_rebuilt_children(s, scope_,
                                     [&](const StatementPtr& child) { return run(child); });
    }

private:
    std::optional<ReductionNest> matched(const StatementPtr& s) {
        auto mark = scope_.mark();
        auto nest = match_nest(s, scope_);
        scope_.restore(mark);
        return nest && is_possible(*nest) ? nest : std::nullopt;
    }

    bool is_possible(const ReductionNest& nest) const {
        std::int64_t lanes = 0;
        if (nest.vectorized && (!constant_value(nest.vectorized->loop->extent, lanes) || lanes < 2))
            return false;
        if (nest.reduction && !neutral_value(*nest.reduction, nest.step->value->type))
            return false;
        std::unordered_set<std::string> bound;
        for (const auto& s : nest.chain)
            bound.insert(s->variable);
        auto places = nest.places();
        if (reads_meanwhile(nest, places))
            return false;
        return std::all_of(places.begin(), places.end(),
                           [&](const Place& place) { return is_fixed(place, bound); });
    }

    // Does anything but the step read a place?
    static bool reads_meanwhile(const ReductionNest& nest, const std::vector<Place>& places) {
        std::vector<ExprPtr> read = nest.selection ? nest.selection->terms : nest.reduction->terms;
        for (const auto& s : nest.chain)
            for (const auto& e : expressions(*s))
                read.push_back(e);
        for (const auto& e : read)
            for (const auto& place : places)
                if (loads_from(e, place.buffer))
                    return true;
        return false;
    }

    // No name of the chain changes the place, and it is inside its buffer for certain.
    bool is_fixed(const Place& place, const std::unordered_set<std::string>& bound) const {
        const auto& extents = extents_.at(place.buffer);
        for (std::size_t d = 0; d < extents.size(); ++d) {
            const auto& index = place.indices[d];
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

    StatementPtr rebuilt(const ReductionNest& nest) {
        auto whole = nest.places();
        auto partial = whole;
        for (auto& place : partial)
            place.buffer = names_.fresh(place.buffer + ".lanes");
        auto first = over_lanes(nest, ".first", partial, [&] { return initial(nest, partial); });
        set_lane(partial, nest.vectorized ? binary(Op::Subtract, loop_variable(*nest.vectorized),
                                                   nest.vectorized->loop->begin)
                                          : constant_int(ScalarType::I32, 0));
        auto body = step(nest, partial);
        for (auto s = nest.chain.rbegin(); s != nest.chain.rend(); ++s)
            body = with_children(*s, {body});
        auto last =
            over_lanes(nest, ".last", partial, [&] { return joined(nest, whole, partial); });
        auto result = block({first, body, last});
        auto lanes =
            nest.vectorized ? static_cast<std::int64_t>(nest.vectorized->loop->extent->bits) : 1;
        for (const auto& place : partial)
            result = allocate(nest.step->origin, place.buffer, place.type, {Extent(lanes)},
                              device::registers(), result);
        return result;
    }

    static ExprPtr loop_variable(const Statement& loop) {
        return variable(loop.variable, loop.loop->begin->type);
    }
    static void set_lane(std::vector<Place>& partial, const ExprPtr& lane) {
        for (auto& place : partial)
            place.indices = {lane};
    }

    // A statement for each lane's accumulators, to which `partial` is set meanwhile.
    StatementPtr over_lanes(const ReductionNest& nest, const char* what,
                            std::vector<Place>& partial,
                            const std::function<StatementPtr()>& body) {
        if (!nest.vectorized) { // one accumulator for all iterations
            set_lane(partial, constant_int(ScalarType::I32, 0));
            return body();
        }
        const auto& loop = *nest.vectorized;
        auto name = names_.fresh(loop.variable + what);
        set_lane(partial, variable(name, loop.loop->begin->type));
        return for_loop(loop.origin, name, constant_int(loop.loop->begin->type, 0),
                        loop.loop->extent, ForKind::Vectorized, body());
    }

    static StatementPtr initial(const ReductionNest& nest, const std::vector<Place>& partial) {
        std::vector<ExprPtr> values;
        if (nest.selection)
            values = reduction_identity(nest.selection->op, {partial[0].type, partial[1].type});
        else
            values = {neutral_value(*nest.reduction, partial[0].type)};
        std::vector<StatementPtr> stores;
        for (std::size_t c = 0; c < partial.size(); ++c)
            stores.push_back(
                store(nest.step->origin, partial[c].buffer, partial[c].indices, values[c]));
        return block(std::move(stores));
    }

    static StatementPtr step(const ReductionNest& nest, const std::vector<Place>& partial) {
        if (nest.selection)
            return selection_step(nest.step->origin, nest.step->variable,
                                  {nest.selection->op, partial, nest.selection->terms});
        const auto& r = *nest.reduction;
        return store(nest.step->origin, partial[0].buffer, partial[0].indices,
                     combined(r, partial[0].load(), r.terms));
    }

    // A lane's accumulator combined into the place.
    StatementPtr joined(const ReductionNest& nest, const std::vector<Place>& whole,
                        const std::vector<Place>& partial) {
        if (nest.selection) {
            std::vector<ExprPtr> terms{partial[0].load(), partial[1].load()};
            return as_streaming(selection_step(nest.step->origin, names_.fresh(nest.step->variable),
                                               {nest.selection->op, whole, terms}),
                                streams(nest.step));
        }
        if (nest.is_atomic())
            return atomic(nest.step->origin, whole[0].buffer, whole[0].indices,
                          nest.step->access->op, partial[0].load());
        auto r = *nest.reduction;
        bool sum = r.op == Op::None || r.op == Op::Subtract;
        r.op = sum ? Op::Add : r.op;
        auto part = partial[0].load();
        return as_streaming(
            store(nest.step->origin, whole[0].buffer, whole[0].indices,
                  combined(r, whole[0].load(), {r.rounded ? cast(ScalarType::F32, part) : part})),
            nest.step->access->streaming);
    }

    NameSource& names_;
    KnownFacts scope_;
    std::unordered_map<std::string, std::vector<Extent>> extents_;
};

} // namespace

Program lane_accumulators(const Program& program, const TargetInfo&) {
    NameSource names(program);
    LaneAccumulators pass(program, names);
    return map_bodies(program, [&](const StatementPtr& body) { return pass.run(body); });
}

} // namespace loopscope::lower
