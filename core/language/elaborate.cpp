#include "core/language/elaborate.h"
#include "core/base/foreign_words.h"

#include "core/language/fold.h"
#include "core/language/loop_syntax.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

constexpr int kExpansionDepth = 1'000; // levels of nesting and defs inside defs, after expansion
constexpr std::uint32_t kSizeLimit = 1'000'000; // nodes of one expression
constexpr std::uint64_t kStepLimit = 2'000'000; // nodes of all expressions

std::string thousands(std::uint64_t value) {
    auto text = std::to_string(value);
    for (int i = static_cast<int>(text.size()) - 3; i > 0; i -= 3)
        text.insert(static_cast<std::size_t>(i), ",");
    return text;
}

} // namespace

void Elaborator::fail(ast::Span at, const NameScope& scope, std::string message, std::string remedy,
                      std::string code) {
    if (scope.environment && !scope.environment->iteration.empty())
        message += " (in the iteration " + scope.environment->iteration + ")";
    if (scope.expansion)
        message += " (in the def '" + scope.expansion->def + "', used at " +
                   reporter_.place(scope.expansion->use) + ")";
    reporter_.error(at, std::move(message), std::move(remedy), std::move(code));
}

bool Elaborator::spend(std::uint64_t steps, ast::Span at) {
    steps_ += steps;
    if (steps_ <= kStepLimit)
        return true;
    if (!exhausted_)
        reporter_.error(
            at, "the pipeline expands to more than " + thousands(kStepLimit) + " expression nodes",
            "use fewer iterations, or let where a def repeats its arguments", "limit");
    exhausted_ = true;
    return false;
}

Elaborator::MaybeValue Elaborator::value(const ast::Expr& e, const NameScope& scope, Type wanted) {
    return part_value(e, scope, wanted, nullptr);
}

std::vector<ExprPtr> Elaborator::components(const ast::Expr& e, const NameScope& scope,
                                            const std::vector<ScalarType>& wanted) {
    std::vector<ExprPtr> out;
    bool failed = false;
    Part part;
    for (; part.which < part.count; ++part.which) {
        Type type;
        if (part.which < wanted.size())
            type = wanted[part.which];
        auto v = materialize(part_value(e, scope, type, &part), e.span, scope, type);
        failed = failed || !v;
        if (v)
            out.push_back(v->expr);
    }
    return failed ? std::vector<ExprPtr>() : out;
}

Elaborator::MaybeValue Elaborator::part_value(const ast::Expr& e, const NameScope& scope,
                                              Type wanted, Part* part) {
    if (exhausted_ || !spend(1, e.span))
        return std::nullopt;
    if (depth_ >= kExpansionDepth) {
        fail(e.span, scope,
             "nested more than " + thousands(kExpansionDepth) + " levels deep after expansion",
             "split it into several stages", "limit");
        return std::nullopt;
    }
    ++depth_;
    auto result = dispatch(e, scope, wanted, part);
    --depth_;
    return result;
}

Elaborator::MaybeValue Elaborator::dispatch(const ast::Expr& e, const NameScope& scope, Type wanted,
                                            Part* part) {
    switch (e.kind) {
    case ast::ExprKind::Number: return number(e, scope, false);
    case ast::ExprKind::Literal: return literal(e, scope);
    case ast::ExprKind::Name: return of_name(e, scope);
    case ast::ExprKind::Call: return call(e, scope, wanted, part);
    case ast::ExprKind::Index: return indexed(e, scope, wanted, part);
    case ast::ExprKind::Unary: return unary(e, scope, wanted);
    case ast::ExprKind::Binary: return binary(e, scope, wanted);
    case ast::ExprKind::Power: return power(e, scope, wanted);
    case ast::ExprKind::Let: return let_in(e, scope, wanted, part);
    case ast::ExprKind::Reduction:
        fail(e.span, scope, "a reduction stands only at the root of a stage's definition",
             "make it a stage of its own, and read that", "reduction");
        return std::nullopt;
    case ast::ExprKind::Tuple: return tuple(e, scope, wanted, part);
    }
    return std::nullopt;
}

Elaborator::MaybeValue Elaborator::tuple(const ast::Expr& e, const NameScope& scope, Type wanted,
                                         Part* part) {
    if (!part) {
        fail(e.span, scope, "a tuple stands only at the root of a stage's definition, or of a def",
             "tuples are flat; one component of a stage is read as S[i].0", "tuple");
        return std::nullopt;
    }
    part->count = e.args.size();
    return part->which < e.args.size() ? typed_value(*e.args[part->which], scope, wanted)
                                       : std::nullopt;
}

Elaborator::MaybeValue Elaborator::exact_result(const ExactResult& result, const ast::Expr& at,
                                                const NameScope& scope) {
    if (!result.value) {
        fail(at.span, scope, result.error, result.remedy, "constant");
        return std::nullopt;
    }
    // Long decimals cost more than a node: they are charged for their length.
    if (result.value->bits() > 128 && !spend(result.value->bits() / 16, at.span))
        return std::nullopt;
    Value out;
    out.exact = result.value;
    return out;
}

Elaborator::MaybeValue Elaborator::build(ExprPtr e, std::initializer_list<const Value*> parts,
                                         const ast::Expr& at, const NameScope& scope) {
    Value out;
    std::uint64_t size = 1;
    int depth = 0;
    for (const auto* part : parts) {
        size += part->size;
        depth = std::max<int>(depth, part->depth);
        out.has_let = out.has_let || part->has_let;
    }
    if (depth >= kDepthLimit || size > kSizeLimit) {
        bool deep = depth >= kDepthLimit;
        fail(at.span, scope,
             deep ? "more than " + thousands(kDepthLimit) +
                        " operators one inside the other after expansion"
                  : "the expression expands to more than " + thousands(kSizeLimit) + " nodes",
             "split it into several stages, or use let where a def repeats its arguments", "limit");
        return std::nullopt;
    }
    out.expr = scope.constant ? fold(e) : std::move(e);
    out.size = scope.constant && is_constant(out.expr) ? 1 : static_cast<std::uint32_t>(size);
    out.depth = static_cast<std::uint16_t>(depth + 1);
    return out;
}

Elaborator::MaybeValue Elaborator::literal(const ast::Expr& e, const NameScope&) {
    Value out;
    auto word = e.name.text;
    if (word == "inf")
        out.exact = Exact::infinity(false);
    else if (word == "nan")
        out.exact = Exact::not_a_number();
    else
        out.expr = constant_bool(word == "true", reporter_.range(e.span));
    return out;
}

Elaborator::MaybeValue Elaborator::number(const ast::Expr& e, const NameScope& scope,
                                          bool negative) {
    auto written = reporter_.text(e.span);
    auto [digits, suffix] = split_number(written);
    if (suffix.empty()) {
        auto parsed = exact_result(parse_number(digits, negative), e, scope);
        return parsed && negative
                   ? exact_result(apply(ExactFunction::Negate, *parsed->exact), e, scope)
                   : parsed;
    }
    ScalarType type;
    if (!parse_scalar_type(std::string(suffix), type) || is_bool(type)) {
        auto remedy = foreign_remedy(ForeignPlace::Suffix, suffix);
        const auto nearest = nearest_name(std::string(suffix), type_names());
        if (remedy.empty())
            remedy = nearest.empty() ? "suffixes are the names of types: 1u8, 0.5f64"
                                     : "did you mean '" + nearest + "'?";
        fail(e.span, scope,
             "'" + std::string(suffix.substr(0, 20)) + "' is no type suffix of a number",
             std::move(remedy), "unknown-name");
        return std::nullopt;
    }
    Value out;
    auto large = parse_unsigned(digits);
    if (type == ScalarType::U64 && large && !negative) {
        out.expr = constant_bits(type, *large, reporter_.range(e.span));
        return out;
    }
    auto parsed = parse_number(digits, negative);
    if (parsed.value && negative)
        parsed = apply(ExactFunction::Negate, *parsed.value);
    if (type == ScalarType::I64 && negative && large == std::uint64_t{1} << 63)
        parsed = Exact::whole(std::numeric_limits<std::int64_t>::min());
    if (!parsed.value)
        return exact_result(parsed, e, scope);
    out.expr = constant(*parsed.value, type, e.span, scope);
    return out.expr ? MaybeValue(out) : std::nullopt;
}

ExprPtr Elaborator::constant(const Exact& exact, ScalarType type, ast::Span at,
                             const NameScope& scope) {
    if (auto bits = bits_as(exact, type))
        return constant_bits(type, *bits, reporter_.range(at));
    std::string shown = exact.text(), wanted = loopscope::name(type);
    if (is_bool(type))
        fail(at, scope, "the constant " + shown + " is no bool",
             "write true or false, or a comparison", "type");
    else if (!is_float(type) && !exact.is_whole())
        fail(at, scope, "the constant " + shown + " is not whole and cannot be " + wanted,
             "write " + wanted + "(" + reporter_.quoted(at, "…") +
                 ") to cut it, or cast the other side to a float",
             "type");
    else
        fail(at, scope, "the constant " + shown + " does not fit " + wanted,
             misfit_remedy(exact, type), "type");
    return nullptr;
}

Elaborator::MaybeValue Elaborator::typed_value(const ast::Expr& e, const NameScope& scope,
                                               Type wanted) {
    return materialize(value(e, scope, wanted), e.span, scope, wanted);
}

Elaborator::MaybeValue Elaborator::materialize(const MaybeValue& v, ast::Span at,
                                               const NameScope& scope, Type wanted) {
    if (!v || !v->exact)
        return v;
    auto type = wanted ? *wanted : v->exact->is_whole() ? ScalarType::I32 : ScalarType::F32;
    auto typed = constant(*v->exact, type, at, scope);
    if (!typed)
        return std::nullopt;
    Value out;
    out.expr = typed;
    return out;
}

std::optional<std::int64_t> Elaborator::whole(const ast::Expr& e, const NameScope& scope,
                                              const std::string& what) {
    NameScope constant_scope = scope;
    constant_scope.constant = true;
    auto v = value(e, constant_scope);
    if (!v)
        return std::nullopt;
    if (v->exact && v->exact->is_whole())
        return v->exact->value();
    std::int64_t out = 0;
    if (!v->exact && is_integer(v->type()) && constant_value(v->expr, out))
        return out;
    auto found = v->exact ? "the constant " + v->exact->text()
                          : std::string("a value of type ") + loopscope::name(v->type());
    fail(e.span, scope, what + " must be a whole number known at load, found " + found, {},
         "constant");
    return std::nullopt;
}

Elaborator::MaybeValue Elaborator::condition(const ast::Expr& e, const NameScope& scope,
                                             const std::string& what) {
    auto v = value(e, scope);
    if (!v)
        return v;
    if (!v->exact && is_bool(v->type()))
        return v;
    auto found =
        v->exact ? "the constant " + v->exact->text() : std::string(loopscope::name(v->type()));
    fail(e.span, scope, what + " must be a bool, found " + found,
         "write a comparison, such as … != 0", "type");
    return std::nullopt;
}

Elaborator::MaybeValue Elaborator::index(const ast::Expr& e, const NameScope& scope) {
    auto v = value(e, scope);
    if (!v)
        return v;
    if (v->exact && v->exact->is_whole())
        return materialize(v, e.span, scope, ScalarType::I32);
    if (!v->exact && is_integer(v->type()))
        return v;
    auto found =
        v->exact ? "the constant " + v->exact->text() : std::string(loopscope::name(v->type()));
    fail(e.span, scope, "an index must be of an integer type, found " + found,
         "write i32(" + reporter_.quoted(e.span, "…") + ")", "type");
    return std::nullopt;
}

// ---- let ----

std::string Elaborator::unique_let_name(const std::string& name) {
    auto [found, fresh] = program_.let_names.try_emplace(name, 0);
    if (fresh)
        return name;
    for (;;) {
        auto candidate = name + "_" + std::to_string(++found->second);
        if (!is_reserved(candidate) && program_.let_names.try_emplace(candidate, 0).second)
            return candidate;
        found = program_.let_names.find(name);
    }
}

Elaborator::MaybeValue Elaborator::let_in(const ast::Expr& e, const NameScope& scope, Type wanted,
                                          Part* part) {
    auto name = text(e.name, scope);
    auto bound = value(*e.args[0], scope);
    if (!name)
        return std::nullopt;
    check_hides_nothing(*name, "let", e.name.span, scope);
    Local local;
    local.parent = scope.locals;
    local.name = *name;
    NameScope inner = scope;
    inner.locals = &local;
    if (!bound) { // the body may have errors of its own
        part_value(*e.args[1], inner, wanted, part);
        return std::nullopt;
    }
    local.kind = Local::Kind::Let;
    bool substituted = bound->exact || (scope.constant && is_constant(bound->expr));
    if (substituted) {
        local.value = *bound;
        return part_value(*e.args[1], inner, wanted, part);
    }
    auto unique = unique_let_name(*name);
    local.value.expr = variable(unique, bound->type(), reporter_.range(e.name.span));
    auto body =
        materialize(part_value(*e.args[1], inner, wanted, part), e.args[1]->span, inner, wanted);
    if (!body)
        return std::nullopt;
    // A let around a tuple stands around each component that uses it.
    if (part && part->count > 1) {
        if (!spend(body->size / 16, e.span))
            return std::nullopt;
        if (!uses_variable(body->expr, unique))
            return body;
    }
    auto out = build(let(unique, bound->expr, body->expr, reporter_.range(e.span)),
                     {&*bound, &*body}, e, scope);
    if (out)
        out->has_let = true;
    return out;
}

} // namespace loopscope
