#include "compiler/lower/simplify_expression.h"

#include "compiler/lower/fold.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <numeric>

namespace loopscope::lower {

namespace {

bool is_linear(const Expr& e) {
    if (!is_integer(e.type))
        return false;
    bool sum = e.kind == ExprKind::Binary &&
               (e.op == Op::Add || e.op == Op::Subtract || e.op == Op::Multiply);
    return sum || (e.kind == ExprKind::Unary && e.op == Op::Negate);
}

bool is_true(const ExprPtr& e) {
    std::int64_t value = 0;
    return is_bool(e->type) && uniform_constant(e, value) && value == 1;
}
bool is_false(const ExprPtr& e) {
    std::int64_t value = 0;
    return is_bool(e->type) && uniform_constant(e, value) && value == 0;
}

ExprPtr truth(bool value, int lanes) { return with_lanes(constant_bool(value), lanes); }

// A float constant of every lane with exactly this bit pattern.
bool is_float_constant(const ExprPtr& e, double value) {
    auto scalar = uniform_value(e);
    bool known = scalar && is_constant(scalar) && is_float(scalar->type);
    return known && scalar->bits == constant_float(scalar->type, value)->bits;
}

Op inverse(Op op) {
    switch (op) {
    case Op::Less: return Op::GreaterEqual;
    case Op::LessEqual: return Op::Greater;
    case Op::Greater: return Op::LessEqual;
    case Op::GreaterEqual: return Op::Less;
    case Op::Equal: return Op::NotEqual;
    default: return Op::Equal;
    }
}

} // namespace

ExprPtr uniform_value(const ExprPtr& e) {
    if (e->lanes == 1)
        return e;
    return e->kind == ExprKind::Broadcast ? e->args[0] : nullptr;
}

ExprPtr with_lanes(const ExprPtr& e, int lanes) {
    return e->lanes == 1 && lanes > 1 ? broadcast(e, lanes) : e;
}

bool uniform_constant(const ExprPtr& e, std::int64_t& out) {
    auto scalar = uniform_value(e);
    return scalar && constant_value(scalar, out);
}

bool is_replaceable(const ExprPtr& value) {
    auto plain = uniform_value(value);
    if (plain)
        return is_constant(plain) || plain->kind == ExprKind::Variable;
    return value->kind == ExprKind::Ramp && !contains_load(value);
}

ExprPtr ExpressionSimplifier::run(const ExprPtr& e) {
    memo_.clear(); // what is known may have changed
    return simplify(e);
}

ExprPtr ExpressionSimplifier::simplify(const ExprPtr& e) {
    if (e->kind == ExprKind::Constant)
        return e;
    if (auto found = memo_.find(e.get()); found != memo_.end())
        return found->second.second;
    auto result = compute(e);
    memo_.emplace(e.get(), std::pair(e, result));
    return result;
}

ExprPtr ExpressionSimplifier::compute(const ExprPtr& e) {
    if (is_linear(*e))
        return linear(e);
    switch (e->kind) {
    case ExprKind::Constant: return e;
    case ExprKind::Variable: {
        auto found = replacements.find(e->name);
        return found == replacements.end() ? e : found->second;
    }
    case ExprKind::Let: return let(e);
    case ExprKind::Load: return load(with_args(e, simplified_args(e)));
    case ExprKind::MaskedLoad: return masked_load_node(with_args(e, simplified_args(e)));
    case ExprKind::Ramp: {
        auto args = simplified_args(e);
        std::int64_t stride = 0;
        if (constant_value(args[1], stride) && stride == 0)
            return broadcast(args[0], e->lanes);
        return with_args(e, std::move(args));
    }
    case ExprKind::Broadcast: return with_args(e, simplified_args(e));
    default: return node(with_args(e, simplified_args(e)));
    }
}

std::vector<ExprPtr> ExpressionSimplifier::simplified_args(const ExprPtr& e) {
    std::vector<ExprPtr> args;
    args.reserve(e->args.size());
    for (const auto& a : e->args)
        args.push_back(simplify(a));
    return args;
}

ExprPtr ExpressionSimplifier::node(const ExprPtr& e) {
    if (auto constant = folded(*e))
        return constant;
    if (e->lanes > 1)
        if (auto scalar = uniform(e))
            return scalar;
    switch (e->kind) {
    case ExprKind::Unary: return unary_node(e);
    case ExprKind::Binary: return binary_node(e);
    case ExprKind::Select: return select_node(e);
    case ExprKind::Cast: return cast_node(e);
    default: return e;
    }
}

// An operation on broadcasts is the broadcast of an operation on scalars.
ExprPtr ExpressionSimplifier::uniform(const ExprPtr& e) {
    std::vector<ExprPtr> scalars;
    for (const auto& a : e->args) {
        auto scalar = uniform_value(a);
        if (!scalar)
            return nullptr;
        scalars.push_back(scalar);
    }
    ExprPtr one;
    switch (e->kind) {
    case ExprKind::Unary: one = unary(e->op, scalars[0]); break;
    case ExprKind::Binary: one = binary(e->op, scalars[0], scalars[1]); break;
    case ExprKind::Select: one = select(scalars[0], scalars[1], scalars[2]); break;
    case ExprKind::Cast: one = cast(e->type, scalars[0]); break;
    case ExprKind::Fma: one = fma(scalars[0], scalars[1], scalars[2]); break;
    case ExprKind::Call: one = call(e->name, std::move(scalars)); break;
    case ExprKind::Reinterpret: one = reinterpret(e->type, scalars[0]); break;
    default: return nullptr;
    }
    return broadcast(simplify(one), e->lanes);
}

ExprPtr ExpressionSimplifier::unary_node(const ExprPtr& e) {
    const auto& a = e->args[0];
    bool twice = a->kind == ExprKind::Unary && a->op == e->op;
    if (twice && (e->op == Op::Negate || e->op == Op::BitNot || e->op == Op::LogicalNot))
        return a->args[0];
    if (e->op == Op::Abs && is_integer(e->type))
        if (auto r = scope_.range(a); r && r->least >= 0)
            return a;
    bool comparison = a->kind == ExprKind::Binary && a->op >= Op::Less && a->op <= Op::NotEqual;
    if (e->op == Op::LogicalNot && comparison) {
        // With NaN only equality has an exact opposite.
        bool exact = !is_float(a->args[0]->type) || a->op == Op::Equal || a->op == Op::NotEqual;
        if (exact)
            return node(binary(inverse(a->op), a->args[0], a->args[1]));
    }
    return e;
}

ExprPtr ExpressionSimplifier::binary_node(const ExprPtr& e) {
    if (is_float(e->args[0]->type))
        return is_float(e->type) ? float_identity(e) : e;
    switch (e->op) {
    case Op::LogicalAnd:
    case Op::LogicalOr: return logical(e);
    case Op::Min:
    case Op::Max: return min_max(e);
    case Op::Divide:
    case Op::Modulo: return divide_modulo(e);
    default: break;
    }
    bool comparison = e->op >= Op::Less && e->op <= Op::NotEqual;
    if (comparison)
        if (auto value = scope_.decide(e))
            return truth(*value, e->lanes);
    return e;
}

ExprPtr ExpressionSimplifier::logical(const ExprPtr& e) {
    bool is_and = e->op == Op::LogicalAnd;
    const auto &a = e->args[0], &b = e->args[1];
    for (const auto& [x, y] : {std::pair(a, b), std::pair(b, a)}) {
        if (is_true(x))
            return is_and ? y : truth(true, e->lanes);
        if (is_false(x))
            return is_and ? truth(false, e->lanes) : y;
    }
    return equal(a, b) ? a : e;
}

ExprPtr ExpressionSimplifier::min_max(const ExprPtr& e) {
    const auto &a = e->args[0], &b = e->args[1];
    bool is_min = e->op == Op::Min;
    if (scope_.ordered(a, b))
        return is_min ? a : b;
    if (scope_.ordered(b, a))
        return is_min ? b : a;
    std::int64_t outer = 0, inner = 0;
    if (uniform_constant(a, outer) && !uniform_constant(b, inner))
        return min_max(binary(e->op, b, a)); // the constant second
    // min(min(x, 3), 5)
    if (uniform_constant(b, outer) && a->kind == ExprKind::Binary && a->op == e->op &&
        uniform_constant(a->args[1], inner))
        return min_max(binary(e->op, a->args[0], (outer < inner) == is_min ? b : a->args[1]));
    return e;
}

ExprPtr ExpressionSimplifier::divide_modulo(const ExprPtr& e) {
    const auto& x = e->args[0];
    bool divide = e->op == Op::Divide;
    std::int64_t divisor = 0, dividend = 0;
    auto literal = [&](std::int64_t value) {
        return with_lanes(constant_int(e->type, value), e->lanes);
    };
    // 0 also for a zero divisor
    if (uniform_constant(x, dividend) && dividend == 0)
        return x;
    if (!uniform_constant(e->args[1], divisor))
        return e;
    if (divisor == 0 || (divisor == 1 && !divide))
        return literal(0);
    if (divisor == 1)
        return x;
    if (divisor < 0)
        return e;
    if (auto r = scope_.range(x); r && !r->empty()) {
        auto quotient = floor_divide(r->least, divisor);
        if (quotient == floor_divide(r->greatest, divisor))
            return divide ? literal(quotient)
                          : linear(binary(Op::Subtract, x, literal(quotient * divisor)));
    }
    auto parts = divide_by_parts(e, divisor);
    return parts ? parts : e;
}

// x = g*a + b with g dividing the divisor and 0 <= b < g:  x / (g*c) = a / c,  x % (g*c) = g*(a %
// c) + b. For g the divisor itself also with b beyond [0, g):  x / g = a + b / g,  x % g = b % g.
ExprPtr ExpressionSimplifier::divide_by_parts(const ExprPtr& e, std::int64_t divisor) {
    auto form = scope_.affine(e->args[0]);
    if (!form)
        return nullptr;
    bool divide = e->op == Op::Divide;
    auto literal = [&](std::int64_t value) {
        return with_lanes(constant_int(e->type, value), e->lanes);
    };
    std::vector<std::int64_t> candidates{divisor};
    for (const auto& term : form->terms)
        candidates.push_back(std::gcd(term.coefficient, divisor));
    std::sort(candidates.rbegin(), candidates.rend());
    for (auto g : candidates) {
        Affine a, b;
        a.constant = floor_divide(form->constant, g);
        b.constant = floor_modulo(form->constant, g);
        for (const auto& term : form->terms)
            (term.coefficient % g == 0 ? a : b)
                .terms.push_back({term.atom, term.coefficient % g == 0 ? term.coefficient / g
                                                                       : term.coefficient});
        auto rest = scope_.range(b);
        bool inside = g > 1 && rest && rest->least >= 0 && rest->greatest < g;
        bool fits = rest && rest->least >= least(e->type) && rest->greatest <= greatest(e->type);
        bool useful = !a.terms.empty() || a.constant != 0;
        if (!useful || (!inside && (g != divisor || !fits)))
            continue;
        auto high = from_affine(a, e->type, e->lanes), low = from_affine(b, e->type, e->lanes);
        if (g == divisor && inside)
            return divide ? high : low;
        if (g == divisor) {
            auto part = divide_modulo(binary(e->op, low, literal(g)));
            return divide ? linear(binary(Op::Add, high, part)) : part;
        }
        auto part = divide_modulo(binary(e->op, high, literal(divisor / g)));
        if (divide)
            return part;
        return linear(binary(Op::Add, binary(Op::Multiply, part, literal(g)), low));
    }
    return nullptr;
}

// Identities that hold for every value, signed zeros and NaN (all NaNs are one) included.
ExprPtr ExpressionSimplifier::float_identity(const ExprPtr& e) {
    const auto &a = e->args[0], &b = e->args[1];
    switch (e->op) {
    case Op::Multiply:
        if (is_float_constant(b, 1))
            return a;
        return is_float_constant(a, 1) ? b : e;
    case Op::Divide: return is_float_constant(b, 1) ? a : e;
    case Op::Add:
        if (is_float_constant(b, -0.0))
            return a;
        return is_float_constant(a, -0.0) ? b : e;
    case Op::Subtract: return is_float_constant(b, 0.0) ? a : e;
    case Op::Min:
    case Op::Max: return equal(a, b) ? a : e;
    default: return e;
    }
}

ExprPtr ExpressionSimplifier::select_node(const ExprPtr& e) {
    const auto &condition = e->args[0], &a = e->args[1], &b = e->args[2];
    if (is_true(condition) || equal(a, b))
        return a;
    if (is_false(condition))
        return b;
    if (is_true(a) && is_false(b))
        return condition;
    return e;
}

ExprPtr ExpressionSimplifier::cast_node(const ExprPtr& e) {
    const auto& a = e->args[0];
    if (a->type == e->type)
        return a;
    // Widening is exact, so narrowing gives back what was there.
    bool there_and_back = a->kind == ExprKind::Cast && a->args[0]->type == e->type &&
                          is_float(e->type) && is_float(a->type) && bits(e->type) < bits(a->type);
    if (there_and_back)
        return a->args[0];
    // A ramp that wraps in neither type is a ramp in both.
    bool integers = is_integer(e->type) && is_integer(a->type);
    if (a->kind == ExprKind::Ramp && integers && bits(a->type) >= 32) {
        auto r = scope_.range(a), stride = scope_.range(a->args[1]);
        bool same = r && stride && r->least >= least(e->type) && r->greatest <= greatest(e->type) &&
                    stride->least >= least(e->type) && stride->greatest <= greatest(e->type);
        if (same)
            return ramp(node(cast(e->type, a->args[0])), node(cast(e->type, a->args[1])), a->lanes);
    }
    return e;
}

// The body gets a memo of its own: copies of a definition that was inlined twice share the nodes of
// their bodies but not the values of their lets.
ExprPtr ExpressionSimplifier::let(const ExprPtr& e) {
    auto value = simplify(e->args[0]);
    bool replace = is_replaceable(value);
    decltype(memo_) outer;
    std::swap(outer, memo_);
    ExprPtr body;
    if (replace) {
        replacements[e->name] = value;
        body = simplify(e->args[1]);
        replacements.erase(e->name);
    } else {
        const LetScope inside(scope_, e->name, value);
        body = simplify(e->args[1]);
    }
    std::swap(outer, memo_);
    if (replace || !uses_variable(body, e->name))
        return body;
    return with_args(e, {value, body});
}

// Where one index is a vector the others may be scalars; where none is, one scalar load serves all
// lanes.
ExprPtr ExpressionSimplifier::load(const ExprPtr& e) {
    if (e->lanes == 1)
        return e;
    std::vector<ExprPtr> indices;
    bool vector = false;
    for (const auto& index : e->args) {
        auto scalar = uniform_value(index);
        indices.push_back(scalar ? scalar : index);
        vector = vector || !scalar;
    }
    if (vector)
        return with_args(e, std::move(indices));
    return broadcast(loopscope::load(e->name, e->type, std::move(indices), e->component), e->lanes);
}

ExprPtr ExpressionSimplifier::masked_load_node(const ExprPtr& e) {
    const auto& mask = e->args.back();
    std::vector<ExprPtr> indices(e->args.begin(), e->args.end() - 1);
    if (is_true(mask)) {
        for (auto& index : indices)
            index = with_lanes(index, e->lanes);
        return load(loopscope::load(e->name, e->type, std::move(indices), e->component));
    }
    if (is_false(mask))
        return with_lanes(constant_bits(e->type, 0), e->lanes);
    return e;
}

} // namespace loopscope::lower
