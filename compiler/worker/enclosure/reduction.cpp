#include "compiler/worker/enclosure/reduction.h"

#include "compiler/worker/enclosure/sums.h"
#include "compiler/worker/extension.h"

namespace loopscope::worker {

namespace {

constexpr auto kWide = ScalarType::F64;

ExprPtr wide(const ExprPtr& e) { return cast(kWide, e); }
ExprPtr number(double value) { return constant_float(kWide, value); }

class ReductionEncloser {
public:
    ReductionEncloser(const ReductionTerms& terms, StagesBeside& making)
        : terms_(terms), term_(terms.term), making_(making), stage_(making.original) {}

    std::vector<Enclosure> enclose() {
        if (term_.exact() && !terms_.reassociated)
            return as_it_is();
        std::vector<Enclosure> components{value()};
        if (is_arg(terms_.definition.reduction)) // the rank of what may be another term
            components.push_back(anything(stage_.types[1]));
        return components;
    }

private:
    std::vector<Enclosure> as_it_is() {
        auto stage = stage_beside(stage_, making_.next_name(), stage_.types);
        stage.definitions = {terms_.definition};
        stage.definitions[0].values[0] = term_.low;
        stage.definitions[0].condition = terms_.condition;
        if (terms_.contracted)
            making_.contracted.emplace(stage.name, 0);
        std::vector<Enclosure> components;
        for (std::size_t c = 0; c < stage_.types.size(); ++c)
            components.push_back(exactly(own_element(stage, static_cast<int>(c))));
        making_.stages.push_back(std::move(stage));
        return components;
    }

    Enclosure value() {
        auto type = stage_.types.front();
        const auto op = terms_.definition.reduction;
        const bool sum = op == ReductionOp::Sum, product = op == ReductionOp::Product;
        if ((sum || product) && !is_float(type))
            return anything(type); // integers wrap
        if (product)
            return product_in_any_order(type);
        if (sum && (terms_.reassociated || terms_.contracted))
            return sum_in_any_order(type);
        return each_end(op == ReductionOp::ArgMin   ? ReductionOp::Min
                        : op == ReductionOp::ArgMax ? ReductionOp::Max
                                                    : op);
    }

    // What is monotone in each of its terms.
    Enclosure each_end(ReductionOp op) {
        auto low = over_terms(op, term_.low);
        return {low, term_.exact() ? low : over_terms(op, term_.high)};
    }

    Enclosure sum_in_any_order(ScalarType type) {
        auto low = over_terms(ReductionOp::Sum, wide(term_.low));
        auto high = term_.exact() ? low : over_terms(ReductionOp::Sum, wide(term_.high));
        auto size = over_terms(ReductionOp::Sum, wide(greatest_magnitude(term_)));
        return enclose_sum(type, {low, high, size, count()}, terms_.contracted);
    }

    Enclosure product_in_any_order(ScalarType type) {
        ProductParts parts;
        parts.low = over_terms(ReductionOp::Product, wide(term_.low));
        if (!term_.exact())
            parts.width = over_terms(ReductionOp::Product, relative_width(term_));
        parts.above = over_terms(ReductionOp::Product, magnitude_above(term_));
        parts.below = over_terms(ReductionOp::Product, magnitude_below(term_));
        parts.count = count();
        return enclose_product(type, parts);
    }

    ExprPtr count() {
        if (terms_.condition)
            return over_terms(ReductionOp::Sum, number(1));
        double all = 1;
        for (const auto& axis : terms_.definition.axes)
            all *= static_cast<double>(axis.extent().hint());
        return number(all);
    }

    // What a reduction of another term over the same axes leaves at the same point.
    ExprPtr over_terms(ReductionOp op, const ExprPtr& term) {
        auto stage = stage_beside(stage_, making_.next_name(), {term->type});
        stage.definitions = {terms_.definition};
        stage.definitions[0].reduction = op;
        stage.definitions[0].values = {term};
        stage.definitions[0].condition = terms_.condition;
        auto element = own_element(stage, 0);
        making_.stages.push_back(std::move(stage));
        return element;
    }

    const ReductionTerms& terms_;
    const Enclosure& term_;
    StagesBeside& making_;
    const Stage& stage_;
};

} // namespace

std::string StagesBeside::next_name() const {
    return original.name + "@bounds." + std::to_string(stages.size());
}

Stage& StagesBeside::begin(const std::vector<ScalarType>& types, std::vector<ExprPtr> values) {
    auto stage = stage_beside(original, next_name(), types);
    stage.definitions = {pure_definition(stage, std::move(values))};
    stages.push_back(std::move(stage));
    return stages.back();
}

std::vector<Enclosure> enclose_reduction(const ReductionTerms& terms, StagesBeside& making) {
    return ReductionEncloser(terms, making).enclose();
}

} // namespace loopscope::worker
