#include "app/session/selection.h"

#include "core/schedule/shared_loops.h"

#include <algorithm>

namespace loopscope::session {

namespace {

const DefinitionState* nest_of(const ScheduleTree& tree, const NodeId& id) {
    const auto* stage = tree.state.find(id.stage);
    if (!stage || id.definition < 0 || id.definition >= static_cast<int>(stage->definitions.size()))
        return nullptr;
    return &stage->definitions[static_cast<std::size_t>(id.definition)];
}

// A loop of `nest` that the loop `from` became, or was made of; empty: none. Ids are given in the
// order in which a script makes loops, so that those of a shared beginning are the same in both
// schedules.
std::string relative(const DefinitionState& before, const DefinitionState& after, int from) {
    auto standing = [&](int id) {
        const int at = after.position_of(id);
        return at < 0 ? std::string() : after.loops[static_cast<std::size_t>(at)].name;
    };
    int loop = from;
    for (const auto& r : after.relations) { // in the order in which they were made
        if (r.kind == Relation::Kind::Split && r.parent == loop)
            loop = r.outer;
        if (r.kind == Relation::Kind::Fuse && (r.outer == loop || r.inner == loop))
            loop = r.parent;
    }
    if (auto name = standing(loop); !name.empty())
        return name;
    loop = from;
    for (auto r = before.relations.rbegin(); r != before.relations.rend(); ++r) {
        if (r->kind == Relation::Kind::Split && (r->outer == loop || r->inner == loop))
            loop = r->parent;
        else if (r->kind == Relation::Kind::Fuse && r->parent == loop)
            loop = r->outer;
        else
            continue;
        if (auto name = standing(loop); !name.empty())
            return name;
    }
    return {};
}

} // namespace

NodeId surviving_selection(const ScheduleTree& before, const ScheduleTree& after,
                           const NodeId& id) {
    if (id.stage.empty() || after.find(id))
        return id;
    // A loop that has become one with another's.
    if (const NodeId shared = shown_loop(after, id); after.find(shared))
        return shared;
    const auto *was = nest_of(before, id), *now = nest_of(after, id);
    const auto* loop = was ? was->find(id.name) : nullptr;
    if (loop && now)
        if (const auto name = relative(*was, *now, loop->id); !name.empty())
            if (NodeId found{id.stage, id.definition, name}; after.find(found))
                return found;
    // Inputs and inlined stages have no row in the tree, and can be looked at all the same.
    if (after.find_stage(id.stage) || (after.derived && after.derived->find(id.stage)))
        return {id.stage, -1, "@stage"};
    if (after.pipeline->outputs.empty())
        return {};
    return {after.pipeline->outputs.front().stage, -1, "@stage"};
}

std::vector<NodeId> surviving_others(const ScheduleTree& before, const ScheduleTree& after,
                                     const std::vector<NodeId>& others, const NodeId& selection) {
    std::vector<NodeId> out;
    for (const auto& id : others)
        if (const auto now = surviving_selection(before, after, id);
            now.stage == id.stage && now != selection &&
            std::find(out.begin(), out.end(), now) == out.end())
            out.push_back(now);
    return out;
}

} // namespace loopscope::session
