// Operators: exact where both sides are constants, else of one type (languages.md, "Types").
#include "core/language/elaborate.h"
#include "core/language/fold.h"

#include <algorithm>

namespace loopscope {

namespace {

// exponents on typed values, which become multiplications
constexpr std::int64_t kPowerLimit = 1'024;

bool is_logical(Op op) { return op == Op::LogicalAnd || op == Op::LogicalOr; }
bool is_bitwise(Op op) { return op >= Op::ShiftLeft && op <= Op::BitOr; }

std::string quoted_symbol(Op op) { return "'" + std::string(symbol(op)) + "'"; }

ExactOp exact_op(Op op) {
    switch (op) {
    case Op::Add: return ExactOp::Add;
    case Op::Subtract: return ExactOp::Subtract;
    case Op::Multiply: return ExactOp::Multiply;
    case Op::Divide: return ExactOp::Divide;
    case Op::Modulo: return ExactOp::Modulo;
    case Op::ShiftLeft: return ExactOp::ShiftLeft;
    case Op::ShiftRight: return ExactOp::ShiftRight;
    case Op::BitAnd: return ExactOp::BitAnd;
    case Op::BitXor: return ExactOp::BitXor;
    case Op::BitOr: return ExactOp::BitOr;
    case Op::Min: return ExactOp::Min;
    default: return ExactOp::Max;
    }
}

bool compare_exact(Op op, const Exact& a, const Exact& b) {
    auto order = compare(a, b);
    if (!order) // a NaN is unequal to everything
        return op == Op::NotEqual;
    switch (op) {
    case Op::Less: return *order < 0;
    case Op::LessEqual: return *order <= 0;
    case Op::Greater: return *order > 0;
    case Op::GreaterEqual: return *order >= 0;
    case Op::Equal: return *order == 0;
    default: return *order != 0;
    }
}

// The type that a message proposes when two meet: a float before an integer, then the wider, then
// the first.
ScalarType common_type(ScalarType a, ScalarType b) {
    if (is_float(a) != is_float(b))
        return is_float(a) ? a : b;
    return bits(b) > bits(a) ? b : a;
}

} // namespace

Elaborator::MaybeValue Elaborator::unary(const ast::Expr& e, const NameScope& scope, Type wanted) {
    const auto& operand = *e.args[0];
    // A minus belongs to the number after it: -128i8 fits although 128i8 does not.
    if (e.op == Op::Negate && operand.kind == ast::ExprKind::Number &&
        operand.span.end == e.span.end)
        return number(operand, scope, true);
    auto a = value(operand, scope, e.op == Op::LogicalNot ? Type() : wanted);
    if (!a)
        return a;
    if (a->exact && e.op != Op::LogicalNot)
        return exact_result(
            apply(e.op == Op::Negate ? ExactFunction::Negate : ExactFunction::BitNot, *a->exact), e,
            scope);
    auto found =
        a->exact ? "the constant " + a->exact->text() : std::string(loopscope::name(a->type()));
    if (e.op == Op::LogicalNot && (a->exact || !is_bool(a->type()))) {
        fail(e.span, scope, "'not' needs a bool, found " + found,
             "write a comparison, or ~ for the bits", "type");
        return std::nullopt;
    }
    if (e.op == Op::BitNot && !is_integer(a->type())) {
        fail(e.span, scope, "'~' needs an integer, found " + found,
             is_bool(a->type()) ? "write not" : "", "type");
        return std::nullopt;
    }
    if (e.op == Op::Negate && is_bool(a->type())) {
        fail(e.span, scope, "arithmetic on bool: '-'", "write not, or cast it: i32(…)", "type");
        return std::nullopt;
    }
    auto out = build(loopscope::unary(e.op, a->expr, reporter_.range(e.span)), {&*a}, e, scope);
    if (out)
        out->adaptable = a->adaptable;
    return out;
}

// A chain such as a + b + c … leans to the left and can be long: it is walked, not recursed into.
Elaborator::MaybeValue Elaborator::binary(const ast::Expr& e, const NameScope& scope, Type wanted) {
    auto hint_below = [](const ast::Expr& node, Type hint) {
        return is_comparison(node.op) || is_logical(node.op) ? Type() : hint;
    };
    std::vector<std::pair<const ast::Expr*, Type>> chain;
    const ast::Expr* leftmost = &e;
    Type hint = wanted;
    while (leftmost->kind == ast::ExprKind::Binary) {
        chain.emplace_back(leftmost, hint);
        hint = hint_below(*leftmost, hint);
        leftmost = leftmost->args[0].get();
    }
    auto left = value(*leftmost, scope, hint);
    for (auto node = chain.rbegin(); node != chain.rend(); ++node) {
        const auto& at = *node->first;
        Type below = hint_below(at, node->second);
        auto right = value(*at.args[1], scope,
                           left && !left->exact && !left->adaptable ? Type(left->type()) : below);
        if (!left || !right) {
            left.reset();
            continue;
        }
        if (!spend(1, at.span))
            return std::nullopt;
        left =
            combine(at, {*left, at.args[0].get()}, {*right, at.args[1].get()}, scope, node->second);
    }
    return left;
}

Elaborator::MaybeValue Elaborator::exact_binary(const ast::Expr& e, const Exact& a, const Exact& b,
                                                const NameScope& scope) {
    if (is_logical(e.op)) {
        fail(e.span, scope, quoted_symbol(e.op) + " needs bools, found constants",
             "write comparisons", "type");
        return std::nullopt;
    }
    if (!is_comparison(e.op))
        return exact_result(apply(exact_op(e.op), a, b), e, scope);
    Value out;
    out.expr = constant_bool(compare_exact(e.op, a, b), reporter_.range(e.span));
    return out;
}

Elaborator::MaybeValue Elaborator::combine(const ast::Expr& e, Operand left, Operand right,
                                           const NameScope& scope, Type wanted) {
    if (left.value.exact && right.value.exact)
        return exact_binary(e, *left.value.exact, *right.value.exact, scope);
    bool adaptable =
        (left.value.exact || left.value.adaptable) && (right.value.exact || right.value.adaptable);
    // Told before the operands' types are compared, since that is what is really wrong.
    for (const auto* o : {&left, &right})
        if (!o->value.exact && !check_operator(e.op, o->value.type(), e, scope))
            return std::nullopt;
    std::vector<Operand> operands = {std::move(left), std::move(right)};
    Type hint = is_comparison(e.op) || is_logical(e.op) ? Type() : wanted;
    if (!unify(operands, quoted_symbol(e.op), e, scope, hint))
        return std::nullopt;
    const auto& a = operands[0].value;
    const auto& b = operands[1].value;
    auto out =
        build(loopscope::binary(e.op, a.expr, b.expr, reporter_.range(e.span)), {&a, &b}, e, scope);
    if (out)
        out->adaptable = adaptable && !is_comparison(e.op) && !is_logical(e.op);
    return out;
}

bool Elaborator::check_operator(Op op, ScalarType type, const ast::Expr& at,
                                const NameScope& scope) {
    auto found = std::string(loopscope::name(type));
    if (is_logical(op)) {
        if (is_bool(type))
            return true;
        fail(at.span, scope, quoted_symbol(op) + " needs bools, found " + found,
             std::string("write comparisons, or ") + (op == Op::LogicalAnd ? "&" : "|") +
                 " for the bits",
             "type");
        return false;
    }
    if (is_bool(type) && op != Op::Equal && op != Op::NotEqual) {
        auto word = op == Op::BitAnd   ? "write and"
                    : op == Op::BitOr  ? "write or"
                    : op == Op::BitXor ? "write !="
                                       : "";
        fail(at.span, scope, "arithmetic on bool: " + quoted_symbol(op),
             *word ? word : "cast it: i32(…)", "type");
        return false;
    }
    if (is_float(type) && (is_bitwise(op) || op == Op::Modulo)) {
        fail(at.span, scope, quoted_symbol(op) + " is for integers, found " + found,
             op == Op::Modulo   ? "write a - b*floor(a/b)"
             : op == Op::BitXor ? "cast it: i32(…); a power is written x**2"
                                : "cast it: i32(…)",
             "type");
        return false;
    }
    return true;
}

bool Elaborator::convert(Operand& operand, ScalarType type, const NameScope& scope,
                         const Operand* other) {
    if (operand.value.exact) {
        // A decimal beside an integer is the one mistake that deserves more than "does not fit".
        if (!is_float(type) && !is_bool(type) && !operand.value.exact->is_whole() && other) {
            fail(operand.source->span, scope,
                 "the decimal constant " + operand.value.exact->text() + " stands beside " +
                     loopscope::name(type),
                 "write f32(" + reporter_.quoted(other->source->span, "…") + ")", "type");
            return false;
        }
        Value typed;
        typed.expr = constant(*operand.value.exact, type, operand.source->span, scope);
        operand.value = typed;
        return typed.expr != nullptr;
    }
    if (operand.value.type() == type)
        return true;
    if (!operand.value.adaptable)
        return false;
    auto again = typed_value(*operand.source, scope, type);
    if (!again || again->type() != type)
        return false;
    operand.value = *again;
    return true;
}

bool Elaborator::unify(std::vector<Operand>& operands, const std::string& what, const ast::Expr& at,
                       const NameScope& scope, Type wanted) {
    const Operand* leader = nullptr;
    for (const auto& o : operands)
        if (!o.value.exact && (!leader || (leader->value.adaptable && !o.value.adaptable)))
            leader = &o;
    bool whole = std::all_of(operands.begin(), operands.end(), [](const Operand& o) {
        return !o.value.exact || o.value.exact->is_whole();
    });
    auto type = leader   ? leader->value.type()
                : wanted ? *wanted
                         : (whole ? ScalarType::I32 : ScalarType::F32);
    for (auto& o : operands) {
        bool was_exact = o.value.exact.has_value();
        if (convert(o, type, scope, leader))
            continue;
        // reported
        if (was_exact)
            return false;
        auto other = o.value.type();
        auto target = common_type(type, other);
        const auto& narrow = target == type ? o : *leader;
        std::string target_name = loopscope::name(target);
        std::string message =
            what + " between " + loopscope::name(type) + " and " + loopscope::name(other);
        if (is_bool(type) || is_bool(other))
            fail(at.span, scope, message, "compare the number, as in … != 0, or cast the bool",
                 "type");
        else
            fail(at.span, scope, message,
                 "both must have one type: write " + target_name + "(" +
                     reporter_.quoted(narrow.source->span, "…") + ")",
                 "type");
        return false;
    }
    return true;
}

Elaborator::MaybeValue Elaborator::power(const ast::Expr& e, const NameScope& scope, Type wanted) {
    auto base = value(*e.args[0], scope, wanted);
    NameScope exponent_scope = scope;
    exponent_scope.constant = true;
    auto exponent = value(*e.args[1], exponent_scope);
    if (!base || !exponent)
        return std::nullopt;
    std::int64_t n = 0;
    bool whole = exponent->exact
                     ? exponent->exact->is_whole()
                     : is_integer(exponent->type()) && constant_value(exponent->expr, n);
    if (exponent->exact && whole)
        n = exponent->exact->value();
    if (base->exact && (whole || exponent->exact))
        return exact_result(apply(ExactOp::Power, *base->exact,
                                  exponent->exact ? *exponent->exact : Exact::whole(n)),
                            e, scope);
    if (!whole) {
        fail(e.args[1]->span, scope, "the exponent of '**' must be a whole constant",
             "write sqrt(…) for a square root", "constant");
        return std::nullopt;
    }
    return typed_power(e, *base, n, scope);
}

// x**0 = 1, x**1 = x, x**n = h*h with h = x**(n/2) for even n, x**(n-1) * x for odd n. Every power
// that is used twice is a let, so that it is computed once.
Elaborator::MaybeValue Elaborator::typed_power(const ast::Expr& e, const Value& base,
                                               std::int64_t n, const NameScope& scope) {
    auto type = base.type();
    if (is_bool(type) || n < 0 || n > kPowerLimit) {
        fail(e.span, scope,
             is_bool(type) ? "arithmetic on bool: '**'"
             : n < 0
                 ? "a negative exponent on a value of type " + std::string(loopscope::name(type))
                 : "an exponent above " + std::to_string(kPowerLimit) + " on a typed value",
             n < 0 && !is_bool(type) ? "write 1 / (…)**" + std::to_string(-n) : "", "type");
        return std::nullopt;
    }
    auto where = reporter_.range(e.span);
    if (n == 0) {
        Value one;
        one.expr = constant_int(type, 1, where);
        return one;
    }
    if (n == 1)
        return base;
    std::vector<std::pair<std::string, ExprPtr>> lets;
    auto bind = [&](const ExprPtr& x) {
        if (x->kind == ExprKind::Variable || x->kind == ExprKind::Constant)
            return x;
        lets.emplace_back(unique_let_name("power"), x);
        return variable(lets.back().first, type, where);
    };
    auto multiply = [&](const ExprPtr& a, const ExprPtr& b) {
        auto product = loopscope::binary(Op::Multiply, a, b, where);
        return scope.constant ? fold(product) : product;
    };
    auto x = bind(base.expr), result = x;
    int top = 63 - __builtin_clzll(static_cast<unsigned long long>(n));
    for (int bit = top - 1; bit >= 0; --bit) {
        auto half = bind(result);
        result = multiply(half, half);
        if ((n >> bit) & 1)
            result = multiply(result, x);
    }
    for (auto l = lets.rbegin(); l != lets.rend(); ++l)
        result = let(l->first, l->second, result, where);
    Value cost;
    cost.size = static_cast<std::uint32_t>(8 * (top + 1));
    cost.depth = static_cast<std::uint16_t>(4 * (top + 1));
    cost.has_let = !lets.empty();
    return build(result, {&base, &cost}, e, scope);
}

} // namespace loopscope
