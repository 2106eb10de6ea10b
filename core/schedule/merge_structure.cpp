// What structure tells of merged loops: places, kinds of loops, the order of definitions
// (merging.h).

#include "core/schedule/loop_paths.h"
#include "core/schedule/merge_terms.h"
#include "core/schedule/merging.h"
#include "core/schedule/placement.h"

#include <algorithm>

namespace loopscope {

namespace {

using merging::host_of;
using merging::refuse;
using merging::text;

bool is_reduction(const ScheduleState& state, const DefinitionKey& key) {
    const auto* definition = state.definition(key.first, key.second);
    return definition && definition->kind == DefinitionKind::Reduction;
}

// What to do with a stage at a loop that would be the host's: nothing is computed inside of what
// comes before it.
std::string place_remedy(const ScheduleState& state, const std::string& stage,
                         const DefinitionKey& own, const LoopState& mine, const DefinitionKey& host,
                         const LoopState& its) {
    if (state.index_of(stage) < state.index_of(host.first))
        return "place " + stage + " after the two are merged, at " + text(host) + "." + its.name;
    const auto elsewhere =
        "place " + stage + " elsewhere, as at a loop of " + text(own) + " that it does not share";
    return nest_of(state, host).with
               ? elsewhere
               : "merge them the other way, " + text(host) + ".compute_with(" + text(own) + ", " +
                     mine.name + "), or " + elsewhere;
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
        auto pair = [&] {
            return text(own) + "." + mine.name + " and " + text(host) + "." + its.name;
        };
        const bool lanes = mine.kind == LoopKind::Vectorized;
        if (lanes || its.kind == LoopKind::Vectorized)
            return refuse(pair() + " would be one loop, and " +
                              (mine.kind == its.kind ? std::string("both are")
                               : lanes               ? text(own) + "." + mine.name + " is"
                                                     : text(host) + "." + its.name + " is") +
                              " vectorised: lanes of two definitions are not shared",
                          "share only loops outside of it");
        if (mine.kind != its.kind || mine.binding != its.binding ||
            mine.persistent != its.persistent)
            return refuse(pair() + " run in different ways, and would be one loop",
                          "give both the same kind before they are merged");
        if ((mine.reduction && is_reduction(state, own)) ||
            (its.reduction && is_reduction(state, host)))
            return refuse(pair() +
                              " would be one loop, and one of them runs over a reduction axis, "
                              "before which its sums are initialised",
                          p > 0 ? "share only loops outside of it"
                                : "reorder it inwards, and share the loops outside of it");
        if (auto placed = state.placed_at({own.first, own.second, mine.id}); !placed.empty())
            return refuse(placed.front() + " is placed at " + text(own) + "." + mine.name +
                              ", which would be " + text(host) + "'s",
                          place_remedy(state, placed.front(), own, mine, host, its));
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

// Does a stage that is not of the group read one of it, and is read by another, be it by way of
// others?
bool runs_in_the_middle(const ReadGraph& graph, const std::set<std::string>& group) {
    std::vector<std::string> open(group.begin(), group.end());
    std::set<std::string> seen;
    while (!open.empty()) {
        const auto stage = std::move(open.back());
        open.pop_back();
        const bool outside = !group.count(stage);
        for (const auto& reader : graph.readers(stage)) {
            const bool inside = group.count(reader.first) > 0;
            if (inside && outside)
                return true;
            if (!inside && seen.insert(reader.first).second)
                open.push_back(reader.first);
        }
    }
    return false;
}

// Whether, of two definitions that share loops, the rest of `one`'s nest below the shared loops
// runs before the rest of `other`'s. A nest stands where the definition whose loops it takes does,
// with all that share those loops.
bool runs_before(const ScheduleState& state, LoopPaths& paths, const DefinitionKey& one,
                 const DefinitionKey& other) {
    const auto first = paths.around_point(one).loops();
    const auto second = paths.around_point(other).loops();
    const auto part = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
    auto place = [&](auto loop, auto end, const DefinitionKey& own) {
        const auto key = loop == end ? own : DefinitionKey{loop->stage, loop->definition};
        return std::pair(state.index_of(key.first), key.second);
    };
    return place(part.first, first.end(), one) < place(part.second, second.end(), other);
}

// Checks pairs of a group's definitions: the later one reads the earlier one or follows it in one
// stage.
class PairOrder {
public:
    PairOrder(const ScheduleState& state, const ReadGraph& graph, LoopPaths& paths,
              const std::vector<DefinitionKey>& group)
        : state_(state), graph_(graph), paths_(paths), group_(group) {
        for (std::size_t i = 0; i < group.size(); ++i) {
            names_.insert(group[i].first);
            members_[group[i].first].push_back(i);
        }
    }

    Status run() const {
        const bool crossed = names_.size() > 1 && runs_in_the_middle(graph_, names_);
        std::set<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t j = 0; j < group_.size(); ++j) {
            if (j > 0 && group_[j - 1].first == group_[j].first)
                pairs.emplace(j - 1, j);
            for (int d = 0; d <= group_[j].second; ++d)
                for (const auto& source : graph_.reads(group_[j].first, d))
                    if (auto known = members_.find(source);
                        known != members_.end() && source != group_[j].first)
                        for (auto i : known->second)
                            pairs.emplace(i, j);
            for (std::size_t i = 0; crossed && i < j; ++i)
                pairs.emplace(i, j);
        }
        for (const auto& [i, j] : pairs)
            if (auto legal = check(group_[i], group_[j], crossed); !legal)
                return legal;
        return success();
    }

private:
    bool is_member(const DefinitionKey& definition) const {
        return std::find(group_.begin(), group_.end(), definition) != group_.end();
    }

    bool can_be_inlined(const std::string& name) const {
        const StageState& stage = *state_.find(name);
        const auto* definition = state_.definition(name, 0); // null: a copy
        return stage.definitions.size() == 1 && !stage.definitions[0].touched &&
               (!definition || definition->kind == DefinitionKind::Pure) &&
               !state_.pipeline->find_output(name);
    }

    Status check(const DefinitionKey& earlier, const DefinitionKey& later, bool crossed) const {
        const bool reads = graph_.reads(later.first, later.second).count(earlier.first) > 0;
        if ((earlier.first == later.first || reads) && !runs_before(state_, paths_, earlier, later))
            return refuse(text(later) + " depends on " + text(earlier) +
                              ", and shares inner loops with a definition whose nest runs " +
                              "before that one's",
                          "share the same loops with all of them, or outer loops only");
        if (earlier.first == later.first)
            return success();
        if (crossed)
            if (auto stage = between(graph_, earlier.first, later.first, names_); !stage.empty())
                return refuse(text(later) + " depends on " + text(earlier) + " by way of " + stage +
                                  ", which would have to run in the middle of the merged loops",
                              (can_be_inlined(stage) ? "inline " + stage + ", or leave" : "leave") +
                                  std::string(" the two apart"));
        for (int d = 0; d < later.second; ++d)
            if (!is_member({later.first, d}) && graph_.reads(later.first, d).count(earlier.first))
                return refuse(text({later.first, d}) + ", which comes before " + text(later) +
                                  ", reads " + earlier.first,
                              "merge " + text({later.first, d}) + " instead");
        const auto last = static_cast<int>(state_.find(earlier.first)->definitions.size()) - 1;
        if (reads && group_[members_.at(earlier.first).back()].second != last)
            return refuse(text(later) + " reads " + earlier.first +
                              ", which is complete only after " + text({earlier.first, last}),
                          "merge it with " + text({earlier.first, last}) + " instead");
        return success();
    }

    const ScheduleState& state_;
    const ReadGraph& graph_;
    LoopPaths& paths_;
    const std::vector<DefinitionKey>& group_;
    std::set<std::string> names_;
    std::map<std::string, std::vector<std::size_t>> members_; // by stage: places in the group
};

Status check_group(const ScheduleState& state, const ReadGraph& graph, LoopPaths& paths,
                   const std::vector<DefinitionKey>& group) {
    for (std::size_t i = 1; i < group.size(); ++i)
        if (group[i].first == group[i - 1].first && group[i].second != group[i - 1].second + 1)
            return refuse(text(group[i]) + " would run before " +
                              text({group[i].first, group[i - 1].second + 1}) +
                              ", which comes before it",
                          "leave " + text(group[i]) + " apart, or merge " +
                              text({group[i].first, group[i - 1].second + 1}) +
                              " first, if that may run there");
    return PairOrder(state, graph, paths, group).run();
}

// Can the stages run one after another, those of a group as one?
bool in_some_order(const ScheduleState& state, const ReadGraph& graph,
                   const std::map<std::string, DefinitionKey>& head_of) {
    std::map<DefinitionKey, std::size_t> units;
    std::vector<std::size_t> unit_of; // by stage
    std::vector<std::vector<const StageState*>> stages;
    for (const auto& stage : state.stages) {
        auto head = head_of.find(stage->name);
        const auto unit = head == head_of.end()
                              ? stages.size()
                              : units.try_emplace(head->second, stages.size()).first->second;
        stages.resize(std::max(stages.size(), unit + 1));
        stages[unit].push_back(stage.get());
        unit_of.push_back(unit);
    }
    std::vector<std::size_t> waits(stages.size(), 0), open;
    auto each_reader = [&](std::size_t unit, const auto& f) {
        for (const auto* stage : stages[unit])
            for (const auto& reader : graph.readers(stage->name))
                if (const auto other =
                        unit_of[static_cast<std::size_t>(state.index_of(reader.first))];
                    other != unit)
                    f(other);
    };
    for (std::size_t unit = 0; unit < stages.size(); ++unit)
        each_reader(unit, [&](std::size_t reader) { ++waits[reader]; });
    for (std::size_t unit = 0; unit < stages.size(); ++unit)
        if (waits[unit] == 0)
            open.push_back(unit);
    std::size_t ran = 0;
    while (!open.empty()) {
        const auto unit = open.back();
        open.pop_back();
        ++ran;
        each_reader(unit, [&](std::size_t reader) {
            if (--waits[reader] == 0)
                open.push_back(reader);
        });
    }
    return ran == stages.size();
}

// Merged nests run one after another, each with all that is in it: of two, one would have to run
// before the other and after it. `head_of`: by stage, of those that share loops with another stage.
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

Status check_merges(const ScheduleState& state, const ReadGraph& graph) {
    for (const auto* stage : state.stages.having(StageTrait::SharesLoops))
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            if (!stage->definitions[d].with)
                continue;
            const DefinitionKey own{stage->name, static_cast<int>(d)};
            if (auto places = check_places(state, own); !places)
                return places;
            if (auto loops = check_loops(state, own); !loops)
                return loops;
        }
    // Only now is it safe to ask for the loops around merged definitions: all that share loops are
    // at one place.
    const MergeGroups groups(state);
    LoopPaths paths(state);
    for (const auto& group : groups.all())
        if (auto legal = check_group(state, graph, paths, group); !legal)
            return legal;
    const auto head_of = merging::heads_by_stage(groups);
    if (!head_of)
        return head_of.errors();
    return head_of->size() > 2 && !in_some_order(state, graph, *head_of)
               ? check_cycles(graph, *head_of)
               : success();
}

} // namespace loopscope
