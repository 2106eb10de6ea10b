#include "compiler/worker/exactness.h"

#include "core/ir/box.h"

namespace loopscope::worker {

namespace {

const std::string kSize = "@size";
const std::string kPart = "@part";

// 2^24, 2^53: every whole number up to it is representable. A witness below it was itself summed without rounding; one
// that rounding brought down to it is not told from one that reached it, so it counts as beyond.
double whole_limit(ScalarType type) {
    return type == ScalarType::F32 ? 16777216.0 : 9007199254740992.0;
}

// A stage named `name` of the region `box` of `original`, moved to begin at 0 as outputs must, with the reduction `op`
// over `term` in place of the original's.
Stage moved_stage(const Stage& original, const std::string& name, const Box& box, ReductionOp op,
                  ExprPtr term) {
    Stage stage;
    stage.name = stage.display_name = name;
    stage.origin = original.origin;
    stage.variables = original.variables;
    stage.types = {original.types.front()};
    Definition definition = original.definitions.front();
    definition.reduction = op;
    auto move = [&](const ExprPtr& e) {
        return e ? substitute(
                       e,
                       [&](const std::string& variable_name) -> ExprPtr {
                           for (std::size_t d = 0; d < original.variables.size(); ++d)
                               if (original.variables[d] == variable_name && box[d].least != 0)
                                   return binary(Op::Add, variable(variable_name),
                                                 constant_int(ScalarType::I32, box[d].least));
                           return nullptr;
                       })
                 : e;
    };
    definition.values = {move(term)};
    definition.condition = move(definition.condition);
    stage.definitions = {std::move(definition)};
    return stage;
}

bool is_judged(const Stage& stage, int index) {
    const auto& definition = stage.definitions[static_cast<std::size_t>(index)];
    bool by_op =
        definition.reduction == ReductionOp::Sum || definition.reduction == ReductionOp::Product;
    return index == 0 && definition.kind == DefinitionKind::Reduction && by_op &&
           stage.types.size() == 1 && is_float(stage.types.front());
}

void add_output(Pipeline& pipeline, Stage stage, const Box& box) {
    Output output;
    output.stage = stage.name;
    for (const auto& interval : box)
        output.extents.push_back(Extent(interval.extent()));
    pipeline.stages.push_back(std::move(stage));
    pipeline.outputs.push_back(std::move(output));
}

} // namespace

Result<PipelinePtr> with_witnesses(const PipelinePtr& pipeline, const DefinitionSet& reassociated) {
    auto boxes = required_boxes(*pipeline);
    if (!boxes)
        return boxes.errors();
    auto extended = std::make_shared<Pipeline>(*pipeline);
    for (const auto& [name, index] : reassociated) {
        const auto* stage = pipeline->find(name);
        if (!stage || !is_judged(*stage, index))
            return PipelinePtr();
        const auto& box = boxes->at(name);
        const auto type = stage->types.front();
        const auto& definition = stage->definitions.front();
        auto term = definition.values.front();
        auto magnitude = unary(Op::Abs, term);
        bool sum = definition.reduction == ReductionOp::Sum;
        auto size = sum ? magnitude : binary(Op::Max, magnitude, constant_float(type, 1));
        auto part = unary(Op::Abs, binary(Op::Subtract, term, unary(Op::Floor, term)));
        add_output(*extended, moved_stage(*stage, name + kSize, box, definition.reduction, size),
                   box);
        add_output(*extended, moved_stage(*stage, name + kPart, box, ReductionOp::Max, part), box);
    }
    extended->seal();
    return PipelinePtr(std::move(extended));
}

namespace {

double element(const Buffer& buffer, std::int64_t i) {
    return buffer.type == ScalarType::F32 ? buffer.as<float>()[i] : buffer.as<double>()[i];
}

bool ends_with(const std::string& text, const std::string& ending) {
    return text.size() > ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

} // namespace

bool witnesses_say_exact(const std::map<std::string, Buffer>& outputs) {
    for (const auto& [name, buffer] : outputs) {
        bool is_size = ends_with(name, kSize), is_part = ends_with(name, kPart);
        if (!is_size && !is_part)
            continue;
        for (std::int64_t i = 0; i < buffer.count(); ++i) {
            double value = element(buffer, i);
            // An empty reduction's `part` is the identity of max, the least. A NaN fails both.
            if (!(is_part ? value <= 0 : value < whole_limit(buffer.type)))
                return false;
        }
    }
    return true;
}

} // namespace loopscope::worker
