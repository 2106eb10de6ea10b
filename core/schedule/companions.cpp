#include "core/schedule/companions.h"

namespace loopscope {

std::vector<std::string> companions(const ScheduleState& state, const std::string& stage) {
    std::vector<std::string> out;
    const auto* own = state.find(stage);
    if (!own || own->copy_of.empty())
        return out;
    for (const auto& other : state.stages)
        if (other->name != stage && !other->copy_of.empty() && other->copy_of != own->copy_of &&
            other->scope.name == own->scope.name && other->compute == own->compute &&
            other->copy_readers == own->copy_readers)
            out.push_back(other->name);
    return out;
}

NodeId counterpart(const ScheduleState& state, const NodeId& id, const std::string& stage) {
    const auto *own = state.find(id.stage), *other = state.find(stage);
    if (!own || !other)
        return {};
    if (id.definition < 0)
        return {stage, id.definition, id.name};
    const auto d = static_cast<std::size_t>(id.definition);
    if (d >= own->definitions.size() || d >= other->definitions.size())
        return {};
    const auto &nest = own->definitions[d].loops, &its = other->definitions[d].loops;
    const int position = own->definitions[d].position(id.name);
    if (position < 0) // a role
        return {stage, id.definition, id.name};
    return nest.size() == its.size()
               ? NodeId{stage, id.definition, its[static_cast<std::size_t>(position)].name}
               : NodeId{};
}

} // namespace loopscope
