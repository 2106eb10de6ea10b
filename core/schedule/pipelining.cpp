#include "core/schedule/pipelining.h"

#include "core/schedule/loop_kinds.h"
#include "core/schedule/loop_paths.h"
#include "core/schedule/merge_terms.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"

#include <algorithm>

namespace loopscope {

namespace {

std::string ahead_text(std::int64_t copies) {
    return std::to_string(copies - 1) + (copies == 2 ? " iteration" : " iterations") + " ahead";
}

bool is_inside(LoopPaths& paths, const StageState& inner, const StageState& outer) {
    if (inner.compute.kind != Placement::Kind::At)
        return false;
    return paths.around(inner.name).any_of_stage(outer.name);
}

// Does the stage, which is computed inside the pipelined one, keep what it computes from one run of
// that to the next?
bool outlives(LoopPaths& paths, const StageState& inner, const StageState& pipelined) {
    if (inner.store == inner.compute)
        return false;
    return inner.store.kind != Placement::Kind::At ||
           paths.around(pipelined.name).contains(inner.store.at);
}

bool runs_in_turn(const LoopState& loop) { return !runs_at_once(loop); }

Status check_place(const ScheduleState& state, const StageState& stage) {
    const auto& name = stage.name;
    if (stage.compute.kind == Placement::Kind::Root)
        return coded_error("pipeline",
                           name + " is computed at root, before all that reads it: there is no "
                                  "iteration that it could be ahead of",
                           placement_first(state, name, runs_in_turn));
    if (stage.compute.kind == Placement::Kind::Inline)
        return coded_error("pipeline", name + " is inlined: nothing computes it ahead",
                           name + ".compute_at(…) gives it a place again");
    if (!(stage.store == stage.compute))
        return coded_error("pipeline",
                           name +
                               " is stored outside of the loop at which it is computed, where it "
                               "keeps what earlier iterations computed; slots that rotate keep "
                               "nothing",
                           "leave out its store_at or store_root, or its pipeline");
    const auto& loop = loop_of(state, stage.compute.at);
    if (runs_at_once(loop))
        return coded_error("pipeline",
                           name + " cannot be computed ahead at " +
                               loop_text(state, stage.compute.at) + ", which is " +
                               kind_text(loop) + ": its iterations run at once, and none is ahead",
                           "pipeline it at a serial loop");
    return success();
}

// Is what the reader, the pipelined stage or one inside of it, reads there when that is computed
// ahead?
Status check_sources(const ScheduleState& state, const ReadGraph& graph, LoopPaths& paths,
                     const StageState& stage, const StageState& reader) {
    const auto place = paths.around(stage.name);
    for (std::size_t d = 0; d < reader.definitions.size(); ++d)
        for (const auto& source : graph.reads(reader.name, static_cast<int>(d))) {
            const StageState* producer = state.find(source);
            if (source == reader.name || !producer ||
                producer->compute.kind != Placement::Kind::At ||
                producer->pipeline >= stage.pipeline || !(paths.around(source) == place))
                continue;
            const auto line = ".pipeline(" + std::to_string(stage.pipeline) + ")";
            return coded_error(
                "pipeline",
                stage.name + " would be computed " + ahead_text(stage.pipeline) + " at " +
                    loop_text(state, stage.compute.at) + ", and " + source + ", which " +
                    (&reader == &stage ? "it" : reader.name + " inside of it") +
                    " reads, is computed there " +
                    (producer->pipeline > 1 ? ahead_text(producer->pipeline) : "when needed"),
                source + line + " before " + stage.name + line + ", or compute " + source +
                    " further out, or inside " + stage.name);
        }
    return success();
}

} // namespace

Placement storage_place(const ScheduleState& state, const StageState& stage) {
    if (stage.pipeline < 2 || stage.compute.kind != Placement::Kind::At)
        return stage.store;
    const auto path = loops_around(state, stage.name);
    return path.size() < 2 ? Placement{} : Placement{Placement::Kind::At, path[path.size() - 2]};
}

Status check_pipeline(const ScheduleState& state, const ReadGraph& graph, LoopPaths& paths,
                      const StageState& stage) {
    if (stage.pipeline < 2)
        return success();
    if (auto place = check_place(state, stage); !place)
        return place;
    if (auto sources = check_sources(state, graph, paths, stage, stage); !sources)
        return sources;
    for (const auto& inner : state.stages) {
        if (!is_inside(paths, *inner, stage))
            continue;
        if (outlives(paths, *inner, stage))
            return coded_error("pipeline",
                               inner->name + ", which is computed inside " + stage.name +
                                   ", keeps what it computes from one iteration of " +
                                   loop_text(state, stage.compute.at) + " to the next; " +
                                   stage.name + " is computed ahead there",
                               "store " + inner->name + " inside " + stage.name +
                                   ", or leave out one of the two lines");
        if (auto sources = check_sources(state, graph, paths, stage, *inner); !sources)
            return sources;
    }
    return success();
}

Status check_not_pipelined(const StageState& stage, const std::string& why) {
    if (stage.pipeline < 2)
        return success();
    const auto line = stage.name + ".pipeline(" + std::to_string(stage.pipeline) + ")";
    return coded_error("pipeline", stage.name + " " + why + ", and it is pipelined, by " + line,
                       "leave out " + line);
}

Status check_may_be_pipelined(const ScheduleState& state, const std::string& stage,
                              std::int64_t copies) {
    auto pipelined = *state.find(stage);
    const MergeGroups groups(state);
    for (std::size_t d = 0; d < pipelined.definitions.size(); ++d) {
        const DefinitionKey own{stage, static_cast<int>(d)};
        const auto* group = groups.of(own);
        if (!group)
            continue;
        const auto& other = group->front() == own ? group->back() : group->front();
        return coded_error("pipeline",
                           merging::text(own) + " shares loops with " + merging::text(other) +
                               ", in whose iterations it runs, and none ahead",
                           "leave out the compute_with that merges them");
    }
    pipelined.pipeline = copies;
    LoopPaths paths(state);
    return check_pipeline(state, *read_graph(state), paths, pipelined);
}

} // namespace loopscope
