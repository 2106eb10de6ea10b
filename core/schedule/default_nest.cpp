#include "core/schedule/default_nest.h"

namespace loopscope {

DefinitionState default_nest(const Stage& stage, const Definition& definition) {
    DefinitionState nest;
    auto add = [&](const std::string& axis, bool reduction) {
        LoopState loop;
        loop.id = nest.next_id++;
        loop.name = axis;
        loop.reduction = reduction;
        nest.roots.push_back(loop);
    };
    for (const auto& variable :
         definition.kind == DefinitionKind::Update ? definition.free : stage.variables)
        add(variable, false);
    for (const auto& axis : definition.axes)
        add(axis.name, true);
    nest.loops = nest.roots;
    return nest;
}

} // namespace loopscope
