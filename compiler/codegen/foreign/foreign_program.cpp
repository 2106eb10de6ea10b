#include "compiler/codegen/foreign/foreign_program.h"

#include "core/schedule/reads.h"
#include "core/schedule/region.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

// Where a definition is served by copies, what is inlined into it reads those copies too: such a
// stage has no one body that would do for all its readers, so it stays substituted.
std::set<std::string> substituted(const ScheduleState& state) {
    std::set<std::string> out;
    CopyRoutes routes(state);
    auto collect = [&](auto&& self, const std::set<std::string>& names) -> void {
        for (const auto& name : names) {
            const auto* stage = state.find(name);
            if (!stage || stage->compute.kind != Placement::Kind::Inline ||
                !out.insert(name).second)
                continue;
            if (stage->copy_of.empty())
                self(self, state.reads->of(name, 0));
            else
                self(self, {stage->copy_of});
        }
    };
    for (const auto& stage : state.stages)
        for (std::size_t d = 0; d < stage->definitions.size(); ++d) {
            DefinitionKey key{stage->name, static_cast<int>(d)};
            if (stage->copy_of.empty() && routes.any(key))
                collect(collect, state.reads->of(key.first, key.second));
            // A copy of an inlined stage is made of its body.
            if (!stage->copy_of.empty())
                collect(collect, {stage->copy_of});
        }
    return out;
}

Box hull_if(const Box& a, const Box& b) { return a.size() == b.size() ? hull(a, b) : a; }

} // namespace

const ForeignStage* ForeignProgram::find(const std::string& name) const {
    for (const auto& stage : stages)
        if (stage.stage.name == name)
            return &stage;
    return nullptr;
}

bool ForeignProgram::has_first_reduction(const std::string& name) const {
    const auto* stage = find(name);
    return stage && stage->stage.definitions[0].kind == DefinitionKind::Reduction;
}

Result<ForeignProgram> foreign_program(const ScheduleTreePtr& tree) {
    if (!tree->pipeline->symbols.empty())
        return error("the size " + tree->pipeline->symbols[0].name +
                         " is known only at run time, and this exporter writes constant sizes",
                     "make it a param: param " + tree->pipeline->symbols[0].name + " = " +
                         std::to_string(tree->pipeline->symbols[0].hint));
    auto state = tree->state;
    const auto stay = substituted(state);
    std::set<std::string> inlined;
    std::vector<std::string> names;
    for (const auto& stage : state.stages)
        names.push_back(stage->name);
    for (const auto& name : names)
        if (state.find(name)->compute.kind == Placement::Kind::Inline && !stay.count(name)) {
            inlined.insert(name);
            state.edit(name).compute = Placement{};
        }
    auto derived = derive(state);
    ForeignProgram program;
    program.tree = tree;
    program.pipeline = derived.pipeline;
    auto boxes = required_boxes(*derived.pipeline);
    if (!boxes)
        return boxes.errors();
    program.boxes = std::move(*boxes);
    auto widen = [&](const std::string& name, const Box& by) {
        if (auto box = program.boxes.find(name); box != program.boxes.end())
            box->second = hull_if(box->second, by);
    };
    for (const auto& stage : tree->stages)
        if (!stage.inlined)
            widen(stage.stage.name, stage.box);
    for (const auto& [name, box] : tree->input_boxes)
        widen(name, box);
    for (auto& stage : derived.stages) {
        if (stage.inlined)
            continue;
        ForeignStage out;
        out.box = program.boxes.at(stage.stage.name);
        out.inlined = inlined.count(stage.stage.name) > 0;
        out.copy_of = stage.copy_of;
        out.factor_of = stage.factor_of;
        out.fused_step = stage.fused_step;
        out.atomic = stage.atomic;
        out.reassociates = stage.reassociates;
        out.stage = std::move(stage.stage);
        program.stages.push_back(std::move(out));
    }
    for (auto& stage : program.stages)
        stage.output = program.pipeline->find_output(stage.stage.name);
    return program;
}

Result<std::vector<ForeignStep>>
foreign_steps(const PipelinePtr& pipeline, const Schedule& schedule, const ApplyContext& context) {
    std::vector<ForeignStep> steps;
    auto state = ScheduleState::initial(pipeline);
    state.target = schedule.target;
    for (const auto& directive : schedule.directives) {
        const auto before = state;
        if (auto applied = apply_line(state, *directive, context); !applied)
            return applied.errors();
        bool first = true;
        for (const auto& stage : match_stages(before, directive->receiver.stage)) {
            auto receiver = directive->receiver;
            receiver.stage = stage;
            steps.push_back({directive.get(), receiver, before, state, first});
            first = false;
        }
    }
    return steps;
}

std::map<int, std::int64_t> loop_extents(const ScheduleTree& tree, const std::string& stage,
                                         int definition) {
    std::map<int, std::int64_t> extents;
    const auto* state = tree.state.find(stage);
    auto found = tree.layout->stages.find(stage);
    if (!state || found == tree.layout->stages.end())
        return extents;
    const auto& nest = state->definitions[static_cast<std::size_t>(definition)];
    const auto& layout = found->second.nests[static_cast<std::size_t>(definition)];
    for (std::size_t i = 0; i < nest.roots.size() && i < layout.computed.size(); ++i)
        extents[nest.roots[i].id] = layout.computed[i];
    for (const auto& relation : nest.relations) {
        if (relation.kind == Relation::Kind::Fuse) {
            if (extents.count(relation.outer) && extents.count(relation.inner))
                extents[relation.parent] = extents[relation.outer] * extents[relation.inner];
        } else if (auto whole = extents.find(relation.parent); whole != extents.end()) {
            extents[relation.outer] = (whole->second + relation.factor - 1) / relation.factor;
            extents[relation.inner] = relation.factor;
        }
    }
    // What was found of loops as they stand counts more: a shifted or padded tail changes it.
    for (std::size_t l = 0; l < nest.loops.size() && l < layout.extents.size(); ++l)
        if (!extents.count(nest.loops[l].id))
            extents[nest.loops[l].id] = layout.extents[l];
    return extents;
}

bool divides_everywhere(const ScheduleTree& tree, const std::string& stage, int definition) {
    const auto* state = tree.state.find(stage);
    auto extents = loop_extents(tree, stage, definition);
    for (const auto& relation : state->definitions[static_cast<std::size_t>(definition)].relations)
        if (relation.kind == Relation::Kind::Split) {
            auto whole = extents.find(relation.parent);
            if (whole == extents.end() || whole->second % relation.factor != 0)
                return false;
        }
    return true;
}

} // namespace loopscope::codegen
