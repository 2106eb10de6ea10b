#include "compiler/worker/extension.h"
#include "core/ir/definition_expressions.h"

namespace loopscope::worker {

ExprPtr reading(const ExprPtr& e, const std::string& from, const std::string& to) {
    if (!e)
        return e;
    return rewrite(e, [&](const ExprPtr& node) {
        return node->kind == ExprKind::Load && node->name == from
                   ? load(to, node->type, node->args, node->component, node->where)
                   : node;
    });
}

Definition reading(Definition definition, const std::string& from, const std::string& to) {
    each_expression(definition, [&](ExprPtr& e) { e = reading(e, from, to); });
    return definition;
}

Stage stage_beside(const Stage& original, const std::string& name,
                   const std::vector<ScalarType>& types) {
    Stage stage;
    stage.name = stage.display_name = name;
    stage.origin = original.origin;
    stage.variables = original.variables;
    stage.types = types;
    return stage;
}

Definition pure_definition(const Stage& stage, std::vector<ExprPtr> values) {
    Definition pure;
    pure.free = stage.variables;
    pure.values = std::move(values);
    return pure;
}

ExprPtr own_element(const Stage& stage, int component) {
    std::vector<ExprPtr> indices;
    for (const auto& name : stage.variables)
        indices.push_back(variable(name));
    return load(stage.name, stage.types[static_cast<std::size_t>(component)], std::move(indices),
                component);
}

void add_box_output(Pipeline& pipeline, const Stage& stage, int component, const std::string& name,
                    const Box& box) {
    auto moved = stage_beside(stage, name, {stage.types[static_cast<std::size_t>(component)]});
    std::vector<ExprPtr> indices;
    Output output;
    output.stage = name;
    for (std::size_t d = 0; d < box.size(); ++d) {
        indices.push_back(binary(Op::Add, variable(stage.variables[d]),
                                 constant_int(ScalarType::I32, box[d].least)));
        output.extents.push_back(Extent(box[d].extent()));
    }
    moved.definitions = {
        pure_definition(moved, {load(stage.name, moved.types[0], std::move(indices), component)})};
    pipeline.stages.push_back(std::move(moved));
    pipeline.outputs.push_back(std::move(output));
}

void add_window_output(Pipeline& pipeline, const Stage& stage, const std::string& name,
                       const std::vector<std::int64_t>& offset,
                       const std::vector<std::int64_t>& extents) {
    auto window = stage_beside(stage, name, stage.types);
    std::vector<ExprPtr> indices;
    Output output;
    output.stage = name;
    for (std::size_t d = 0; d < offset.size(); ++d) {
        indices.push_back(binary(Op::Add, variable(window.variables[d]),
                                 constant_int(ScalarType::I32, offset[d])));
        output.extents.push_back(Extent(extents[d]));
    }
    std::vector<ExprPtr> values;
    for (std::size_t c = 0; c < window.types.size(); ++c)
        values.push_back(load(stage.name, window.types[c], indices, static_cast<int>(c)));
    window.definitions = {pure_definition(window, std::move(values))};
    pipeline.stages.push_back(std::move(window));
    pipeline.outputs.push_back(std::move(output));
}

} // namespace loopscope::worker
