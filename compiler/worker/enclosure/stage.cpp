#include "compiler/worker/enclosure/stage.h"

#include "compiler/run/reference/contraction.h"
#include "compiler/worker/enclosure/expression.h"
#include "compiler/worker/enclosure/reduction.h"
#include "compiler/worker/enclosure/sums.h"
#include "compiler/worker/enclosure/terms.h"
#include "compiler/worker/extension.h"
#include "core/ir/definition_expressions.h"

#include <optional>
#include <stdexcept>

namespace loopscope::worker {

namespace {

void append(std::vector<ExprPtr>& list, const Enclosure& e) {
    list.push_back(e.low);
    list.push_back(e.high);
}

// By component: are both ends one expression?
std::vector<bool> exact_pairs(const std::vector<ExprPtr>& values) {
    std::vector<bool> exact;
    for (std::size_t i = 0; i + 1 < values.size(); i += 2)
        exact.push_back(values[i] == values[i + 1]);
    return exact;
}

class StageEncloser {
public:
    StageEncloser(const Stage& stage, const Marks& marks, const StageEnclosures& others)
        : stage_(stage),
          marks_(marks),
          others_(others),
          making_(stage),
          exact_(stage.types.size(), true) {
        for (auto type : stage.types)
            types_.insert(types_.end(), 2, type);
    }

    EnclosedStage take() {
        for (std::size_t d = 0; d < stage_.definitions.size(); ++d)
            if (!add(static_cast<int>(d))) {
                give_up();
                break;
            }
        StageEnclosure enclosure{making_.stages.back().name, exact_};
        return {std::move(making_.stages), std::move(making_.contracted), std::move(enclosure)};
    }

private:
    using Values = std::vector<ExprPtr>;

    // False: nothing can be told from here on.
    bool add(int index) {
        definition_ = &stage_.definitions[static_cast<std::size_t>(index)];
        const std::pair<std::string, int> place{stage_.name, index};
        contracted_ = marks_.contracted.count(place) != 0;
        reassociated_ = marks_.reassociated.count(place) != 0;
        approximated_ = marks_.approximated.count(place) != 0;
        switch (definition_->kind) {
        case DefinitionKind::Pure: return pure();
        case DefinitionKind::Reduction: return reduction();
        case DefinitionKind::Update: return reassociated_ ? sum_by_updates() : update();
        }
        return false;
    }

    ExprPtr by_rule(const ExprPtr& e) const { return contracted_ ? reference::contracted(e) : e; }

    EnclosingExpressions enclosing(const std::vector<bool>& exact) const {
        EnclosingExpressions::Reads reads;
        reads.others = others_;
        reads.own = stage_.name;
        reads.before = {making_.stages.empty() ? "" : making_.stages.back().name, exact};
        return {std::move(reads), approximated_};
    }

    void give_up() {
        Values values;
        for (auto type : stage_.types)
            append(values, anything(type));
        exact_.assign(stage_.types.size(), false);
        making_.begin(types_, std::move(values));
    }

    bool pure() {
        auto enclose = enclosing(exact_);
        Values values;
        for (const auto& value : definition_->values)
            append(values, enclose.enclose(by_rule(value)));
        exact_ = exact_pairs(values);
        making_.begin(types_, std::move(values));
        return true;
    }

    bool reduction() {
        auto enclose = enclosing(exact_);
        ReductionTerms terms{*definition_, {}, {}, reassociated_, contracted_};
        if (definition_->condition) {
            auto condition = enclose.enclose(by_rule(definition_->condition));
            if (!condition.exact())
                return false;
            terms.condition = condition.low;
        }
        terms.term = enclose.enclose(by_rule(definition_->values.front()));
        Values values;
        for (const auto& component : enclose_reduction(terms, making_))
            append(values, component);
        exact_ = exact_pairs(values);
        making_.begin(types_, std::move(values));
        return true;
    }

    // An update in the reference's order. It reads what it has written, so that a component is
    // exact only if all that it takes of its own is, after the update too.
    bool update() {
        for (;;) {
            auto enclose = enclosing(exact_);
            auto update = placed(enclose);
            if (!update)
                return false;
            for (std::size_t c = 0; c < stage_.types.size(); ++c)
                append(update->values, enclose.enclose(new_value(c)));
            const auto before = exact_, after = exact_pairs(update->values);
            for (std::size_t c = 0; c < exact_.size(); ++c)
                exact_[c] = before[c] && after[c];
            if (exact_ != before)
                continue;
            making_.stages.back().definitions.push_back(std::move(*update));
            return true;
        }
    }

    ExprPtr new_value(std::size_t c) const {
        const auto& value = definition_->values[c];
        if (definition_->update == UpdateOp::Assign)
            return by_rule(value);
        auto before = load(stage_.name, stage_.types[c], definition_->left, static_cast<int>(c));
        return stage_.types.size() == 1 ? by_rule(update_step(definition_->update, before, value))
                                        : update_step(definition_->update, before, by_rule(value));
    }

    // The update with no values yet; nullopt: which elements it changes is in doubt.
    std::optional<Definition> placed(EnclosingExpressions& enclose) const {
        auto update = *definition_;
        update.update = UpdateOp::Assign;
        update.values.clear();
        auto settle = [&](ExprPtr& e) {
            auto place = enclose.enclose(by_rule(e));
            e = place.low;
            return place.exact();
        };
        for (auto& index : update.left)
            if (!settle(index))
                return std::nullopt;
        if (update.condition && !settle(update.condition))
            return std::nullopt;
        return update;
    }

    // Sums and products that updates make in any order: a tuple of the parts of each component, to
    // which the terms go as to the stage's own; then the enclosure that follows from them.
    bool sum_by_updates() {
        auto enclose = enclosing(exact_);
        auto step = placed(enclose);
        if (!step || reads_itself())
            return false;
        Values initial, next;
        std::vector<ScalarType> types;
        const auto during = making_.next_name();
        auto part = [&](const ExprPtr& first, const ExprPtr& term, Op op) {
            auto now = load(during, first->type, step->left, static_cast<int>(types.size()));
            initial.push_back(first);
            next.push_back(binary(op, now, term));
            types.push_back(first->type);
            return own_part(during, first->type, types.size() - 1);
        };
        Values after;
        for (std::size_t c = 0; c < stage_.types.size(); ++c)
            append(after, updated_component(c, enclose, part));
        auto& stage = making_.begin(types, std::move(initial));
        step->values = std::move(next);
        stage.definitions.push_back(std::move(*step));
        exact_ = exact_pairs(after);
        making_.begin(types_, std::move(after));
        return true;
    }

    template <typename Part>
    Enclosure updated_component(std::size_t c, EnclosingExpressions& enclose, Part part) {
        auto type = stage_.types[c];
        auto term = enclose.enclose(by_rule(definition_->values[c]));
        const auto& before = making_.stages.back().name;
        auto low = own_part(before, type, 2 * c);
        Enclosure first{low, exact_[c] ? low : own_part(before, type, 2 * c + 1)};
        const bool sum = definition_->update == UpdateOp::Add;
        if (!sum && definition_->update != UpdateOp::Multiply)
            throw std::logic_error("an update that neither adds nor multiplies is reassociated");
        const auto op = sum ? Op::Add : Op::Multiply;
        if (!is_float(type)) // wraps, and so depends on no order
            return term.exact() && first.exact() ? exactly(part(first.low, term.low, op))
                                                 : anything(type);
        if (sum) {
            SumParts parts;
            parts.low = part(wide(first.low), wide(term.low), op);
            parts.high = term.exact() && first.exact()
                             ? parts.low
                             : part(wide(first.high), wide(term.high), op);
            parts.size = part(wide(greatest_magnitude(first)), wide(greatest_magnitude(term)), op);
            parts.count = part(number(1), number(1), Op::Add);
            return enclose_sum(type, parts, contracted_);
        }
        ProductParts parts;
        parts.low = part(wide(first.low), wide(term.low), op);
        if (!term.exact() || !first.exact())
            parts.width = part(relative_width(first), relative_width(term), op);
        parts.above = part(magnitude_above(first), magnitude_above(term), op);
        parts.below = part(magnitude_below(first), magnitude_below(term), op);
        parts.count = part(number(1), number(1), Op::Add);
        return enclose_product(type, parts);
    }

    ExprPtr own_part(const std::string& from, ScalarType type, std::size_t component) const {
        Values point;
        for (const auto& name : stage_.variables)
            point.push_back(variable(name));
        return load(from, type, std::move(point), static_cast<int>(component));
    }

    // Then the order of the terms is part of what they are.
    bool reads_itself() const { return reads(*definition_, stage_.name); }

    const Stage& stage_;
    const Marks& marks_;
    const StageEnclosures& others_;
    std::vector<ScalarType> types_;
    StagesBeside making_;     // the last holds the enclosure so far
    std::vector<bool> exact_; // by component: so far

    const Definition* definition_ = nullptr;
    bool contracted_ = false, reassociated_ = false, approximated_ = false;
};

} // namespace

EnclosedStage enclose_stage(const Stage& stage, const Marks& marks, const StageEnclosures& before) {
    return StageEncloser(stage, marks, before).take();
}

} // namespace loopscope::worker
