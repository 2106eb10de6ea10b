#include "core/schedule/merging.h"

#include "core/schedule/identity.h"
#include "core/schedule/nest_layout.h"
#include "core/schedule/placement.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

DefinitionKey host_of(const DefinitionState& nest) {
    return {nest.with->stage, nest.with->definition};
}

std::string text(const DefinitionKey& key) { return definition_name(key.first, key.second); }

Status refuse(std::string message, std::string remedy) {
    auto diagnostic = error(std::move(message), std::move(remedy));
    diagnostic.code = "merge";
    return diagnostic;
}

bool is_reduction(const ScheduleState& state, const DefinitionKey& key) {
    const auto* definition = state.definition(key.first, key.second);
    return definition && definition->kind == DefinitionKind::Reduction;
}

Status check_loops(const ScheduleState& state, const DefinitionKey& own) {
    const auto& nest = nest_of(state, own);
    const auto host = host_of(nest);
    const auto& other = nest_of(state, host);
    const auto count = other.position_of(nest.with->loop) + 1;
    if (count <= 0)
        return refuse("the loop of " + text(host) + " that " + text(own) + " shares is no more",
                      "write " + text(own) + ".compute_with after the loop directives");
    if (static_cast<int>(nest.loops.size()) < count)
        return refuse(text(own) + " has " + std::to_string(nest.loops.size()) +
                          " loops, and would share " + std::to_string(count) + " with " +
                          text(host),
                      "name an outer loop of " + text(host));
    for (int p = 0; p < count; ++p) {
        const auto& mine = nest.loops[static_cast<std::size_t>(p)];
        const auto& its = other.loops[static_cast<std::size_t>(p)];
        const auto pair = text(own) + "." + mine.name + " and " + text(host) + "." + its.name;
        if (mine.kind != its.kind || mine.binding != its.binding)
            return refuse(pair + " run in different ways, and would be one loop",
                          "give both the same kind before they are merged");
        if (its.kind == LoopKind::Vectorised)
            return refuse(pair + " are vectorised: lanes of two definitions are not shared",
                          "name a loop outside of them");
        if ((mine.reduction && is_reduction(state, own)) ||
            (its.reduction && is_reduction(state, host)))
            return refuse(pair + " would be one loop, and one of them runs over a reduction axis, "
                                 "before which its sums are initialised",
                          "share loops over free variables only");
        if (auto placed = state.placed_at({own.first, own.second, mine.id}); !placed.empty())
            return refuse(placed.front() + " is placed at " + text(own) + "." + mine.name +
                              ", which would be " + text(host) + "'s",
                          "place " + placed.front() + " after the two are merged, at " +
                              text(host) + "." + its.name);
    }
    return success();
}

Status check_places(const ScheduleState& state, const DefinitionKey& own) {
    const auto host = host_of(nest_of(state, own));
    for (const auto& key : {own, host}) {
        const StageState& stage = *state.find(key.first);
        if (stage.compute.kind == Placement::Kind::Inline)
            return refuse(key.first + " is inlined: it has no loops to share",
                          key.first + ".compute_root() gives it loops again");
        if (!(stage.store == stage.compute) || stage.pipeline > 1)
            return refuse(key.first +
                              (stage.pipeline > 1 ? " is pipelined"
                                                  : " is stored outside of where it is computed") +
                              ": it does not run in the iterations of its neighbours",
                          "leave out that line, or the compute_with of " + text(own));
    }
    if (!(state.find(own.first)->compute == state.find(host.first)->compute))
        return refuse(own.first + " and " + host.first + " are computed at different places",
                      "compute both at root, or both at one loop");
    return success();
}

// Does `from` reach `to` along reads, through a stage that is not of the group?
std::string between(const ReadGraph& graph, const std::string& from, const std::string& to,
                    const std::set<std::string>& group) {
    std::vector<std::pair<std::string, std::string>> open; // stage, first stage outside
    std::set<std::string> seen;
    for (const auto& reader : graph.readers(from))
        if (!group.count(reader.first) && seen.insert(reader.first).second)
            open.emplace_back(reader.first, reader.first);
    while (!open.empty()) {
        auto [stage, first] = open.back();
        open.pop_back();
        for (const auto& reader : graph.readers(stage)) {
            if (reader.first == to)
                return first;
            if (!group.count(reader.first) && seen.insert(reader.first).second)
                open.emplace_back(reader.first, first);
        }
    }
    return "";
}

// Of two definitions that share loops: does what is left of the one's nest, where their ways part, run before the other's? A
// nest stands where the definition whose loops it has does, with all that shares those.
bool runs_before(const ScheduleState& state, const DefinitionKey& one, const DefinitionKey& other) {
    const auto first = loops_around_point(state, one), second = loops_around_point(state, other);
    const auto part = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
    auto place = [&](auto loop, auto end, const DefinitionKey& own) {
        const auto key = loop == end ? own : DefinitionKey{loop->stage, loop->definition};
        return std::pair(state.index_of(key.first), key.second);
    };
    return place(part.first, first.end(), one) < place(part.second, second.end(), other);
}

Status check_group(const ScheduleState& state, const ReadGraph& graph,
                   const std::vector<DefinitionKey>& group) {
    std::set<std::string> names;
    for (const auto& key : group)
        names.insert(key.first);
    for (std::size_t i = 1; i < group.size(); ++i)
        if (group[i].first == group[i - 1].first && group[i].second != group[i - 1].second + 1)
            return refuse(text(group[i]) + " would run before " +
                              text({group[i].first, group[i - 1].second + 1}) +
                              ", which comes before it",
                          "merge definitions of one stage that follow one another");
    for (std::size_t i = 0; i < group.size(); ++i)
        for (std::size_t j = i + 1; j < group.size(); ++j) {
            const auto& earlier = group[i];
            const auto& later = group[j];
            if ((earlier.first == later.first ||
                 graph.reads(later.first, later.second).count(earlier.first)) &&
                !runs_before(state, earlier, later))
                return refuse(text(later) + " depends on " + text(earlier) +
                                  ", and shares inner loops with a definition whose nest runs " +
                                  "before that one's",
                              "share the same loops with all of them, or outer loops only");
            if (earlier.first == later.first)
                continue;
            if (auto stage = between(graph, earlier.first, later.first, names); !stage.empty())
                return refuse(text(later) + " depends on " + text(earlier) + " by way of " + stage +
                                  ", which would have to run in the middle of the merged loops",
                              "inline " + stage + ", or leave the two apart");
            for (int d = 0; d < later.second; ++d)
                if (graph.reads(later.first, d).count(earlier.first))
                    return refuse(text({later.first, d}) + ", which comes before " + text(later) +
                                      ", reads " + earlier.first,
                                  "merge " + text({later.first, d}) + " instead");
            const auto last = static_cast<int>(state.find(earlier.first)->definitions.size()) - 1;
            const bool complete = std::find(group.begin(), group.end(),
                                            DefinitionKey{earlier.first, last}) != group.end();
            if (!complete && graph.reads(later.first, later.second).count(earlier.first))
                return refuse(text(later) + " reads " + earlier.first +
                                  ", which is complete only after " + text({earlier.first, last}),
                              "merge it with " + text({earlier.first, last}) + " instead");
        }
    return success();
}

// Merged nests run one after another, each with all that is in it: of two, one would have to run before the other and after
// it. `head_of`: by stage, of those that share loops with another stage.
Status check_cycles(const ReadGraph& graph, const std::map<std::string, DefinitionKey>& head_of) {
    std::map<DefinitionKey, std::vector<std::string>> groups;
    for (const auto& [stage, head] : head_of)
        groups[head].push_back(stage);
    for (const auto& [head, members] : groups) {
        std::set<std::string> seen(members.begin(), members.end());
        std::vector<std::pair<std::string, const DefinitionKey*>> open; // stage, last group passed
        for (const auto& member : members)
            open.emplace_back(member, nullptr);
        while (!open.empty()) {
            const auto [stage, passed] = open.back();
            open.pop_back();
            for (const auto& reader : graph.readers(stage)) {
                const auto group = head_of.find(reader.first);
                const bool own = group != head_of.end() && group->second == head;
                if (own && passed)
                    return refuse("the shared loops of " + text(head) + " and those of " +
                                      text(*passed) + " would each have to run before the other: " +
                                      text(reader) + " reads " + stage,
                                  "leave out one of the two merges");
                if (own || !seen.insert(reader.first).second)
                    continue;
                if (group == head_of.end()) {
                    open.emplace_back(reader.first, passed);
                    continue;
                }
                for (const auto& other : groups.at(group->second)) { // all of them run with it
                    seen.insert(other);
                    open.emplace_back(other, &group->second);
                }
            }
        }
    }
    return success();
}

} // namespace

bool any_merges(const ScheduleState& state) {
    return std::any_of(state.stages.begin(), state.stages.end(), [](const auto& stage) {
        return std::any_of(stage->definitions.begin(), stage->definitions.end(),
                           [](const auto& nest) { return nest.with.has_value(); });
    });
}

std::size_t merged_loops(const ScheduleState& state, const DefinitionKey& definition) {
    const auto& nest = nest_of(state, definition);
    if (!nest.with)
        return 0;
    return static_cast<std::size_t>(nest_of(state, host_of(nest)).position_of(nest.with->loop) + 1);
}

std::vector<std::string> merged_variables(const ScheduleState& state,
                                          const DefinitionKey& definition) {
    std::vector<std::string> out;
    const auto count = merged_loops(state, definition);
    if (count == 0)
        return out;
    const auto host = host_of(nest_of(state, definition));
    out = merged_variables(state, host);
    const auto& loops = nest_of(state, host).loops;
    for (auto p = out.size(); p < loops.size(); ++p)
        out.push_back(loop_variable(host.first, host.second, loops[p].name));
    out.resize(count);
    return out;
}

DefinitionKey merge_head(const ScheduleState& state, DefinitionKey definition) {
    while (nest_of(state, definition).with)
        definition = host_of(nest_of(state, definition));
    return definition;
}

std::vector<DefinitionKey> merge_group(const ScheduleState& state,
                                       const DefinitionKey& definition) {
    const auto head = merge_head(state, definition);
    std::vector<DefinitionKey> out;
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            DefinitionKey key{stage->name, static_cast<int>(d)};
            if (merge_head(state, key) == head)
                out.push_back(std::move(key));
        }
    return out;
}

Status check_merges(const ScheduleState& state, const ReadGraph& graph) {
    std::set<DefinitionKey> heads;
    std::map<std::string, DefinitionKey> head_of; // of stages that share loops with another stage
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            if (!stage->definitions[d].with)
                continue;
            const DefinitionKey own{stage->name, static_cast<int>(d)};
            if (auto places = check_places(state, own); !places)
                return places;
            if (auto loops = check_loops(state, own); !loops)
                return loops;
        }
    // Only now is it safe to ask for the loops around merged definitions: all that share loops are at one place.
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            const DefinitionKey own{stage->name, static_cast<int>(d)};
            if (!stage->definitions[d].with || !heads.insert(merge_head(state, own)).second)
                continue;
            const auto group = merge_group(state, own);
            for (const auto& key : group)
                if (auto known = head_of.try_emplace(key.first, merge_head(state, own));
                    known.first->second != merge_head(state, own))
                    return refuse(key.first + " shares loops with two groups of stages",
                                  "merge all of them into one nest, or leave one out");
            if (auto legal = check_group(state, graph, group); !legal)
                return legal;
        }
    return head_of.size() > 2 ? check_cycles(graph, head_of) : success();
}

} // namespace loopscope
