#include "compiler/worker/exactness.h"

#include "compiler/run/float_values.h"
#include "compiler/worker/extension.h"
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

ExprPtr infinity(ScalarType type) {
    return constant_float(type, std::numeric_limits<double>::infinity());
}

// g of the header. Scaling by a power of two is exact; what overflows by it is not told apart, and
// counts as no multiple.
ExprPtr grain_of(bool sum, const ExprPtr& term) {
    auto type = term->type;
    auto grain = infinity(type);
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

ExprPtr is_value(const ExprPtr& e, double value) {
    return binary(Op::Equal, e, constant_float(e->type, value));
}

// Is the product a*b what its rounding made of it? The product of any narrower floats is exact in
// f64; of f64 what the rounding left out is, unless the product became 0 by it.
ExprPtr is_exact_product(const ExprPtr& product) {
    const auto &a = product->args[0], &b = product->args[1];
    constexpr auto kWide = ScalarType::F64;
    if (product->type != kWide)
        return binary(Op::Equal, cast(kWide, product),
                      binary(Op::Multiply, cast(kWide, a), cast(kWide, b)));
    auto of_zero = binary(Op::LogicalOr, is_value(a, 0), is_value(b, 0));
    return binary(Op::LogicalAnd, is_value(fma(a, b, unary(Op::Negate, product)), 0),
                  select(is_value(product, 0), of_zero, constant_bool(true)));
}

// g of the header, of a term that a contracted sum adds: a product joins it as it was before its
// rounding.
ExprPtr contracted_grain_of(const ExprPtr& term) {
    auto grain = grain_of(true, term);
    bool product = term->kind == ExprKind::Binary && term->op == Op::Multiply;
    return product ? select(is_exact_product(term), grain, infinity(term->type)) : grain;
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
        auto size = stage_beside(stage, name + ".sizes", {stage.types[0]});
        size.definitions = {definition};
        size.definitions[0].values = {size_of(sum, term)};
        auto grain = stage_beside(stage, name + ".grains", {stage.types[0]});
        grain.definitions = {definition};
        grain.definitions[0].values = {fuses(stage, index, sum) ? contracted_grain_of(term)
                                                                : grain_of(sum, term)};
        grain.definitions[0].reduction = ReductionOp::Max;
        contract_as(stage, index, size.name, 0);
        contract_as(stage, index, grain.name, 0);
        extended_->stages.push_back(size);
        extended_->stages.push_back(grain);
        add_box_output(*extended_, size, 0, name + kSize, box);
        add_box_output(*extended_, grain, 0, name + kGrain, box);
    }

    // Three stages: the stage as it is before the update; the update of a tuple, the stage's own
    // components and the witnesses of each; and those as outputs.
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
        auto before = stage_beside(stage, name + ".before", stage.types);
        for (int d = 0; d < index; ++d) {
            before.definitions.push_back(
                reading(stage.definitions[static_cast<std::size_t>(d)], stage.name, before.name));
            contract_as(stage, d, before.name, d);
        }
        auto during = stage_beside(stage, name + ".during", stage.types);
        for (auto c : judged)
            during.types.insert(during.types.end(), 2, stage.types[c]);
        during.definitions = {initial_values(stage, before.name, judged, sum),
                              steps(stage, update, during.name, judged, fuses(stage, index, sum))};
        contract_as(stage, index, during.name, 1);
        extended_->stages.push_back(before);
        extended_->stages.push_back(during);
        auto component = static_cast<int>(stage.types.size());
        for (auto c : judged) {
            auto of = stage.types.size() > 1 ? name + "." + std::to_string(c) : name;
            add_box_output(*extended_, during, component++, of + kSize, box);
            add_box_output(*extended_, during, component++, of + kGrain, box);
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
                            const std::vector<std::size_t>& judged, bool fused) {
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
            auto grain = fused ? contracted_grain_of(terms[c]) : grain_of(sum, terms[c]);
            step.values.push_back(binary(Op::Max, old_value(type, component++), grain));
        }
        return step;
    }

    // Does the definition add products by fma? Those of a tuple's parts it rounds
    // (reference/contraction.h).
    bool fuses(const Stage& stage, int index, bool sum) const {
        return sum && stage.types.size() == 1 && contracted_.count({stage.name, index});
    }

    static std::string witness_name(const Stage& stage, int index) {
        return stage.name + "@" + std::to_string(index);
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

// Judges by a witness's size and the grain beside it.
Exactness judged(const Buffer& sizes, const Buffer& grains) {
    const int precision = significand_bits(sizes.type);
    auto answer = Exactness::Exact;
    for (std::int64_t i = 0; i < sizes.count(); ++i) {
        double size = element_value(sizes, i), grain = element_value(grains, i);
        if (std::isinf(grain) && grain > 0)
            return Exactness::NoGrain;
        // An empty reduction's grain is the identity of max, the least. Every multiple up to 2^(p -
        // grain) is representable. A witness below it was itself summed without rounding; one that
        // rounding brought down to it is not told from one that reached it, so it counts as beyond.
        // A NaN is never below.
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
