#include "tuner/model/expr_work.h"

#include "core/ir/functions.h"

#include <algorithm>
#include <unordered_map>

namespace loopscope::model {

namespace {

// `min` and `max` of floats give NaN for NaN and order the zeros: a compare and two blends around
// the instruction.
constexpr double kFloatMinMaxSlots = 3;
// A division of integers by a constant becomes a multiplication, two shifts and a correction.
constexpr double kConstantDivisionSlots = 4;

// A float becomes an integer by a conversion, a limit at both ends, and a zero for NaN.
constexpr double kSaturatingCastSlots = 4;

constexpr const char* kSoFar = "@so_far";

double latency(const Expr& e) {
    bool floats = is_float(e.args[0]->type);
    if (e.kind == ExprKind::Select)
        return kSelectLatencySlots;
    if (e.kind == ExprKind::Binary && (e.op == Op::Min || e.op == Op::Max) && floats)
        return kLatencySlots + 2 * kSelectLatencySlots; // the blends
    return floats ? kLatencySlots : kIntegerLatencySlots;
}

// Below zero: does not depend on the value so far.
double latency_from(const ExprPtr& e, std::unordered_map<const Expr*, double>& known) {
    if (e->kind == ExprKind::Variable)
        return e->name == kSoFar ? 0 : -1;
    if (auto at = known.find(e.get()); at != known.end())
        return at->second;
    double longest = -1;
    for (const auto& argument : e->args)
        longest = std::max(longest, latency_from(argument, known));
    return known[e.get()] = longest < 0 ? longest : longest + latency(*e);
}

} // namespace

std::vector<ExprPtr> combining_step(const Stage& stage, const Definition& definition) {
    std::vector<ExprPtr> before, values;
    for (auto type : stage.types) {
        before.push_back(variable(kSoFar, type));
        values.push_back(variable("@value", type));
    }
    if (definition.kind == DefinitionKind::Reduction)
        return reduction_step(definition.reduction, before, values);
    std::vector<ExprPtr> out;
    for (std::size_t i = 0; i < values.size(); ++i)
        out.push_back(update_step(definition.update, before[i], values[i]));
    return out;
}

double step_latency(const std::vector<ExprPtr>& step) {
    std::unordered_map<const Expr*, double> known;
    double longest = 0;
    for (const auto& e : step)
        longest = std::max(longest, latency_from(e, known));
    return longest;
}

void ExprWork::count(const Expr& e) {
    auto width = [](const Expr& of) { return static_cast<std::size_t>(width_index(of.type)); };
    switch (e.kind) {
    case ExprKind::Unary:
        if (e.op == Op::Sqrt)
            operations.divisions[width(e)] += 1;
        else
            operations.arithmetic[width(e)] += 1;
        return;
    case ExprKind::Binary: {
        auto w = width(*e.args[0]);
        if (e.op == Op::Divide || e.op == Op::Modulo) {
            if (!is_float(e.type) && is_constant(e.args[1]))
                operations.arithmetic[w] += kConstantDivisionSlots;
            else
                operations.divisions[w] += 1;
        } else if ((e.op == Op::Min || e.op == Op::Max) && is_float(e.type)) {
            operations.arithmetic[w] += kFloatMinMaxSlots;
        } else {
            operations.arithmetic[w] += 1;
        }
        return;
    }
    case ExprKind::Cast: {
        bool saturates = is_float(e.args[0]->type) && !is_float(e.type);
        operations.arithmetic[std::max(width(e), width(*e.args[0]))] +=
            saturates ? kSaturatingCastSlots : 1;
        return;
    }
    case ExprKind::Call: {
        // By the rule of cost.h an fma is two: that stands for the selects, comparisons and casts,
        // which are none.
        auto cost = prelude_cost(e.name, e.type);
        operations.arithmetic[width(e)] +=
            static_cast<double>(cost.flops + cost.integer_operations);
        return;
    }
    case ExprKind::Select:
    case ExprKind::Fma: operations.arithmetic[width(e)] += 1; return;
    default: return;
    }
}

void ExprWork::walk(const ExprPtr& e, const Visitor& visitor, bool in_index) {
    if (e->kind == ExprKind::Constant || e->kind == ExprKind::Variable ||
        !seen_.insert(e->hash).second)
        return;
    if (e->kind == ExprKind::Let) {
        walk(e->args[0], visitor, in_index);
        if (visitor.let)
            visitor.let(*e);
        walk(e->args[1], visitor, in_index);
        return;
    }
    for (const auto& argument : e->args)
        walk(argument, visitor, in_index || is_load(*e));
    if (is_load(*e))
        visitor.load(*e);
    else if (!in_index) // affine addresses cost nothing: they are kept in registers and added to
        count(*e);
}

} // namespace loopscope::model
