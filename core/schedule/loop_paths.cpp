#include "core/schedule/loop_paths.h"

#include "core/base/work.h"
#include "core/schedule/loop_kinds.h"
#include "core/schedule/merging.h"
#include "core/schedule/nest_layout.h"
#include "core/schedule/placement.h"

namespace loopscope {

std::optional<LoopPath> LoopPath::down_to(const LoopRef& loop) const {
    for (const auto* step = innermost_; step; step = step->outside) {
        count_work(Work::LoopsAround);
        if (step->loop == loop)
            return LoopPath(step);
    }
    return std::nullopt;
}

LoopPath LoopPath::outer(std::size_t count) const {
    const auto* step = innermost_;
    for (; step && step->depth > count; step = step->outside)
        count_work(Work::LoopsAround);
    return LoopPath(step);
}

bool LoopPath::any_of_stage(const std::string& stage) const {
    for (const auto* step = innermost_; step; step = step->outside) {
        count_work(Work::LoopsAround);
        if (step->loop.stage == stage)
            return true;
    }
    return false;
}

std::vector<LoopRef> LoopPath::loops() const {
    std::vector<LoopRef> out(size());
    for (const auto* step = innermost_; step; step = step->outside)
        out[step->depth - 1] = step->loop;
    count_work(Work::LoopsAround, static_cast<std::int64_t>(out.size()));
    return out;
}

std::vector<const LoopState*> LoopPath::states() const {
    std::vector<const LoopState*> out(size());
    for (const auto* step = innermost_; step; step = step->outside)
        out[step->depth - 1] = step->state;
    count_work(Work::LoopsAround, static_cast<std::int64_t>(out.size()));
    return out;
}

LoopPath LoopPaths::around(const std::string& stage) {
    auto known = stages_.find(stage);
    if (known == stages_.end())
        known = stages_.emplace(stage, find_around(stage)).first;
    return known->second;
}

LoopPath LoopPaths::around_point(const DefinitionKey& definition) {
    auto known = points_.find(definition);
    if (known == points_.end())
        known = points_.emplace(definition, find_around_point(definition)).first;
    return known->second;
}

LoopPath LoopPaths::find_around(const std::string& stage) {
    const StageState* inner = state_.find(stage);
    if (!inner || inner->compute.kind != Placement::Kind::At)
        return {};
    // Hosts come later in topological order, hence the chain ends.
    const auto& at = inner->compute.at;
    const auto path = around_point({at.stage, at.definition});
    return path.down_to(at).value_or(path);
}

LoopPath LoopPaths::find_around_point(const DefinitionKey& definition) {
    const auto& nest = nest_of(state_, definition);
    LoopPath path;
    std::size_t own = 0;
    if (nest.with) {
        // By number, not by name: the host may share that loop with another one in turn.
        const DefinitionKey host{nest.with->stage, nest.with->definition};
        own = merged_loops(state_, definition);
        const auto all = around_point(host);
        path = all.outer(all.size() - (nest_of(state_, host).loops.size() - own));
    } else {
        path = around(definition.first);
    }
    for (; own < nest.loops.size(); ++own) {
        count_work(Work::LoopsAround);
        const auto& loop = nest.loops[own];
        steps_.push_back({{definition.first, definition.second, loop.id},
                          &loop,
                          path.innermost_,
                          path.size() + 1,
                          path.count_at_once() + (runs_at_once(loop) ? 1 : 0)});
        path = LoopPath(&steps_.back());
    }
    return path;
}

std::vector<std::string> LoopPaths::merged_variables(const DefinitionKey& definition) {
    std::vector<std::string> out;
    const auto count = merged_loops(state_, definition);
    if (count == 0)
        return out;
    const auto path = around_point(definition);
    const auto inside = nest_of(state_, definition).loops.size() - count;
    const auto shared = path.outer(path.size() - inside);
    const auto loops = shared.loops();
    for (auto p = loops.size() - count; p < loops.size(); ++p)
        out.push_back(
            loop_variable(loops[p].stage, loops[p].definition, loop_of(state_, loops[p]).name));
    return out;
}

} // namespace loopscope
