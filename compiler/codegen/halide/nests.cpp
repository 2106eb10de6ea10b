#include "compiler/codegen/halide/nests.h"

#include <tuple>

namespace loopscope::codegen {

bool HalideNestTable::hosts(const std::string& stage) const {
    for (const auto& other : program_.tree->state.stages)
        for (const auto* placement : {&other->compute, &other->store})
            if (placement->kind == Placement::Kind::At && placement->at.stage == stage)
                return true;
    return false;
}

HalideNests& HalideNestTable::of(const std::string& stage, int definition, CWriter& out) {
    DefinitionRef key{stage, definition};
    if (auto known = nests_.find(key); known != nests_.end())
        return known->second;
    const auto& foreign = *program_.find(stage);
    const auto& made = algorithm_.stages.at(stage);
    const auto& own = foreign.stage.definitions[static_cast<std::size_t>(definition)];
    bool reduces = program_.has_first_reduction(stage);
    HalideNests nests;
    auto fill = [&](HalideNest& nest) {
        for (const auto& free : own.free)
            nest.loops[free] = {made.variables[foreign.stage.dimension_of(free)], false};
    };
    int update = definition - (reduces ? 0 : 1);
    nests.main.target =
        update < 0 ? made.func : made.func + ".update(" + std::to_string(update) + ")";
    nests.main.suffix = update < 0 ? "" : "_u" + std::to_string(update);
    fill(nests.main);
    for (std::size_t a = 0; a < own.axes.size(); ++a)
        nests.main.loops[own.axes[a].name] = {
            made.reductions[static_cast<std::size_t>(definition)][a], true};
    if (definition == 0 && reduces) {
        nests.init.emplace();
        nests.init->target = made.func;
        nests.init->suffix = "_init";
        fill(*nests.init);
    }
    if (update >= 0 && hosts(stage))
        name_apart(stage, nests.main, out);
    return nests_.emplace(key, std::move(nests)).first->second;
}

void HalideNestTable::name_apart(const std::string& stage, HalideNest& nest, CWriter& out) {
    for (auto& [name, loop] : nest.loops) {
        if (loop.reduction)
            continue;
        auto apart = halide_variable(algorithm_, dialect_, name + nest.suffix);
        owners_[stage][apart] = nest.target;
        out.line(nest.target + ".rename(" + loop.name + ", " + apart + ");");
        loop.name = apart;
    }
}

HalideLoop HalideNestTable::make(const std::string& stage, HalideNest& nest,
                                 const std::string& name, bool reduction) {
    if (reduction) {
        auto [known, fresh] = reductions_.emplace(name, "");
        if (fresh) {
            known->second = dialect_.names.unique(name);
            algorithm_.members.line("RVar " + known->second + "{\"" + known->second + "\"};");
        }
        return {known->second, true};
    }
    auto variable = halide_variable(algorithm_, dialect_, name);
    auto& owner = owners_[stage].emplace(variable, nest.target).first->second;
    if (owner != nest.target) {
        variable = halide_variable(algorithm_, dialect_, name + nest.suffix);
        owners_[stage].emplace(variable, nest.target);
    }
    return {variable, false};
}

} // namespace loopscope::codegen
