// Bugs of legality: a state that it refuses is taken as if it had not. The tree is made of it, and
// lowered.

#include "tests/fuzz/planted_bugs.h"

#include "core/schedule/legality.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"
#include "core/schedule/reads.h"
#include "core/schedule/region.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

using Change = std::function<bool(DefinitionState&)>; // false: it does not apply
using Refused = std::function<bool(const ScheduleState&, const std::string&, int)>;

bool nest_refused(const ScheduleState& state, const std::string& stage, int definition) {
    return !check_nest(state, stage, definition);
}

// The first definition and place where the change makes what is refused; `changes` tries them one
// after another.
bool plant(ScheduleState& state, const std::function<bool(DefinitionState&, std::size_t)>& change,
           const Refused& refused) {
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d)
            for (std::size_t i = 0; i < stage->definitions[d].loops.size(); ++i) {
                auto planted = state;
                if (!change(planted.edit(stage->name).definitions[d], i) ||
                    !refused(planted, stage->name, static_cast<int>(d)))
                    continue;
                state = std::move(planted);
                return true;
            }
    return false;
}

bool run_as(DefinitionState& nest, std::size_t loop, LoopKind kind) {
    auto& l = nest.loops[loop];
    if (nest.atomic || l.kind != LoopKind::Serial || !l.binding.empty())
        return false;
    l.kind = kind;
    return true;
}

// A loop whose iterations depend on each other is parallel.
bool parallel_carried(ScheduleState& state) {
    return plant(
        state, [](auto& nest, std::size_t i) { return run_as(nest, i, LoopKind::Parallel); },
        nest_refused);
}

// … or vectorised. That a vector stands in another is refused too, and is no dependence.
bool vector_carried(ScheduleState& state) {
    return plant(
        state, [](auto& nest, std::size_t i) { return run_as(nest, i, LoopKind::Vectorized); },
        [](const auto& planted, const std::string& stage, int d) {
            auto legal = check_nest(planted, stage, d);
            return !legal && legal.errors()[0].code == kCodeVectorDependence;
        });
}

// Neighbouring loops exchange iterations that depend on each other.
bool exchanged_loops(ScheduleState& state) {
    return plant(
        state,
        [](auto& nest, std::size_t i) {
            if (i + 1 >= nest.loops.size())
                return false;
            std::swap(nest.loops[i], nest.loops[i + 1]);
            return nest.loops[i].kind == LoopKind::Serial &&
                   nest.loops[i + 1].kind == LoopKind::Serial;
        },
        nest_refused);
}

// The tail of a split that a definition cannot have: `tail` on what combines or accumulates.
bool wrong_tail(ScheduleState& state, Tail tail, bool reductions) {
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            const auto* definition = state.definition(stage->name, static_cast<int>(d));
            if (!definition || definition->kind == DefinitionKind::Pure)
                continue;
            auto planted = state;
            auto& nest = planted.edit(stage->name).definitions[d];
            bool changed = false;
            for (auto& r : nest.relations) {
                const auto loop = std::find_if(nest.loops.begin(), nest.loops.end(), [&](auto& l) {
                    return l.id == r.inner && l.reduction == reductions;
                });
                if (r.kind != Relation::Kind::Split || r.tail != Tail::Guard ||
                    loop == nest.loops.end())
                    continue;
                r.tail = tail;
                changed = true;
            }
            if (!changed)
                continue;
            state = std::move(planted);
            return true;
        }
    return false;
}

bool shifted_update(ScheduleState& state) { return wrong_tail(state, Tail::Shift, false); }
bool padded_reduction(ScheduleState& state) { return wrong_tail(state, Tail::Pad, true); }

// A stage that keeps what it computes is computed in iterations that run at once.
bool shared_window(ScheduleState& state) {
    for (const auto& stage : state.stages) {
        if (stage->compute.kind != Placement::Kind::At || stage->store == stage->compute)
            continue;
        const auto& at = stage->compute.at;
        auto planted = state;
        auto& nest = planted.edit(at.stage).definitions[static_cast<std::size_t>(at.definition)];
        const auto p = nest.position_of(at.loop);
        if (p < 0 || !run_as(nest, static_cast<std::size_t>(p), LoopKind::Parallel) ||
            !check_nest(planted, at.stage, at.definition) || check_store(planted, stage->name))
            continue;
        state = std::move(planted);
        return true;
    }
    return false;
}

// Loops are shared although a definition reads what the other has not computed yet.
bool unproven_merge(ScheduleState& state) {
    for (const auto& earlier : state.stages)
        for (const auto& later : state.stages) {
            if (earlier->name == later->name || !(earlier->compute == later->compute) ||
                later->definitions[0].with || later->definitions[0].loops.empty() ||
                earlier->definitions[0].loops.empty() ||
                !read_graph(state)->reads(later->name, 0).count(earlier->name))
                continue;
            // The other must not share this one's loops already.
            if (merge_head(state, {earlier->name, 0}).first == later->name)
                continue;
            auto planted = state;
            planted.edit(later->name).definitions[0].with =
                LoopRef{earlier->name, 0, earlier->definitions[0].loops[0].id};
            if (!check_merges(planted, *read_graph(planted)))
                continue;
            auto layout = infer_layout(planted, derive(planted).pipeline);
            if (!layout ||
                layout->stages.at(earlier->name).nests[0].extents[0] !=
                    layout->stages.at(later->name).nests[0].extents[0] ||
                check_merged_order(planted, *layout))
                continue;
            state = std::move(planted);
            return true;
        }
    return false;
}

} // namespace

std::vector<PlantedBug> planted_legality_bugs() {
    return {
        {"a carried loop runs in parallel", {}, {}, parallel_carried},
        {"a carried loop is vectorised", {}, {}, vector_carried},
        {"dependent iterations change places", {}, {}, exchanged_loops},
        {"a shifted tail of what combines", {}, {}, shifted_update},
        {"a padded tail of a reduction axis", {}, {}, padded_reduction},
        {"a window kept across a parallel loop", {}, {}, shared_window},
        {"a merge that reads too early", {}, {}, unproven_merge},
    };
}

} // namespace loopscope::fuzz
