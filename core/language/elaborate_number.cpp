// What people of C, CUDA and Halide look for, in terms of what the language has: fmin and fmax, of
// which a NaN is no operand, and saturate, a cast that stops at the ends of the type. No evaluator
// knows them: they are what these expressions say.
#include "core/language/elaborate.h"

#include <cmath>

namespace loopscope {

namespace {

// Has an integer type values above those of another? (greatest() of u64 is that of i64.)
bool exceeds(ScalarType a, ScalarType b) {
    return b != ScalarType::U64 &&
           (greatest(a) > greatest(b) || (a == ScalarType::U64 && b == ScalarType::I64));
}

bool is_number(const ExprPtr& e) { return is_constant(e) && !std::isnan(constant_float_value(e)); }

} // namespace

// The other operand where one is NaN, else their minimum or maximum.
Elaborator::MaybeValue Elaborator::number_pair(Op op, const Value& a, const Value& b,
                                               const ast::Expr& at, const NameScope& scope) {
    const auto where = reporter_.range(at.span);
    const Value* given[] = {&a, &b};
    Value used[2]; // what stands several times: a name, where the operand is more than one
    for (int i : {0, 1}) {
        used[i] = *given[i];
        if (used[i].expr->kind == ExprKind::Constant || used[i].expr->kind == ExprKind::Variable)
            continue;
        used[i] = {};
        used[i].expr = variable(unique_let_name("number"), given[i]->type(), where);
    }
    auto out = build(loopscope::binary(op, used[0].expr, used[1].expr, where), {&used[0], &used[1]},
                     at, scope);
    for (int i : {1, 0}) {
        const Value &own = used[i], &other = used[1 - i];
        if (!out || is_number(own.expr))
            continue;
        const auto nan = build(loopscope::binary(Op::NotEqual, own.expr, own.expr, where),
                               {&own, &own}, at, scope);
        out = nan ? build(loopscope::select(nan->expr, other.expr, out->expr, where),
                          {&*nan, &other, &*out}, at, scope)
                  : nan;
    }
    for (int i : {1, 0})
        if (out && used[i].expr != given[i]->expr) {
            out = build(loopscope::let(used[i].expr->name, given[i]->expr, out->expr, where),
                        {given[i], &*out}, at, scope);
            if (out)
                out->has_let = true;
        }
    return out;
}

// saturate(T, x): x as T, and the nearest end of T where it has no such value. A NaN stays one, and
// is 0 as an integer.
Elaborator::MaybeValue Elaborator::saturate_call(const ast::Expr& e, const NameScope& scope) {
    if (!arguments(e, 2, "saturate(u8, x)", scope))
        return std::nullopt;
    const auto type = type_argument(e);
    if (!type || is_bool(*type)) {
        fail(e.args[0]->span, scope,
             "the first argument of 'saturate' is a type of numbers, found '" +
                 reporter_.quoted(e.args[0]->span, "…") + "'",
             "write saturate(u8, x), with the type that the result has", "type");
        return std::nullopt;
    }
    auto x = value(*e.args[1], scope);
    if (!x)
        return x;
    const auto where = reporter_.range(e.span);
    if (x->exact) {
        Value out;
        out.expr = constant_bits(*type, bits_saturated(*x->exact, *type), where);
        return out;
    }
    const auto from = x->type();
    auto hold = [&](Op op, const ExprPtr& end) {
        if (x)
            x = build(loopscope::binary(op, x->expr, end, where), {&*x}, e, scope);
    };
    const bool whole = is_integer(*type) && is_integer(from);
    if (whole && least(from) < least(*type))
        hold(Op::Max, constant_int(from, least(*type), where));
    if (whole && exceeds(from, *type))
        hold(Op::Min, constant_int(from, greatest(*type), where));
    if (x) // of a float to an integer it stops at the ends by itself
        x = build(loopscope::cast(*type, x->expr, where), {&*x}, e, scope);
    if (is_float(*type) && (is_float(from) || *type == ScalarType::F16)) {
        hold(Op::Max, constant_float(*type, -greatest_finite(*type), where));
        hold(Op::Min, constant_float(*type, greatest_finite(*type), where));
    }
    return x;
}

} // namespace loopscope
