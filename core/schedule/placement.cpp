#include "core/schedule/placement.h"

#include "core/schedule/identity.h"
#include "core/schedule/inferred.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/loop_paths.h"
#include "core/schedule/merging.h"
#include "core/schedule/pipelining.h"
#include "core/schedule/prefetching.h"
#include "core/schedule/tensorizing.h"

#include <algorithm>
#include <optional>
#include <set>

namespace loopscope {

namespace {

constexpr std::size_t kShownPlacements = 8;

using Path = std::vector<LoopRef>; // loops around something, outermost first

// Does an instruction replace the loop, or one around it of its nest?
bool is_tensorized(const ScheduleState& state, const LoopRef& ref) {
    const auto& nest = nest_of(state, {ref.stage, ref.definition});
    return nest.position_of(ref.loop) >= static_cast<int>(nest.tensorized_from());
}

// The loops at which something may stand: outside of what runs as lanes or as one instruction.
Path without_vectorized(const ScheduleState& state, Path path) {
    auto inside = std::find_if(path.begin(), path.end(), [&](const LoopRef& ref) {
        return loop_of(state, ref).kind == LoopKind::Vectorized || is_tensorized(state, ref);
    });
    path.erase(inside, path.end());
    return path;
}

Path common_path(const ScheduleState& state, const std::vector<DefinitionKey>& readers) {
    Path common;
    LoopPaths paths(state);
    for (std::size_t r = 0; r < readers.size(); ++r) {
        auto path = paths.around_point(readers[r]).loops();
        if (r == 0)
            common = path;
        auto differs = std::mismatch(common.begin(), common.end(), path.begin(), path.end());
        common.erase(differs.first, common.end());
    }
    return without_vectorized(state, common);
}

std::string place_text(const ScheduleState& state, const LoopRef& ref) {
    return "compute_at(" + definition_name(ref.stage, ref.definition) + ", " +
           loop_of(state, ref).name + ")";
}

bool shares_with_another(const ScheduleState& state, const std::string& stage) {
    const MergeGroups groups(state);
    const auto count = static_cast<int>(state.find(stage)->definitions.size());
    for (int d = 0; d < count; ++d)
        if (const auto* group = groups.of({stage, d}))
            if (group->front().first != stage || group->back().first != stage)
                return true;
    return false;
}

bool exists(const ScheduleState& state, const LoopRef& loop) {
    return nest_of(state, {loop.stage, loop.definition}).position_of(loop.loop) >= 0;
}

// The loops around the stage down to the one at which it is stored; nullopt: that one is not around
// it.
std::optional<LoopPath> around_storage(LoopPaths& paths, const StageState& stage) {
    const auto path = paths.around(stage.name);
    if (stage.store == stage.compute)
        return path;
    return stage.store.kind == Placement::Kind::At ? path.down_to(stage.store.at) : LoopPath();
}

// Do the loops at which stages are computed exist, and are those at which they are stored around
// them? Within a line, and behind one that is about to be refused, they need not; then there is
// nothing to lay out.
bool places_exist(const ScheduleState& state) {
    const auto placed = state.stages.having(StageTrait::Placed);
    auto all = [&](auto holds) {
        return std::all_of(placed.begin(), placed.end(), [&](const auto* stage) {
            return stage->compute.kind != Placement::Kind::At || holds(*stage);
        });
    };
    LoopPaths paths(state);
    return all([&](const StageState& stage) { return exists(state, stage.compute.at); }) &&
           all([&](const StageState& stage) { return around_storage(paths, stage).has_value(); });
}

// Memory at a loop whose iterations run at once is of one iteration.
bool may_be_stored(LoopPaths& paths, const StageState& stage) {
    const auto outside = around_storage(paths, stage);
    return outside && outside->count_at_once() == paths.around(stage.name).count_at_once();
}

// Stages whose places break a rule, as check_placements() has them; without its remedies, which ask
// for legal places again.
std::set<std::string> misplaced(const ScheduleState& state, const ReadGraph& graph) {
    std::set<std::string> out;
    LoopPaths paths(state);
    for (const auto* stage : state.stages.having(StageTrait::Placed)) {
        if (stage->compute.kind != Placement::Kind::At) {
            if (stage->pipeline > 1)
                out.insert(stage->name);
            continue;
        }
        const auto& readers = graph.readers(stage->name);
        if (!exists(state, stage->compute.at) ||
            !std::all_of(readers.begin(), readers.end(),
                         [&](const auto& reader) {
                             return paths.around_point(reader).contains(stage->compute.at);
                         }) ||
            !may_be_stored(paths, *stage) || !check_pipeline(state, graph, paths, *stage))
            out.insert(stage->name);
    }
    return out;
}

// May a stage be computed or stored elsewhere, as all other lines have it? What they break already
// does not count: who asks may be about to refuse a line.
class Moves {
public:
    Moves(const ScheduleState& state, const ReadGraph& graph, std::string stage)
        : state_(state),
          stage_(std::move(stage)),
          misplaced_(misplaced(state, graph)),
          merges_(any_merges(state) && places_exist(state) && check_merges(state, graph)),
          instructions_(any_tensorized(state) && places_exist(state)) {
        if (instructions_) {
            auto copy = state;
            instructions_ = static_cast<bool>(check_tensorized(copy));
        }
        if (merges_) {
            auto copy = state;
            merges_ = static_cast<bool>(check_merged_layouts(copy));
        }
    }

    bool allowed(const Placement& place) const { return allowed(place, place); }
    bool allowed(const Placement& compute, const Placement& store) const {
        auto placed = state_;
        auto& moved = placed.edit(stage_);
        moved.compute = compute;
        moved.store = store;
        const auto graph = read_graph(placed); // it may have been inlined
        const auto now = misplaced(placed, *graph);
        if (now.count(stage_) ||
            !std::includes(misplaced_.begin(), misplaced_.end(), now.begin(), now.end()))
            return false;
        if (!check_prefetches(placed))
            return false;
        return !places_exist(placed) ||
               (check_padding(placed) && (!instructions_ || check_tensorized(placed)) &&
                (!merges_ || (check_merges(placed, *graph) && check_merged_layouts(placed))));
    }

private:
    const ScheduleState& state_;
    std::string stage_;
    std::set<std::string> misplaced_;
    bool merges_;       // and they are legal
    bool instructions_; // those that replace loops do what these do
};

// The loops around all reads of the stage at which other lines allow it to be computed: those lines
// merge its loops, prefetch or pipeline it, pad, or place other stages.
Path as_lines_allow(const ScheduleState& state, const ReadGraph& graph, const std::string& stage,
                    Path path) {
    const auto& now = state.find(stage)->compute;
    // A loop that a reader shares may be of a stage before this one, or its own.
    std::erase_if(path, [&](const LoopRef& loop) {
        return state.index_of(loop.stage) <= state.index_of(stage);
    });
    if (shares_with_another(state, stage))
        std::erase_if(path, [&](const LoopRef& loop) {
            return now.kind != Placement::Kind::At || !(now.at == loop);
        });
    if (path.empty())
        return path;
    const Moves moves(state, graph, stage);
    std::erase_if(path, [&](const LoopRef& loop) {
        return !moves.allowed(Placement{Placement::Kind::At, loop});
    });
    return path;
}

bool may_be_at_root(const ScheduleState& state, const ReadGraph& graph, const std::string& stage) {
    if (state.find(stage)->compute.kind == Placement::Kind::At && shares_with_another(state, stage))
        return false;
    return Moves(state, graph, stage).allowed(Placement{});
}

// "S may be computed by compute_root() or compute_at(C, io) …"
std::string legal_text(const ScheduleState& state, const ReadGraph& graph,
                       const std::string& stage) {
    std::string text;
    auto add = [&](const std::string& place) { text += (text.empty() ? "" : ", ") + place; };
    const bool output = state.pipeline->find_output(stage) != nullptr;
    if (output || may_be_at_root(state, graph, stage))
        add("compute_root()");
    const auto legal =
        output ? Path{}
               : as_lines_allow(state, graph, stage, common_path(state, graph.readers(stage)));
    for (std::size_t i = 0; i < legal.size() && i < kShownPlacements; ++i)
        add(place_text(state, legal[i]));
    if (legal.size() > kShownPlacements)
        text += " and " + std::to_string(legal.size() - kShownPlacements) + " more";
    return text.empty() ? "leave out this line" : "legal for " + stage + ": " + text;
}

// "legal for S: store_root(), store_at(C, yo)"
std::string legal_store_text(const ScheduleState& state, const std::string& stage) {
    auto places = legal_stores(state, stage);
    std::string text = "legal for " + stage + ":";
    if (places.root)
        text += " store_root()";
    for (std::size_t i = 0; i < places.loops.size() && i < kShownPlacements; ++i)
        text += std::string(i > 0 || places.root ? ", " : " ") + "store_at(" +
                definition_name(places.loops[i].stage, places.loops[i].definition) + ", " +
                loop_of(state, places.loops[i]).name + ")";
    return text;
}

} // namespace

const DefinitionState& nest_of(const ScheduleState& state, const DefinitionKey& definition) {
    return state.find(definition.first)->definitions[static_cast<std::size_t>(definition.second)];
}

const LoopState& loop_of(const ScheduleState& state, const LoopRef& loop) {
    const auto& nest = nest_of(state, {loop.stage, loop.definition});
    return nest.loops[static_cast<std::size_t>(nest.position_of(loop.loop))];
}

std::string loop_text(const ScheduleState& state, const LoopRef& loop) {
    const StageState* stage = state.find(loop.stage);
    std::string name = "?";
    if (stage && loop.definition < static_cast<int>(stage->definitions.size()))
        if (int at = nest_of(state, {loop.stage, loop.definition}).position_of(loop.loop); at >= 0)
            name = nest_of(state, {loop.stage, loop.definition})
                       .loops[static_cast<std::size_t>(at)]
                       .name;
    return definition_name(loop.stage, loop.definition) + "." + name;
}

PlacedWords placed_words(const ScheduleState& state, const std::string& stage,
                         const LoopRef& loop) {
    const auto& compute = state.find(stage)->compute;
    return compute.kind == Placement::Kind::At && compute.at == loop
               ? PlacedWords{"computed", "compute_at"}
               : PlacedWords{"stored", "store_at"};
}

std::vector<LoopRef> loops_around_point(const ScheduleState& state,
                                        const DefinitionKey& definition) {
    return LoopPaths(state).around_point(definition).loops();
}

std::vector<LoopRef> loops_around(const ScheduleState& state, const std::string& stage) {
    return LoopPaths(state).around(stage).loops();
}

std::vector<LoopRef> legal_placements(const ScheduleState& state, const std::string& stage) {
    if (!state.find(stage) || state.pipeline->find_output(stage))
        return {};
    auto graph = read_graph(state);
    return as_lines_allow(state, *graph, stage, common_path(state, graph->readers(stage)));
}

namespace {

Status check_placement(const ScheduleState& state, const ReadGraph& graph, LoopPaths& paths,
                       const std::string& stage, const LoopRef& loop) {
    auto legal = [&] { return legal_text(state, graph, stage); };
    if (state.pipeline->find_output(stage))
        return coded_error("placement",
                           stage + " is an output: it is stored whole, hence computed at root",
                           legal());
    const StageState* host = state.find(loop.stage);
    if (!host || host->compute.kind == Placement::Kind::Inline)
        return coded_error("placement",
                           loop.stage + " is inlined: it has no loop at which " + stage +
                               " could be computed",
                           legal());
    if (state.index_of(loop.stage) <= state.index_of(stage))
        return coded_error(
            "placement", loop.stage + " does not read " + stage + ": it comes before it", legal());
    const auto& nest = nest_of(state, {loop.stage, loop.definition});
    if (nest.position_of(loop.loop) < 0)
        return coded_error("placement",
                           "the loop of " + definition_name(loop.stage, loop.definition) +
                               " at which " + stage + " is computed is no more",
                           legal());
    for (int p = 0; p <= nest.position_of(loop.loop); ++p) {
        const auto& around = nest.loops[static_cast<std::size_t>(p)];
        if (around.kind == LoopKind::Vectorized)
            return coded_error("placement",
                               stage + " cannot be computed " +
                                   (around.id == loop.loop ? "at " : "inside ") +
                                   loop_text(state, {loop.stage, loop.definition, around.id}) +
                                   ", which is vectorised: its lanes run at once",
                               legal());
    }
    const auto path = paths.around_point({loop.stage, loop.definition}).down_to(loop);
    const auto depth = path ? path->size() : 0;
    if (depth > kMaxLoopsAround)
        return coded_error("placement",
                           stage + " would stand within " + std::to_string(depth) +
                               " loops, one inside another, and at most " +
                               std::to_string(kMaxLoopsAround) + " are possible",
                           "compute some of the stages between at root");
    if (is_tensorized(state, loop))
        return coded_error("placement",
                           stage + " cannot be computed at " + loop_text(state, loop) + ": " +
                               nest.tensorized->intrinsic->name + " replaces it, with all inside",
                           legal());
    const auto& readers = graph.readers(stage);
    if (readers.empty())
        return coded_error(
            "placement",
            "nothing reads " + stage + ", so there is no loop inside which it is needed", legal());
    for (const auto& reader : readers)
        if (!paths.around_point(reader).contains(loop))
            return coded_error("placement",
                               stage + " cannot be computed at " + loop_text(state, loop) + ": " +
                                   definition_name(reader.first, reader.second) +
                                   ", which reads it, is outside that loop",
                               legal());
    return success();
}

} // namespace

Status check_placement(const ScheduleState& state, const ReadGraph& graph, const std::string& stage,
                       const LoopRef& loop) {
    LoopPaths paths(state);
    return check_placement(state, graph, paths, stage, loop);
}

std::string placement_first(const ScheduleState& state, const std::string& stage,
                            bool (*fits)(const LoopState&)) {
    if (state.pipeline->find_output(stage))
        return "choose another stage: an output is computed at root";
    const auto legal = legal_placements(state, stage);
    const auto place = std::find_if(legal.rbegin(), legal.rend(), [&](const LoopRef& loop) {
        return fits(loop_of(state, loop));
    });
    if (place == legal.rend()) {
        const auto around = common_path(state, read_graph(state)->readers(stage));
        if (std::any_of(around.begin(), around.end(),
                        [&](const LoopRef& loop) { return fits(loop_of(state, loop)); }))
            return "choose another stage: other lines stand in the way at each loop that is around "
                   "all that reads " +
                   stage;
        return "choose another stage: no loop " +
               std::string(around.empty() ? "" : "that runs one iteration after another ") +
               "is around all that reads " + stage;
    }
    return "say first at which loop it is computed: " + stage + "." + place_text(state, *place);
}

Status check_stored(const ScheduleState& state, const std::string& stage) {
    switch (state.find(stage)->compute.kind) {
    case Placement::Kind::At: return success();
    case Placement::Kind::Root:
        return coded_error(
            "placement",
            stage + " is computed at root: it is stored there as long as the program runs",
            placement_first(state, stage, [](const LoopState&) { return true; }));
    case Placement::Kind::Inline: break;
    }
    return coded_error("placement", stage + " is inlined: it has no storage",
                       stage + ".compute_at(…) or compute_root() gives it storage again");
}

StorePlaces legal_stores(const ScheduleState& state, const std::string& stage) {
    StorePlaces places;
    const auto compute = state.find(stage)->compute;
    if (compute.kind != Placement::Kind::At)
        return places;
    const auto graph = read_graph(state);
    const Moves moves(state, *graph, stage);
    places.root = moves.allowed(compute, Placement{});
    for (const auto& loop : loops_around(state, stage)) {
        const Placement store{Placement::Kind::At, loop};
        if (store == compute || moves.allowed(compute, store))
            places.loops.push_back(loop);
    }
    return places;
}

namespace {

Status check_store(const ScheduleState& state, LoopPaths& paths, const StageState& s) {
    const auto& stage = s.name;
    const auto outside = around_storage(paths, s);
    if (!outside)
        return coded_error("placement",
                           stage + " cannot be stored at " + loop_text(state, s.store.at) +
                               ": that loop is not around " + loop_text(state, s.compute.at) +
                               ", at which it is computed",
                           legal_store_text(state, stage));
    const auto around = paths.around(stage);
    if (outside->count_at_once() == around.count_at_once())
        return success();
    const auto loops = around.loops();
    for (auto p = outside->size(); p < loops.size(); ++p)
        if (const auto& between = loop_of(state, loops[p]); runs_at_once(between))
            return coded_error(
                "placement",
                stage + " cannot be stored " +
                    (s.store.kind == Placement::Kind::At ? "at " + loop_text(state, s.store.at)
                                                         : std::string("at root")) +
                    " and computed at " + loop_text(state, s.compute.at) + ": between them, " +
                    loop_text(state, loops[p]) + " is " +
                    (between.binding.empty() ? std::string(name(between.kind)) : between.binding) +
                    ", and its iterations, which run at once, would share the memory",
                legal_store_text(state, stage));
    return success();
}

} // namespace

Status check_store(const ScheduleState& state, const std::string& stage) {
    LoopPaths paths(state);
    return check_store(state, paths, *state.find(stage));
}

Status check_placements(const ScheduleState& state) {
    const bool merges = any_merges(state);
    const auto placed = state.stages.having(StageTrait::Placed);
    if (!merges && placed.empty())
        return success();
    auto graph = read_graph(state);
    if (merges)
        if (auto status = check_merges(state, *graph); !status)
            return status;
    LoopPaths paths(state);
    for (const auto* stage : placed) {
        if (stage->compute.kind == Placement::Kind::Inline &&
            state.pipeline->find_output(stage->name))
            return coded_error("placement",
                               stage->name + " is an output: it is stored, hence not inlined",
                               "leave it at root");
        if (auto status = check_pipeline(state, *graph, paths, *stage); !status)
            return status;
        if (stage->compute.kind != Placement::Kind::At)
            continue;
        if (auto status = check_placement(state, *graph, paths, stage->name, stage->compute.at);
            !status)
            return status;
        if (auto status = check_store(state, paths, *stage); !status)
            return status;
    }
    return success();
}

} // namespace loopscope
