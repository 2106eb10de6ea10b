#include "compiler/codegen/foreign/loop_effect.h"

#include <algorithm>
#include <map>

namespace loopscope::codegen {

namespace {

const DefinitionState& nest_of(const ScheduleState& state, const DefinitionRef& ref) {
    return state.find(ref.stage)->definitions[static_cast<std::size_t>(ref.definition)];
}

// Is all the same but the loops of that definition?
bool changes_loops_alone(const ForeignStep& step) {
    const auto same_but = [&](const StageState& before, StageState after) {
        if (before.name == step.receiver.stage &&
            before.definitions.size() == after.definitions.size()) {
            const auto d = static_cast<std::size_t>(step.receiver.definition);
            const auto& old = before.definitions[d];
            auto& now = after.definitions[d];
            now.loops = old.loops, now.relations = old.relations, now.next_id = old.next_id;
            now.touched = old.touched, now.reassociates = old.reassociates;
        }
        return before == after;
    };
    return std::equal(step.before.stages.begin(), step.before.stages.end(),
                      step.after.stages.begin(), step.after.stages.end(),
                      [&](const auto& a, const auto& b) { return a == b || same_but(*a, *b); });
}

// The names of all loops that there are before, behind, or between: those have one of their own.
std::map<int, std::string> names_of(const DefinitionState& before, const DefinitionState& after) {
    std::map<int, std::string> names;
    for (const auto& loop : before.loops)
        names[loop.id] = loop.name;
    for (const auto& loop : after.loops)
        names.emplace(loop.id, loop.name);
    for (int id = before.next_id; id < after.next_id; ++id)
        names.emplace(id, "between" + std::to_string(id));
    return names;
}

// Where a rewrite leaves the loops of a nest, outermost first.
void rewrite(std::vector<int>& nest, const Relation& r) {
    if (r.kind == Relation::Kind::Split) {
        const auto at = std::find(nest.begin(), nest.end(), r.parent);
        if (at != nest.end())
            nest.insert(nest.erase(at), {r.outer, r.inner});
    } else if (const auto at = std::find(nest.begin(), nest.end(), r.outer); at != nest.end()) {
        *at = r.parent;
        std::erase(nest, r.inner);
    }
}

// Runs it on a level of a GPU, or in blocks that stay?
bool same_level(const LoopState& a, const LoopState& b) {
    LoopState other = b;
    other.id = a.id, other.name = a.name, other.kind = a.kind, other.reduction = a.reduction;
    return a == other;
}

} // namespace

std::optional<LoopEffect> loop_effect(const ForeignStep& step) {
    const auto& before = nest_of(step.before, step.receiver);
    const auto& after = nest_of(step.after, step.receiver);
    if (!changes_loops_alone(step) || before.relations.size() > after.relations.size() ||
        !std::equal(before.relations.begin(), before.relations.end(), after.relations.begin()))
        return std::nullopt;
    const auto names = names_of(before, after);
    LoopEffect effect;
    std::vector<int> order, wanted;
    for (const auto& loop : before.loops)
        order.push_back(loop.id);
    for (auto i = before.relations.size(); i < after.relations.size(); ++i) {
        const auto& r = after.relations[i];
        effect.rewrites.push_back(
            {r.kind, names.at(r.parent), names.at(r.outer), names.at(r.inner), r.factor, r.tail});
        rewrite(order, r);
    }
    for (const auto& loop : after.loops) {
        const int at = before.position_of(loop.id);
        const auto* old = at >= 0 ? &before.loops[static_cast<std::size_t>(at)] : nullptr;
        if (!same_level(loop, old ? *old : LoopState{}) || (old && old->name != loop.name))
            return std::nullopt;
        if (!old || old->kind != loop.kind)
            effect.kinds.emplace_back(loop.name, loop.kind);
        wanted.push_back(loop.id);
    }
    if (order != wanted)
        for (int id : wanted)
            effect.order.push_back(names.at(id));
    return effect;
}

} // namespace loopscope::codegen
