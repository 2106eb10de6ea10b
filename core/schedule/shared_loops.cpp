#include "core/schedule/shared_loops.h"

#include "core/schedule/merging.h"

namespace loopscope {

namespace {

const DefinitionState* nest_of(const ScheduleTree& tree, const DefinitionKey& key) {
    const StageState* stage = tree.state.find(key.first);
    return stage && key.second >= 0 && key.second < static_cast<int>(stage->definitions.size())
               ? &stage->definitions[static_cast<std::size_t>(key.second)]
               : nullptr;
}

// The loop at a place of a nest, as whoever gives it names it.
NodeId given_loop(const ScheduleTree& tree, DefinitionKey key, std::size_t position) {
    const DefinitionState* nest = nest_of(tree, key);
    while (nest->with && position < merged_loops(tree.state, key)) {
        key = {nest->with->stage, nest->with->definition};
        nest = nest_of(tree, key);
    }
    return {key.first, key.second, nest->loops[position].name};
}

} // namespace

NodeId shown_loop(const ScheduleTree& tree, const NodeId& id) {
    if (tree.find(id))
        return id;
    static const std::string init = "@init";
    std::string name = id.name;
    if (name.ends_with(init))
        name.resize(name.size() - init.size());
    const DefinitionKey key{id.stage, id.definition};
    const DefinitionState* nest = nest_of(tree, key);
    const int position = nest ? nest->position(name) : -1;
    if (position < 0)
        return id;
    const NodeId given = given_loop(tree, key, static_cast<std::size_t>(position));
    return tree.find(given) ? given : id;
}

std::vector<NodeId> borrowed_loops(const ScheduleTree& tree, const std::string& stage,
                                   int definition) {
    std::vector<NodeId> loops;
    const DefinitionKey key{stage, definition};
    if (const DefinitionState* nest = nest_of(tree, key); nest && nest->with)
        for (std::size_t p = 0; p < merged_loops(tree.state, key); ++p)
            loops.push_back(given_loop(tree, key, p));
    return loops;
}

std::vector<DefinitionKey> sharers(const ScheduleTree& tree, const NodeId& loop) {
    const DefinitionKey key{loop.stage, loop.definition};
    const DefinitionState* nest = nest_of(tree, key);
    const int position = nest ? nest->position(loop.name) : -1;
    std::vector<DefinitionKey> out;
    if (position < 0 || !any_merges(tree.state))
        return out;
    for (const DefinitionKey& member : merge_group(tree.state, key)) {
        const DefinitionState& its = *nest_of(tree, member);
        if (position < static_cast<int>(its.loops.size()) &&
            given_loop(tree, member, static_cast<std::size_t>(position)) == loop)
            out.push_back(member);
    }
    return out.size() > 1 ? out : std::vector<DefinitionKey>();
}

} // namespace loopscope
