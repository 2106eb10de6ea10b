#include "core/schedule/combining.h"

#include "core/polyhedral/accesses.h"
#include "core/schedule/identity.h"

#include <algorithm>
#include <optional>

namespace loopscope {

namespace {

// The definition of `factor` that does the work of the one that it was made from: the last.
int factored_definition(const StageState& factor) {
    return static_cast<int>(factor.definitions.size()) - 1;
}

// The stages that rfactor made of this definition: it reads them. At most one, but for a definition
// factored anew, which reads the last alone.
std::vector<const StageState*> factors_of(const ScheduleState& state, const DefinitionKey& key) {
    std::vector<const StageState*> factors;
    for (const auto& name : state.reads->of(key.first, key.second))
        if (const StageState* read = state.find(name); read && read->factor_of == key.first)
            factors.push_back(read);
    return factors;
}

// The definition that this one was made from.
std::optional<DefinitionKey> factored_from(const ScheduleState& state, const DefinitionKey& key) {
    const StageState* factor = state.find(key.first);
    if (!factor || factor->factor_of.empty())
        return std::nullopt;
    const StageState* from = state.find(factor->factor_of);
    for (int d = 0; d < static_cast<int>(from->definitions.size()); ++d)
        if (state.reads->of(from->name, d).count(factor->name))
            return DefinitionKey{from->name, d};
    return std::nullopt;
}

} // namespace

bool rounds(const Definition& definition) {
    bool floats = std::any_of(definition.values.begin(), definition.values.end(),
                              [](const ExprPtr& value) { return is_float(value->type); });
    if (!floats)
        return false;
    if (definition.kind == DefinitionKind::Reduction)
        return definition.reduction == ReductionOp::Sum ||
               definition.reduction == ReductionOp::Product;
    return definition.kind == DefinitionKind::Update &&
           (definition.update == UpdateOp::Add || definition.update == UpdateOp::Multiply);
}

std::string not_combining(const Stage& stage, const Definition& definition) {
    switch (definition.kind) {
    case DefinitionKind::Pure: return "it computes each of its elements once";
    case DefinitionKind::Reduction: return {};
    case DefinitionKind::Update: break;
    }
    if (definition.update == UpdateOp::Assign)
        return "it assigns, and of iterations that meet the last one counts";
    if (polyhedral::own_accesses(stage, definition).list.size() > 1)
        return "it reads " + stage.name + " itself, so that its iterations follow from each other";
    return {};
}

std::string not_combining(const ScheduleState& state, const std::string& stage, int definition) {
    const Definition* found = state.definition(stage, definition);
    return found ? not_combining(state.declared(stage), *found)
                 : "it is a copy, which computes each of its elements once";
}

std::string not_atomic(const Stage& stage, const Definition& definition) {
    if (definition.kind == DefinitionKind::Reduction && is_arg(definition.reduction))
        return std::string(name(definition.reduction)) +
               " combines a value and its index, for which there is no atomic operation";
    if (definition.values.size() > 1 && definition.kind == DefinitionKind::Update)
        return "it updates a tuple, for which there is no atomic operation";
    return not_combining(stage, definition);
}

std::string not_atomic(const ScheduleState& state, const std::string& stage, int definition) {
    const Definition* found = state.definition(stage, definition);
    return found ? not_atomic(state.declared(stage), *found)
                 : not_combining(state, stage, definition);
}

std::string no_floats(const ScheduleState& state, const std::string& stage, int definition) {
    const Definition* found = state.definition(stage, definition);
    if (!found)
        return "is a copy";
    // All that contraction rewrites: also where floats decide an index or a condition.
    bool floats = false;
    auto each = [&](const ExprPtr& expression) {
        if (expression)
            visit(expression, [&](const Expr& e) {
                floats = floats || (is_float(e.type) &&
                                    (e.kind == ExprKind::Binary || e.kind == ExprKind::Unary ||
                                     e.kind == ExprKind::Call));
                return !floats;
            });
    };
    for (const auto& value : found->values)
        each(value);
    for (const auto& index : found->left)
        each(index);
    each(found->condition);
    const auto& types = state.declared(stage).types;
    if (floats || std::any_of(types.begin(), types.end(), [](auto type) { return is_float(type); }))
        return {};
    std::string text;
    for (auto type : types)
        text += (text.empty() ? "" : ", ") + std::string(name(type));
    return "computes " + text;
}

bool combines_factor(const ScheduleState& state, const std::string& stage, int definition) {
    return !factors_of(state, {stage, definition}).empty();
}

std::vector<DefinitionKey> factor_family(const ScheduleState& state, const DefinitionKey& member) {
    DefinitionKey origin = member;
    while (auto from = factored_from(state, origin))
        origin = *from;
    std::vector<DefinitionKey> family = {origin};
    for (std::size_t i = 0; i < family.size(); ++i)
        for (const auto* factor : factors_of(state, DefinitionKey(family[i])))
            family.emplace_back(factor->name, factored_definition(*factor));
    return family;
}

} // namespace loopscope
