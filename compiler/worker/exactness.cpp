#include "compiler/worker/exactness.h"

#include "compiler/worker/float_values.h"
#include "core/ir/box.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace loopscope::worker {

namespace {

const std::string kSize = ".size";
const std::string kGrain = ".grain";
constexpr int kGrains[] = {0, 4, 8, 12, 16};

bool is_empty(const Box& box) {
    return std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.empty(); });
}

// g of the header. Scaling by a power of two is exact; what overflows by it is not told apart, and counts as no multiple.
ExprPtr grain_of(bool sum, const ExprPtr& term) {
    auto type = term->type;
    auto grain = constant_float(type, std::numeric_limits<double>::infinity());
    for (auto g = std::rbegin(kGrains); g != std::rend(kGrains); ++g) {
        if (!sum && *g != 0)
            continue;
        auto scaled = binary(Op::Multiply, term, constant_float(type, std::ldexp(1, *g)));
        auto rest = binary(Op::Subtract, scaled, unary(Op::Floor, scaled));
        grain = select(binary(Op::Equal, rest, constant_float(type, 0)), constant_float(type, *g),
                       grain);
    }
    return grain;
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
        auto grain = named(stage, name + ".grains", {stage.types[0]});
        grain.definitions = {definition};
        grain.definitions[0].values = {grain_of(sum, term)};
        grain.definitions[0].reduction = ReductionOp::Max;
        contract_as(stage, index, size.name, 0);
        contract_as(stage, index, grain.name, 0);
        extended_->stages.push_back(size);
        extended_->stages.push_back(grain);
        add_output(size, 0, name + kSize, box);
        add_output(grain, 0, name + kGrain, box);
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
            add_output(during, component++, of + kGrain, box);
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
            pure.values.push_back(grain_of(sum, value));
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
            bool sum = update.update == UpdateOp::Add;
            auto size = size_of(sum, terms[c]);
            step.values.push_back(update_step(update.update, old_value(type, component++), size));
            step.values.push_back(
                binary(Op::Max, old_value(type, component++), grain_of(sum, terms[c])));
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

    void contract_as(const Stage& stage, int index, const std::string& witness, int witness_index) {
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

// Of a witness's size and the grain beside it.
Exactness judged(const Buffer& sizes, const Buffer& grains) {
    const int precision = significand_bits(sizes.type);
    auto answer = Exactness::Exact;
    for (std::int64_t i = 0; i < sizes.count(); ++i) {
        double size = element_value(sizes, i), grain = element_value(grains, i);
        if (std::isinf(grain) && grain > 0)
            return Exactness::NoGrain;
        // An empty reduction's grain is the identity of max, the least. Every multiple up to 2^(p - grain) is
        // representable. A witness below it was itself summed without rounding; one that rounding brought down to it is
        // not told from one that reached it, so it counts as beyond. A NaN is never below.
        int fraction = grain > 0 ? static_cast<int>(grain) : 0;
        if (!(size < std::ldexp(1, precision - fraction)))
            answer = Exactness::TooLarge;
    }
    return answer;
}

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

Exactness exactness_of(const std::map<std::string, Buffer>& outputs) {
    auto answer = Exactness::Exact;
    for (const auto& [name, sizes] : outputs) {
        if (name.find('@') == std::string::npos || !ends_with(name, kSize))
            continue;
        const auto& grains = outputs.at(name.substr(0, name.size() - kSize.size()) + kGrain);
        auto one = judged(sizes, grains);
        if (one == Exactness::NoGrain)
            return one;
        if (one == Exactness::TooLarge)
            answer = one;
    }
    return answer;
}

} // namespace loopscope::worker
