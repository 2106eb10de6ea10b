// Functions of floats that round: sqrt, fma and those of the prelude; and the bits of floats.
#include "core/ir/functions.h"
#include "core/language/elaborate.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

std::size_t parameters(const std::string& function) {
    return function == "fma"    ? 3
           : function == "sqrt" ? 1
                                : static_cast<std::size_t>(prelude_parameters(function));
}

std::string shape(const std::string& function, std::size_t count) {
    return function + (count == 1 ? "(x)" : count == 2 ? "(x, y)" : "(a, b, c)");
}

ScalarType unsigned_type(ScalarType of) {
    return bits(of) == 16 ? ScalarType::U16 : bits(of) == 32 ? ScalarType::U32 : ScalarType::U64;
}

} // namespace

Elaborator::MaybeValue Elaborator::float_function(const ast::Expr& e, const NameScope& scope,
                                                  Type wanted) {
    auto word = std::string(e.name.text);
    auto count = parameters(word);
    if (!arguments(e, count, shape(word, count).c_str(), scope))
        return std::nullopt;
    std::vector<Operand> o;
    bool exact = true, adaptable = true;
    Type found;
    for (const auto& argument : e.args)
        if (auto v = value(*argument, scope, wanted)) {
            exact = exact && v->exact;
            adaptable = adaptable && (v->exact || v->adaptable);
            if (!v->exact && is_float(v->type()) && !found)
                found = v->type();
            o.push_back({*v, argument.get()});
        }
    if (o.size() != count)
        return std::nullopt;
    for (const auto& operand : o) {
        if (operand.value.exact || is_float(operand.value.type()))
            continue;
        auto cast = std::string(loopscope::name(found.value_or(ScalarType::F32)));
        fail(e.span, scope,
             "'" + word + "' is for floats, found " + loopscope::name(operand.value.type()),
             count == 1 ? "cast it: " + word + "(" + cast + "(…))"
                        : "write " + cast + "(" + reporter_.quoted(operand.source->span, "…") + ")",
             "type");
        return std::nullopt;
    }
    // In a typed const the arguments take its type; elsewhere nothing says in which type to
    // compute.
    if (exact && (!scope.constant || !wanted || !is_float(*wanted))) {
        auto example = word + "(…)";
        fail(e.span, scope, "'" + word + "' of a constant is not exact and needs a type",
             "write it into a typed const: const C: f32 = " + example + ", or write " + word +
                 "(f32(…)" + (count == 1 ? ")" : ", …)"),
             "constant");
        return std::nullopt;
    }
    if (!unify(o, "'" + word + "'", e, scope, wanted))
        return std::nullopt;
    std::vector<ExprPtr> arguments;
    Value parts;
    parts.size = 0;
    for (const auto& operand : o) {
        arguments.push_back(operand.value.expr);
        parts.size += operand.value.size;
        parts.depth = std::max(parts.depth, operand.value.depth);
        parts.has_let = parts.has_let || operand.value.has_let;
    }
    auto where = reporter_.range(e.span);
    auto result = word == "sqrt"  ? loopscope::unary(Op::Sqrt, arguments[0], where)
                  : word == "fma" ? loopscope::fma(arguments[0], arguments[1], arguments[2], where)
                                  : loopscope::call(word, std::move(arguments), where);
    auto out = build(result, {&parts}, e, scope);
    if (out)
        out->adaptable = adaptable;
    return out;
}

// bits(x): a float's bits as the unsigned integer of its width.
Elaborator::MaybeValue Elaborator::bits_call(const ast::Expr& e, const NameScope& scope) {
    if (!arguments(e, 1, "bits(x)", scope))
        return std::nullopt;
    auto a = value(*e.args[0], scope);
    if (!a)
        return a;
    if (a->exact) {
        fail(e.span, scope, "'bits' of a constant needs its type", "write bits(f32(…))",
             "constant");
        return std::nullopt;
    }
    auto type = a->type();
    if (!is_float(type)) {
        auto same =
            is_signed(type) ? std::string("u") + std::to_string(loopscope::bits(type)) : "u8";
        fail(e.span, scope, std::string("'bits' is for floats, found ") + loopscope::name(type),
             is_unsigned(type) ? "leave it out: an unsigned integer is its bits"
                               : "cast it: " + same + "(…)",
             "type");
        return std::nullopt;
    }
    return build(loopscope::reinterpret(unsigned_type(type), a->expr, reporter_.range(e.span)),
                 {&*a}, e, scope);
}

// The first argument, where it is the name of a type.
std::optional<ScalarType> Elaborator::type_argument(const ast::Expr& e) {
    const auto& first = *e.args[0];
    ScalarType type;
    const bool named = first.kind == ast::ExprKind::Name && !first.name.is_template() &&
                       parse_scalar_type(std::string(first.name.text), type);
    return named ? std::optional(type) : std::nullopt;
}

// from_bits(T, n): the float of type T with the bits n.
Elaborator::MaybeValue Elaborator::from_bits_call(const ast::Expr& e, const NameScope& scope) {
    if (!arguments(e, 2, "from_bits(f32, n)", scope))
        return std::nullopt;
    const auto type = type_argument(e).value_or(ScalarType::Bool);
    if (!is_float(type)) {
        fail(e.args[0]->span, scope,
             "the first argument of 'from_bits' is a float type, found '" +
                 reporter_.quoted(e.args[0]->span, "…") + "'",
             "write from_bits(f32, n), with f16, bf16, f32 or f64", "type");
        return std::nullopt;
    }
    auto integer = unsigned_type(type);
    auto n = typed_value(*e.args[1], scope, integer);
    if (!n)
        return n;
    if (n->type() != integer) {
        auto wanted = std::string(loopscope::name(integer));
        fail(e.args[1]->span, scope,
             "'from_bits(" + std::string(loopscope::name(type)) + ", n)' takes " + wanted +
                 ", found " + loopscope::name(n->type()),
             "write " + wanted + "(" + reporter_.quoted(e.args[1]->span, "…") + ")", "type");
        return std::nullopt;
    }
    return build(loopscope::reinterpret(type, n->expr, reporter_.range(e.span)), {&*n}, e, scope);
}

} // namespace loopscope
