#include "core/ir/cost.h"

#include <unordered_map>

namespace loopscope {

double node_flops(const Expr& e) {
    if (!is_float(e.type))
        return 0;
    double each = 0;
    if (e.kind == ExprKind::Fma)
        each = 2;
    else if (e.kind == ExprKind::Unary)
        each = 1; // negate abs sqrt floor ceil round: the others are not of floats
    else if (e.kind == ExprKind::Binary)
        each = 1; // + - * / min max: comparisons are of type bool
    return each * e.lanes;
}

namespace {

// Expressions share nodes after inlining; each is worked out once and counted wherever it stands.
double flops_of(const Expr& e, std::unordered_map<const Expr*, double>& known) {
    if (e.args.empty())
        return 0;
    if (auto it = known.find(&e); it != known.end())
        return it->second;
    double sum = node_flops(e);
    for (const auto& argument : e.args)
        sum += flops_of(*argument, known);
    known.emplace(&e, sum);
    return sum;
}

} // namespace

double flops(const ExprPtr& e) {
    std::unordered_map<const Expr*, double> known;
    return flops_of(*e, known);
}

} // namespace loopscope
