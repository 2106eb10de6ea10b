#include "compiler/worker/enclosure/reduction.h"

#include "compiler/worker/enclosure/sums.h"
#include "compiler/worker/enclosure/terms.h"
#include "compiler/worker/extension.h"

#include <limits>

namespace loopscope::worker {

namespace {

class ReductionEncloser {
public:
    ReductionEncloser(const ReductionTerms& terms, StagesBeside& making)
        : terms_(terms), term_(terms.term), making_(making), stage_(making.original) {}

    std::vector<Enclosure> enclose() {
        if (term_.exact() && !terms_.reassociated)
            return as_it_is();
        std::vector<Enclosure> components{value()};
        if (is_arg(terms_.definition.reduction))
            components.push_back(rank());
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
        if ((sum || product) && !is_float(type)) // wraps, and so depends on no order
            return step_by_step(type);
        if (product)
            return terms_.reassociated ? product_in_any_order(type) : step_by_step(type);
        if (sum)
            return terms_.reassociated || terms_.contracted ? sum_in_any_order(type)
                                                            : sum_in_order(type);
        return each_end(op == ReductionOp::ArgMin   ? ReductionOp::Min
                        : op == ReductionOp::ArgMax ? ReductionOp::Max
                                                    : op);
    }

    // Which term is the least or greatest? The one with the best worst end, if no other may reach
    // that; else any may be.
    Enclosure rank() {
        const bool least = terms_.definition.reduction == ReductionOp::ArgMin;
        const auto &worst = least ? term_.high : term_.low, &best = least ? term_.low : term_.high;
        const auto& winner = beside(terms_.definition.reduction, stage_.types, worst);
        const auto bar = own_element(winner, 0), place = own_element(winner, 1);
        auto beaten = binary(least ? Op::Greater : Op::Less, best, bar); // never by a NaN
        auto contenders = over_terms(ReductionOp::Sum, select(beaten, number(0), number(1)));
        // What all terms have to beat has a rank of its own.
        auto identity = reduction_identity(terms_.definition.reduction, stage_.types).front();
        auto certain = binary(Op::LogicalAnd, binary(Op::Equal, contenders, number(1)),
                              binary(least ? Op::Less : Op::Greater, bar, identity));
        auto none = anything(place->type);
        return {select(certain, place, none.low), select(certain, place, none.high)};
    }

    // In the reference's order, one operation after the other, as updates are.
    Enclosure step_by_step(ScalarType type) {
        const auto op = terms_.definition.reduction;
        auto stage = stage_beside(stage_, making_.next_name(), {type, type});
        auto first = reduction_identity(op, {type}).front();
        stage.definitions = {pure_definition(stage, {first, first})};
        const Enclosure before{own_element(stage, 0), own_element(stage, 1)};
        auto after =
            enclose_binary(op == ReductionOp::Product ? Op::Multiply : Op::Add, before, term_);
        auto step = terms_.definition;
        step.kind = DefinitionKind::Update;
        step.update = UpdateOp::Assign;
        step.values = {after.low, after.high};
        step.condition = terms_.condition;
        step.left = before.low->args;
        step.free = stage.variables;
        stage.definitions.push_back(std::move(step));
        making_.stages.push_back(std::move(stage));
        return before;
    }

    // As each addition is monotone, the sums of the ends are the ends; but infinities of both signs
    // give a NaN, wherever among the terms or the partial sums they are: then the low sum has come
    // to one, and the high sum to the other.
    Enclosure sum_in_order(ScalarType type) {
        auto ends = each_end(ReductionOp::Sum);
        const double infinity = std::numeric_limits<double>::infinity();
        auto both =
            binary(Op::LogicalAnd, binary(Op::Equal, ends.low, constant_float(type, -infinity)),
                   binary(Op::Equal, ends.high, constant_float(type, infinity)));
        auto none = anything(type);
        return {select(both, none.low, ends.low), select(both, none.high, ends.high)};
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
        return own_element(beside(op, {term->type}, term), 0);
    }

    // The stage that holds it: the last one, until another is made.
    const Stage& beside(ReductionOp op, const std::vector<ScalarType>& types, const ExprPtr& term) {
        auto stage = stage_beside(stage_, making_.next_name(), types);
        stage.definitions = {terms_.definition};
        stage.definitions[0].reduction = op;
        stage.definitions[0].values.resize(types.size()); // the term's rank stays
        stage.definitions[0].values[0] = term;
        stage.definitions[0].condition = terms_.condition;
        making_.stages.push_back(std::move(stage));
        return making_.stages.back();
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
