#include "core/schedule/merging.h"

#include "core/schedule/merge_terms.h"
#include "core/schedule/placement.h"

#include <algorithm>
#include <memory>

namespace loopscope {

using merging::host_of;
using merging::refuse;
using merging::text;

bool any_merges(const ScheduleState& state) { return state.stages.any(StageTrait::SharesLoops); }

std::size_t merged_loops(const ScheduleState& state, const DefinitionKey& definition) {
    const auto& nest = nest_of(state, definition);
    if (!nest.with)
        return 0;
    return static_cast<std::size_t>(nest_of(state, host_of(nest)).position_of(nest.with->loop) + 1);
}

DefinitionKey merge_head(const ScheduleState& state, DefinitionKey definition) {
    while (nest_of(state, definition).with)
        definition = host_of(nest_of(state, definition));
    return definition;
}

std::vector<DefinitionKey> merge_group(const ScheduleState& state,
                                       const DefinitionKey& definition) {
    const MergeGroups groups(state);
    const auto* group = groups.of(definition);
    return group ? *group : std::vector<DefinitionKey>{definition};
}

MergeGroups::MergeGroups(const ScheduleState& state) {
    if (!any_merges(state))
        return;
    // By definition that shares loops: the head of its chain of hosts.
    std::map<DefinitionKey, DefinitionKey> head_of;
    for (const auto* stage : state.stages.having(StageTrait::SharesLoops))
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            if (!stage->definitions[d].with)
                continue;
            std::vector<DefinitionKey> chain{{stage->name, static_cast<int>(d)}};
            auto known = head_of.find(chain.back());
            while (known == head_of.end()) {
                const auto& nest = nest_of(state, chain.back());
                if (!nest.with)
                    break;
                chain.push_back(host_of(nest));
                known = head_of.find(chain.back());
            }
            const auto head = known == head_of.end() ? chain.back() : known->second;
            for (const auto& key : chain)
                head_of.emplace(key, head);
        }
    std::map<DefinitionKey, std::size_t> numbers; // of heads
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            const DefinitionKey key{stage->name, static_cast<int>(d)};
            const auto head = head_of.find(key);
            if (head == head_of.end())
                continue;
            const auto number = numbers.try_emplace(head->second, groups_.size()).first->second;
            if (number == groups_.size()) {
                groups_.emplace_back();
                heads_.push_back(head->second);
            }
            groups_[number].push_back(key);
            group_of_.emplace(key, number);
        }
}

const std::vector<DefinitionKey>* MergeGroups::of(const DefinitionKey& definition) const {
    const auto found = group_of_.find(definition);
    return found == group_of_.end() ? nullptr : &groups_[found->second];
}

void stand_together(const ScheduleState& state, const MergeGroups& groups,
                    std::vector<const StageState*>& siblings) {
    // By stage of a group of several: all of its stages; and by its last one.
    std::map<std::string, std::shared_ptr<const std::set<std::string>>> group_of, ends;
    for (const auto& group : groups.all()) {
        if (group.front().first == group.back().first)
            continue;
        auto stages = std::make_shared<std::set<std::string>>();
        for (const auto& member : group)
            stages->insert(member.first);
        for (const auto& stage : *stages)
            group_of[stage] = stages;
        ends[group.back().first] = stages;
    }
    if (ends.empty())
        return;
    const auto graph = read_graph(state);
    // What depends on the group, with all that shares loops with that: it runs there, and nowhere
    // else.
    auto behind = [&](const std::set<std::string>& group) {
        auto out = group;
        std::vector<std::string> open(group.begin(), group.end());
        auto add = [&](const std::string& stage) {
            if (out.insert(stage).second)
                open.push_back(stage);
        };
        while (!open.empty()) {
            const auto stage = std::move(open.back());
            open.pop_back();
            for (const auto& reader : graph->readers(stage)) {
                add(reader.first);
                if (const auto others = group_of.find(reader.first); others != group_of.end())
                    for (const auto& other : *others->second)
                        add(other);
            }
        }
        return out;
    };
    for (auto last = siblings.begin(); last != siblings.end(); ++last) {
        const auto ended = ends.find((*last)->name);
        if (ended == ends.end())
            continue;
        const auto& group = *ended->second;
        const auto dependents = behind(group);
        auto inside = [&](const auto* s) { return group.count(s->name) > 0; };
        const auto first = std::find_if(siblings.begin(), last, inside);
        last = std::stable_partition(
                   first, last + 1,
                   [&](const auto* s) { return inside(s) || !dependents.count(s->name); }) -
               1;
    }
}

Status check_shared_loops_stay(const ScheduleState& state, const DefinitionKey& changed,
                               const std::vector<LoopState>& before) {
    const auto& now = nest_of(state, changed);
    auto stay = [&](std::size_t count) {
        return count <= now.loops.size() && count <= before.size() &&
               std::equal(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(count),
                          now.loops.begin(),
                          [](const auto& one, const auto& other) { return one.id == other.id; });
    };
    auto refused = [&](const DefinitionKey& sharer, const DefinitionKey& host) {
        return refuse(text(sharer) + " shares outer loops with " + text(host) + ", and those of " +
                          text(changed) + " would be others than were merged",
                      "write this line before " + text(sharer) + ".compute_with(" + text(host) +
                          ", …)");
    };
    if (now.with && !stay(merged_loops(state, changed)))
        return refused(changed, host_of(now));
    for (const auto* stage : state.stages.having(StageTrait::SharesLoops))
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            const auto& with = stage->definitions[d].with;
            if (!with || DefinitionKey{with->stage, with->definition} != changed)
                continue;
            const auto last =
                std::find_if(before.begin(), before.end(),
                             [&](const LoopState& loop) { return loop.id == with->loop; });
            if (!stay(static_cast<std::size_t>(last - before.begin()) + 1))
                return refused({stage->name, static_cast<int>(d)}, changed);
        }
    return success();
}

} // namespace loopscope
