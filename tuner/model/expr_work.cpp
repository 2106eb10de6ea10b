#include "tuner/model/expr_work.h"

namespace loopscope::model {

namespace {

// `min` and `max` of floats give NaN for NaN and order the zeros: a compare and two blends around
// the instruction.
constexpr double kFloatMinMaxSlots = 3;
// A division of integers by a constant becomes a multiplication, two shifts and a correction.
constexpr double kConstantDivisionSlots = 4;

// A float becomes an integer by a conversion, a limit at both ends, and a zero for NaN.
constexpr double kSaturatingCastSlots = 4;

} // namespace

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
    case ExprKind::Cast: operations.arithmetic[std::max(width(e), width(*e.args[0]))] += 1; return;
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
    bool load = e->kind == ExprKind::Load || e->kind == ExprKind::MaskedLoad;
    for (const auto& argument : e->args)
        walk(argument, visitor, in_index || load);
    if (load)
        visitor.load(*e);
    else if (!in_index) // affine addresses cost nothing: they are kept in registers and added to
        count(*e);
}

} // namespace loopscope::model
