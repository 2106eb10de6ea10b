#include "compiler/worker/exactness.h"

#include "compiler/worker/float_values.h"
#include "core/ir/box.h"

#include <algorithm>
#include <cmath>

namespace loopscope::worker {

namespace {

const std::string kSize = ".size";
const std::string kPart = ".part";

bool is_empty(const Box& box) {
    return std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.empty(); });
}

ExprPtr part_of(const ExprPtr& term) {
    return unary(Op::Abs, binary(Op::Subtract, term, unary(Op::Floor, term)));
}

// What a term, or an element's value before an update, adds to `size`.
ExprPtr size_of(bool sum, const ExprPtr& term) {
    auto magnitude = unary(Op::Abs, term);
    return sum ? magnitude : binary(Op::Max, magnitude, constant_float(term->type, 1));
}

std::vector<ExprPtr> variables_of(const Stage& stage) {
    std::vector<ExprPtr> list;
    for (const auto& name : stage.variables)
        list.push_back(variable(name));
    return list;
}

// `e` with reads of the stage `from` going to the stage `to`.
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
    for (auto& value : definition.values)
        value = reading(value, from, to);
    for (auto& index : definition.left)
        index = reading(index, from, to);
    definition.condition = reading(definition.condition, from, to);
    return definition;
}

class Witnessing {
public:
    Witnessing(const Pipeline& pipeline, const DefinitionSet& contracted)
        : extended_(std::make_shared<Pipeline>(pipeline)), contracted_(contracted) {}

    void add(const Stage& stage, int index, const Box& box) {
        const auto& definition = stage.definitions[static_cast<std::size_t>(index)];
        if (definition.kind == DefinitionKind::Reduction)
            beside_reduction(stage, index, box);
        else if (definition.kind == DefinitionKind::Update)
            beside_update(stage, index, box);
    }

    Witnesses take() {
        extended_->seal();
        return {extended_, witness_contracted_};
    }

private:
    void beside_reduction(const Stage& stage, int index, const Box& box) {
        const auto& definition = stage.definitions.front();
        bool sum = definition.reduction == ReductionOp::Sum;
        if ((!sum && definition.reduction != ReductionOp::Product) || !is_float(stage.types[0]))
            return;
        const auto& term = definition.values.front();
        const auto name = witness_name(stage, index);
        auto size = named(stage, name + ".sizes", {stage.types[0]});
        size.definitions = {definition};
        size.definitions[0].values = {size_of(sum, term)};
        auto part = named(stage, name + ".parts", {stage.types[0]});
        part.definitions = {definition};
        part.definitions[0].values = {part_of(term)};
        part.definitions[0].reduction = ReductionOp::Max;
        contract_as(stage, index, size.name, 0);
        contract_as(stage, index, part.name, 0);
        extended_->stages.push_back(size);
        extended_->stages.push_back(part);
        add_output(size, 0, name + kSize, box);
        add_output(part, 0, name + kPart, box);
    }

    // Three stages: the stage as it is before the update; the update of a tuple, the stage's own components and the
    // witnesses of each; and those as outputs.
    void beside_update(const Stage& stage, int index, const Box& box) {
        const auto& update = stage.definitions[static_cast<std::size_t>(index)];
        bool sum = update.update == UpdateOp::Add;
        std::vector<std::size_t> judged;
        for (std::size_t c = 0; c < stage.types.size(); ++c)
            if (is_float(stage.types[c]))
                judged.push_back(c);
        if ((!sum && update.update != UpdateOp::Multiply) || judged.empty())
            return;
        const auto name = witness_name(stage, index);
        auto before = named(stage, name + ".before", stage.types);
        for (int d = 0; d < index; ++d) {
            before.definitions.push_back(
                reading(stage.definitions[static_cast<std::size_t>(d)], stage.name, before.name));
            contract_as(stage, d, before.name, d);
        }
        auto during = named(stage, name + ".during", stage.types);
        for (auto c : judged)
            during.types.insert(during.types.end(), 2, stage.types[c]);
        during.definitions = {initial_values(stage, before.name, judged, sum),
                              steps(stage, update, during.name, judged)};
        contract_as(stage, index, during.name, 1);
        extended_->stages.push_back(before);
        extended_->stages.push_back(during);
        auto component = static_cast<int>(stage.types.size());
        for (auto c : judged) {
            auto of = stage.types.size() > 1 ? name + "." + std::to_string(c) : name;
            add_output(during, component++, of + kSize, box);
            add_output(during, component++, of + kPart, box);
        }
    }

    static Definition initial_values(const Stage& stage, const std::string& before,
                                     const std::vector<std::size_t>& judged, bool sum) {
        Definition pure;
        pure.free = stage.variables;
        for (std::size_t c = 0; c < stage.types.size(); ++c)
            pure.values.push_back(
                load(before, stage.types[c], variables_of(stage), static_cast<int>(c)));
        for (auto c : judged) {
            auto value = pure.values[c];
            pure.values.push_back(size_of(sum, value));
            pure.values.push_back(part_of(value));
        }
        return pure;
    }

    static Definition steps(const Stage& stage, const Definition& update, const std::string& during,
                            const std::vector<std::size_t>& judged) {
        auto step = reading(update, stage.name, during);
        step.update = UpdateOp::Assign;
        auto terms = step.values;
        auto old_value = [&](ScalarType type, std::size_t component) {
            return load(during, type, step.left, static_cast<int>(component));
        };
        for (std::size_t c = 0; c < terms.size(); ++c)
            step.values[c] = update_step(update.update, old_value(stage.types[c], c), terms[c]);
        auto component = stage.types.size();
        for (auto c : judged) {
            auto type = stage.types[c];
            auto size = size_of(update.update == UpdateOp::Add, terms[c]);
            step.values.push_back(update_step(update.update, old_value(type, component++), size));
            step.values.push_back(
                binary(Op::Max, old_value(type, component++), part_of(terms[c])));
        }
        return step;
    }

    static std::string witness_name(const Stage& stage, int index) {
        return stage.name + "@" + std::to_string(index);
    }

    static Stage named(const Stage& original, const std::string& name,
                       const std::vector<ScalarType>& types) {
        Stage stage;
        stage.name = stage.display_name = name;
        stage.origin = original.origin;
        stage.variables = original.variables;
        stage.types = types;
        return stage;
    }

    // One component over the stage's box as an output, which begins at 0.
    void add_output(const Stage& stage, int component, const std::string& name, const Box& box) {
        auto moved = named(stage, name, {stage.types[static_cast<std::size_t>(component)]});
        std::vector<ExprPtr> indices;
        Output output;
        output.stage = name;
        for (std::size_t d = 0; d < box.size(); ++d) {
            indices.push_back(binary(Op::Add, variable(stage.variables[d]),
                                     constant_int(ScalarType::I32, box[d].least)));
            output.extents.push_back(Extent(box[d].extent()));
        }
        Definition pure;
        pure.free = stage.variables;
        pure.values = {load(stage.name, moved.types[0], std::move(indices), component)};
        moved.definitions = {std::move(pure)};
        extended_->stages.push_back(std::move(moved));
        extended_->outputs.push_back(std::move(output));
    }

    void contract_as(const Stage& stage, int index, const std::string& witness,
                     int witness_index) {
        if (contracted_.count({stage.name, index}))
            witness_contracted_.emplace(witness, witness_index);
    }

    std::shared_ptr<Pipeline> extended_;
    const DefinitionSet& contracted_;
    DefinitionSet witness_contracted_;
};

bool ends_with(const std::string& text, const std::string& ending) {
    return text.size() > ending.size() &&
           text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

bool is_witness(const std::string& name) { return name.find('@') != std::string::npos; }

} // namespace

Result<Witnesses> with_witnesses(const PipelinePtr& pipeline, const DefinitionSet& reassociated,
                                 const DefinitionSet& contracted) {
    auto boxes = required_boxes(*pipeline);
    if (!boxes)
        return boxes.errors();
    Witnessing witnessing(*pipeline, contracted);
    for (const auto& [name, index] : reassociated)
        if (const auto* stage = pipeline->find(name))
            if (const auto& box = boxes->at(name); !is_empty(box))
                witnessing.add(*stage, index, box);
    return witnessing.take();
}

bool witnesses_say_exact(const std::map<std::string, Buffer>& outputs) {
    for (const auto& [name, buffer] : outputs) {
        if (!is_witness(name))
            continue;
        // Every whole number up to 2^p is representable. A witness below it was itself summed without rounding; one that
        // rounding brought down to it is not told from one that reached it, so it counts as beyond.
        const double limit = ends_with(name, kPart) ? 0 : std::ldexp(1, significand_bits(buffer.type));
        for (std::int64_t i = 0; i < buffer.count(); ++i) {
            double value = element_value(buffer, i);
            // An empty reduction's `part` is the identity of max, the least. A NaN fails both.
            if (!(limit == 0 ? value <= 0 : value < limit))
                return false;
        }
    }
    return true;
}

} // namespace loopscope::worker
