// Calls: functions, casts, and the expansion of defs.
#include "core/ir/functions.h"
#include "core/language/elaborate.h"
#include "core/language/words.h"

#include <algorithm>
#include <deque>

namespace loopscope {

namespace {

Op unary_op(std::string_view function) {
    return function == "abs"     ? Op::Abs
           : function == "floor" ? Op::Floor
           : function == "ceil"  ? Op::Ceil
                                 : Op::Round;
}

ExactFunction exact_function(Op op) {
    return op == Op::Abs     ? ExactFunction::Abs
           : op == Op::Floor ? ExactFunction::Floor
           : op == Op::Ceil  ? ExactFunction::Ceil
                             : ExactFunction::Round;
}

std::string parameter_list(const ast::Statement& def) {
    std::string out;
    for (const auto& p : def.parameters)
        out += (out.empty() ? "" : ", ") + std::string(p.text);
    return std::string(def.name.text) + "(" + out + ")";
}

} // namespace

Elaborator::MaybeValue Elaborator::call(const ast::Expr& e, const NameScope& scope, Type wanted,
                                        Part* part) {
    if (!e.name.is_template() && is_reserved(e.name.text))
        return function_call(e, scope, wanted);
    auto name = text(e.name, scope);
    if (!name)
        return std::nullopt;
    const auto* local = find_local(*name, scope);
    const auto* symbol = find(*name, scope);
    if (symbol && symbol->kind == MeaningKind::Def)
        return def_call(e, *symbol, scope, wanted, part);
    if ((local && local->kind == Local::Kind::Poison) ||
        (symbol && symbol->kind == MeaningKind::Broken))
        return std::nullopt;
    if (symbol && symbol->stage >= 0)
        fail(e.span, scope,
             "'" + *name + "' is " + with_article(symbol->kind) + " and cannot be called",
             "read it with an index: " + *name + "[…]", "syntax");
    else if (local || symbol)
        fail(e.span, scope, "'" + *name + "' is no function", {}, "syntax");
    else
        unknown(*name, e.name.span, scope, true);
    return std::nullopt;
}

Elaborator::MaybeValue Elaborator::function_call(const ast::Expr& e, const NameScope& scope,
                                                 Type wanted) {
    auto word = e.name.text;
    ScalarType type;
    if (parse_scalar_type(std::string(word), type))
        return cast_call(e, type, scope);
    if (word == "select")
        return select_call(e, scope, wanted);
    if (word == "min" || word == "max" || word == "fmin" || word == "fmax")
        return minmax(e, word.ends_with("min") ? Op::Min : Op::Max, word.front() == 'f', scope,
                      wanted);
    if (word == "saturate")
        return saturate_call(e, scope);
    if (word == "clamp")
        return clamp(e, scope, wanted);
    if (is_reduction(word)) {
        fail(e.span, scope, "'" + std::string(word) + "' is a reduction and needs its axes",
             std::string(word) + "[k in 0..K](…), at the root of a stage's definition",
             "reduction");
        return std::nullopt;
    }
    if (word == "bits")
        return bits_call(e, scope);
    if (word == "from_bits")
        return from_bits_call(e, scope);
    if (word == "sqrt" || word == "fma" || is_prelude_function(std::string(word)))
        return float_function(e, scope, wanted);
    return unary_function(e, scope, wanted);
}

bool Elaborator::arguments(const ast::Expr& e, std::size_t count, const char* shape,
                           const NameScope& scope) {
    if (e.args.size() == count)
        return true;
    fail(e.span, scope,
         "'" + std::string(e.name.text) + "' takes " + counted(count, "argument") + ", found " +
             std::to_string(e.args.size()),
         std::string("write ") + shape, "arguments");
    return false;
}

Elaborator::MaybeValue Elaborator::cast_call(const ast::Expr& e, ScalarType type,
                                             const NameScope& scope) {
    auto shape = std::string(e.name.text) + "(x)";
    if (!arguments(e, 1, shape.c_str(), scope))
        return std::nullopt;
    auto a = value(*e.args[0], scope);
    if (!a)
        return a;
    if (!a->exact)
        return build(loopscope::cast(type, a->expr, reporter_.range(e.span)), {&*a}, e, scope);
    auto bits = bits_cast(*a->exact, type);
    if (!bits) {
        fail(e.span, scope,
             "the constant " + a->exact->text() + " does not fit " + loopscope::name(type),
             misfit_remedy(*a->exact, type), "type");
        return std::nullopt;
    }
    Value out;
    out.expr = constant_bits(type, *bits, reporter_.range(e.span));
    return out;
}

Elaborator::MaybeValue Elaborator::select_call(const ast::Expr& e, const NameScope& scope,
                                               Type wanted) {
    if (!arguments(e, 3, "select(condition, a, b)", scope))
        return std::nullopt;
    auto c = condition(*e.args[0], scope, "the condition of 'select'");
    auto a = value(*e.args[1], scope, wanted);
    auto b = value(*e.args[2], scope, a && !a->exact && !a->adaptable ? Type(a->type()) : wanted);
    if (!c || !a || !b)
        return std::nullopt;
    // Known at load: the arm that stands, still exact.
    if (scope.constant && is_constant(c->expr))
        return c->expr->bits ? a : b;
    bool adaptable = (a->exact || a->adaptable) && (b->exact || b->adaptable);
    std::vector<Operand> arms = {{*a, e.args[1].get()}, {*b, e.args[2].get()}};
    if (!unify(arms, "'select'", e, scope, wanted))
        return std::nullopt;
    auto out = build(
        loopscope::select(c->expr, arms[0].value.expr, arms[1].value.expr, reporter_.range(e.span)),
        {&*c, &arms[0].value, &arms[1].value}, e, scope);
    if (out)
        out->adaptable = adaptable;
    return out;
}

// The minimum or maximum of two or more; min(a, b, c) is min(min(a, b), c). `passes_nan`: fmin and
// fmax, which ignore a NaN operand.
Elaborator::MaybeValue Elaborator::minmax(const ast::Expr& e, Op op, bool passes_nan,
                                          const NameScope& scope, Type wanted) {
    const std::string word(e.name.text);
    if (e.args.size() < 2) {
        arguments(e, 2, (word + "(a, b)").c_str(), scope);
        return std::nullopt;
    }
    std::vector<Operand> operands;
    const auto refuse_whole = [&](const std::string& found) {
        fail(e.span, scope, "'" + word + "' is for floats, found " + found,
             "write " + word.substr(1) + ": an integer is never NaN", "type");
        return std::nullopt;
    };
    bool all_exact = true, all_whole = true, adaptable = true, failed = false;
    for (const auto& argument : e.args) {
        auto v = value(*argument, scope, wanted);
        failed = failed || !v;
        if (!v)
            continue;
        all_exact = all_exact && v->exact;
        all_whole = all_whole && v->exact && v->exact->is_whole();
        adaptable = adaptable && (v->exact || v->adaptable);
        if (!v->exact && !check_operator(op, v->type(), e, scope))
            return std::nullopt;
        if (passes_nan && !v->exact && !v->adaptable && !is_float(v->type()))
            return refuse_whole(loopscope::name(v->type()));
        operands.push_back({*v, argument.get()});
    }
    if (failed)
        return std::nullopt;
    if (passes_nan && all_whole && !(wanted && is_float(*wanted)))
        return refuse_whole("whole numbers");
    if (!all_exact && !unify(operands, "'" + word + "'", e, scope, wanted))
        return std::nullopt;
    MaybeValue out = operands[0].value;
    for (std::size_t i = 1; i < operands.size() && out; ++i) {
        const auto& next = operands[i].value;
        const bool nan = passes_nan && all_exact && (out->exact->is_nan() || next.exact->is_nan());
        if (nan)
            out = out->exact->is_nan() ? next : *out;
        else if (all_exact)
            out = exact_result(
                apply(op == Op::Min ? ExactOp::Min : ExactOp::Max, *out->exact, *next.exact), e,
                scope);
        else if (passes_nan && is_float(next.type()))
            out = number_pair(op, *out, next, e, scope);
        else
            out = build(loopscope::binary(op, out->expr, next.expr, reporter_.range(e.span)),
                        {&*out, &next}, e, scope);
    }
    if (out && !all_exact)
        out->adaptable = adaptable;
    return out;
}

// clamp(x, a, b) is min(max(x, a), b).
Elaborator::MaybeValue Elaborator::clamp(const ast::Expr& e, const NameScope& scope, Type wanted) {
    if (!arguments(e, 3, "clamp(x, least, greatest)", scope))
        return std::nullopt;
    std::vector<Operand> o;
    bool all_exact = true, adaptable = true;
    for (const auto& argument : e.args)
        if (auto v = value(*argument, scope, wanted)) {
            all_exact = all_exact && v->exact;
            adaptable = adaptable && (v->exact || v->adaptable);
            if (!v->exact && !check_operator(Op::Max, v->type(), e, scope))
                return std::nullopt;
            o.push_back({*v, argument.get()});
        }
    if (o.size() != 3)
        return std::nullopt;
    if (all_exact) {
        auto raised =
            exact_result(apply(ExactOp::Max, *o[0].value.exact, *o[1].value.exact), e, scope);
        return raised
                   ? exact_result(apply(ExactOp::Min, *raised->exact, *o[2].value.exact), e, scope)
                   : raised;
    }
    if (!unify(o, "'clamp'", e, scope, wanted))
        return std::nullopt;
    auto where = reporter_.range(e.span);
    auto raised = build(loopscope::binary(Op::Max, o[0].value.expr, o[1].value.expr, where),
                        {&o[0].value, &o[1].value}, e, scope);
    if (!raised)
        return raised;
    auto out = build(loopscope::binary(Op::Min, raised->expr, o[2].value.expr, where),
                     {&*raised, &o[2].value}, e, scope);
    if (out)
        out->adaptable = adaptable;
    return out;
}

Elaborator::MaybeValue Elaborator::unary_function(const ast::Expr& e, const NameScope& scope,
                                                  Type wanted) {
    auto word = std::string(e.name.text);
    auto op = unary_op(word);
    if (!arguments(e, 1, (word + "(x)").c_str(), scope))
        return std::nullopt;
    auto a = value(*e.args[0], scope, wanted);
    if (!a)
        return a;
    if (a->exact)
        return exact_result(apply(exact_function(op), *a->exact), e, scope);
    auto type = a->type();
    if (is_bool(type) || (op != Op::Abs && !is_float(type))) {
        fail(e.span, scope,
             is_bool(type) ? "arithmetic on bool: '" + word + "'"
                           : "'" + word + "' is for floats, found " + loopscope::name(type),
             "cast it: " + word + "(" + (is_bool(type) ? "i32" : "f32") + "(…))", "type");
        return std::nullopt;
    }
    auto out = build(loopscope::unary(op, a->expr, reporter_.range(e.span)), {&*a}, e, scope);
    if (out)
        out->adaptable = a->adaptable;
    return out;
}

// ---- defs ----

Elaborator::MaybeValue Elaborator::def_call(const ast::Expr& e, const Meaning& def,
                                            const NameScope& scope, Type wanted, Part* part) {
    def.used = true;
    if (def.def->has_variables) {
        fail(e.span, scope,
             "'" + std::string(e.name.text) + "' is a function of stages and needs an index",
             "write " + parameter_list(*def.def) + "[…]", "syntax");
        return std::nullopt;
    }
    Part own;
    auto result = expand_def(def, e, scope, nullptr, &e, scope, wanted, part ? part : &own);
    if (part || own.count == 1)
        return result;
    fail(e.span, scope,
         "'" + std::string(e.name.text) + "' gives a tuple of " + counted(own.count, "component"),
         "make it a stage of its own, and read one component of that: S[i].0", "tuple");
    return std::nullopt;
}

Elaborator::MaybeValue Elaborator::expand_def(const Meaning& def, const ast::Expr& call,
                                              const NameScope& arguments,
                                              const std::vector<Value>* indices,
                                              const ast::Expr* use, const NameScope& use_scope,
                                              Type wanted, Part* part) {
    const auto& statement = *def.def;
    if (call.args.size() != statement.parameters.size()) {
        fail(call.span, use_scope,
             "'" + std::string(statement.name.text) + "' takes " +
                 counted(statement.parameters.size(), "argument") + ", found " +
                 std::to_string(call.args.size()),
             "write " + parameter_list(statement), "arguments");
        return std::nullopt;
    }
    Expansion expansion{use_scope.expansion, std::string(statement.name.text), use->span};
    NameScope inner;
    inner.environment = def.environment.get();
    inner.limit = def.sequence;
    inner.constant = use_scope.constant;
    inner.definition = use_scope.definition;
    inner.expansion = &expansion;
    std::deque<Local> locals; // their addresses must last
    for (std::size_t i = 0; i < statement.parameters.size(); ++i) {
        Local l;
        l.parent = inner.locals;
        l.name = statement.parameters[i].text;
        l.kind = Local::Kind::Parameter;
        l.argument = call.args[i].get();
        l.caller = &arguments;
        inner.locals = &locals.emplace_back(std::move(l));
    }
    for (std::size_t i = 0; indices && i < indices->size(); ++i) {
        Local l;
        l.parent = inner.locals;
        l.name = statement.variables[i].text;
        l.kind = Local::Kind::Axis;
        l.value = (*indices)[i];
        if (l.value.has_let) { // each use elaborates it anew, for lets of its own
            l.kind = Local::Kind::Parameter;
            l.argument = use->args[i + 1].get();
            l.caller = &use_scope;
        }
        inner.locals = &locals.emplace_back(std::move(l));
    }
    return part_value(*statement.value, inner, wanted, part);
}

} // namespace loopscope
