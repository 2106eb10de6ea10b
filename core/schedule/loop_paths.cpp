#include "core/schedule/loop_paths.h"

#include "core/schedule/merging.h"
#include "core/schedule/nest_layout.h"
#include "core/schedule/placement.h"

#include <algorithm>

namespace loopscope {

const std::vector<LoopRef>& LoopPaths::around(const std::string& stage) {
    auto known = stages_.find(stage);
    if (known == stages_.end())
        known = stages_.emplace(stage, find_around(stage)).first;
    return known->second;
}

const std::vector<LoopRef>& LoopPaths::around_point(const DefinitionKey& definition) {
    auto known = points_.find(definition);
    if (known == points_.end())
        known = points_.emplace(definition, find_around_point(definition)).first;
    return known->second;
}

std::vector<LoopRef> LoopPaths::find_around(const std::string& stage) {
    const StageState* inner = state_.find(stage);
    if (!inner || inner->compute.kind != Placement::Kind::At)
        return {};
    // Hosts come later in topological order, hence the chain ends.
    const auto& at = inner->compute.at;
    auto path = around_point({at.stage, at.definition});
    auto place = std::find(path.begin(), path.end(), at);
    path.erase(place == path.end() ? place : place + 1, path.end());
    return path;
}

std::vector<LoopRef> LoopPaths::find_around_point(const DefinitionKey& definition) {
    const auto& nest = nest_of(state_, definition);
    std::vector<LoopRef> path;
    std::size_t own = 0;
    if (nest.with) {
        // By number, not by name: the host may share that loop with another one in turn.
        const DefinitionKey host{nest.with->stage, nest.with->definition};
        own = merged_loops(state_, definition);
        path = around_point(host);
        const auto inside = nest_of(state_, host).loops.size() - own;
        path.erase(path.end() - static_cast<std::ptrdiff_t>(inside), path.end());
    } else {
        path = around(definition.first);
    }
    for (; own < nest.loops.size(); ++own)
        path.push_back({definition.first, definition.second, nest.loops[own].id});
    return path;
}

std::vector<std::string> LoopPaths::merged_variables(const DefinitionKey& definition) {
    std::vector<std::string> out;
    const auto count = merged_loops(state_, definition);
    if (count == 0)
        return out;
    const auto& path = around_point(definition);
    const auto inside = nest_of(state_, definition).loops.size() - count;
    for (auto p = path.size() - inside - count; p < path.size() - inside; ++p)
        out.push_back(
            loop_variable(path[p].stage, path[p].definition, loop_of(state_, path[p]).name));
    return out;
}

} // namespace loopscope
