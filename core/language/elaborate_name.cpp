// Names inside expressions: templates, what a name stands for, what is said of an unknown one.
#include "core/base/foreign_words.h"
#include "core/language/elaborate.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

const char* name(MeaningKind kind) {
    switch (kind) {
    case MeaningKind::Param: return "param";
    case MeaningKind::LoopVariable: return "variable of a for";
    case MeaningKind::Const: return "const";
    case MeaningKind::Def: return "def";
    case MeaningKind::Stage: return "stage";
    case MeaningKind::Input: return "input";
    case MeaningKind::Broken: break;
    }
    return "name";
}

std::string with_article(MeaningKind kind) {
    return std::string(kind == MeaningKind::Input ? "an " : "a ") + name(kind);
}

std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

const char* name(Local::Kind kind) {
    switch (kind) {
    case Local::Kind::Axis: return "axis";
    case Local::Kind::Let: return "let";
    case Local::Kind::Parameter: return "parameter";
    case Local::Kind::Poison: break;
    }
    return "name";
}

void add_axis(const std::string& name, SourceRange where, std::deque<Local>& locals,
              NameScope& scope) {
    Local l;
    l.parent = scope.locals;
    l.name = name;
    l.kind = Local::Kind::Axis;
    l.value.expr = variable(name, ScalarType::I32, std::move(where));
    scope.locals = &locals.emplace_back(std::move(l));
}

std::string type_text(const std::vector<ScalarType>& types) {
    if (types.size() == 1)
        return name(types[0]);
    std::string out;
    for (auto t : types)
        out += (out.empty() ? "" : ", ") + std::string(name(t));
    return "(" + out + ")";
}

std::optional<std::string> Elaborator::text(const ast::Name& name, const NameScope& scope) {
    std::string out(name.text);
    for (const auto& part : name.parts) {
        auto number = whole(*part.value, scope, "a template");
        if (!number)
            return std::nullopt;
        if (*number < 0) {
            fail(part.value->span, scope,
                 "a name cannot hold the negative number " + std::to_string(*number), {},
                 "template");
            return std::nullopt;
        }
        out += std::to_string(*number);
        out += part.text_after;
        if (out.size() > 255)
            break;
    }
    if (out.size() > 255) {
        fail(name.span, scope, "the template makes a name of more than 255 letters", {}, "limit");
        return std::nullopt;
    }
    if (name.is_template() && is_reserved(out)) {
        fail(name.span, scope, "the template makes '" + out + "', which is a reserved word",
             "take another name", "reserved-name");
        return std::nullopt;
    }
    return out;
}

const Local* Elaborator::find_local(const std::string& name, const NameScope& scope) const {
    for (const auto* l = scope.locals; l; l = l->parent)
        if (l->name == name)
            return l;
    return nullptr;
}

const Meaning* Elaborator::find(const std::string& name, const NameScope& scope) const {
    for (const auto* e = scope.environment; e; e = e->parent.get())
        if (auto own = e->names.find(name);
            own != e->names.end() && own->second.sequence < scope.limit)
            return &own->second;
    auto found = program_.globals.find(name);
    return found != program_.globals.end() && found->second.sequence < scope.limit ? &found->second
                                                                                   : nullptr;
}

bool Elaborator::check_hides_nothing(const std::string& name, const char* what, ast::Span at,
                                     const NameScope& scope) {
    if (const auto* local = find_local(name, scope)) {
        fail(at, scope,
             std::string("the ") + what + " '" + name + "' hides the " +
                 loopscope::name(local->kind) + " '" + name + "'",
             "take another name", "hides");
        return false;
    }
    const auto* symbol = find(name, scope);
    // stages are told from variables by their index
    if (!symbol || symbol->kind > MeaningKind::Const)
        return true;
    fail(at, scope,
         std::string("the ") + what + " '" + name + "' hides the " + loopscope::name(symbol->kind) +
             " of " + reporter_.place(symbol->where),
         "take another name", "hides");
    return false;
}

std::vector<std::string> Elaborator::visible_names(const NameScope& scope, bool function) const {
    constexpr std::size_t kCandidates = 2'000; // beyond that a suggestion is not worth its time
    std::vector<std::string> out;
    for (const auto* l = scope.locals; l; l = l->parent)
        out.push_back(l->name);
    for (const auto* e = scope.environment; e; e = e->parent.get())
        for (const auto& [name, symbol] : e->names)
            out.push_back(name);
    for (const auto& [name, symbol] : program_.globals) {
        if (out.size() >= kCandidates)
            break;
        if (symbol.sequence < scope.limit)
            out.push_back(name);
    }
    if (function)
        out.insert(out.end(), function_names().begin(), function_names().end());
    std::sort(out.begin(), out.end()); // the table's order must not decide
    return out;
}

void Elaborator::unknown(const std::string& name, ast::Span at, const NameScope& scope,
                         bool function) {
    // in an earlier iteration
    if (reporter_.reported(at))
        return;
    for (const auto& lost : program_.lost_names)
        if (name.compare(0, lost.size(), lost) == 0)
            return;
    std::string remedy;
    auto later = program_.written_names.find(name);
    if (later != program_.written_names.end())
        remedy = "it is defined at " + reporter_.place(later->second) +
                 (later->second.begin < at.begin ? ", and known only inside of the block there"
                                                 : "; a name is used after its definition");
    else if (auto foreign = foreign_remedy(ForeignPlace::Word, name); !foreign.empty())
        remedy = std::move(foreign);
    else if (reporter_.error_count() < 100 && name.size() > 1)
        if (auto nearest = nearest_name(name, visible_names(scope, function)); !nearest.empty())
            remedy = "did you mean '" + nearest + "'?";
    const auto* d = scope.definition;
    if (d && d->update) {
        const auto& own = program_.stages[static_cast<std::size_t>(d->stage)].stage.variables;
        if (std::find(own.begin(), own.end(), name) != own.end())
            remedy = "it is free only where it stands alone in its own position on the left; else "
                     "put it in 'over': "
                     "over " +
                     name + " in 0..N";
    }
    fail(at, scope, "unknown name '" + name + "'", remedy, "unknown-name");
}

Elaborator::MaybeValue Elaborator::of_name(const ast::Expr& e, const NameScope& scope) {
    if (!e.name.is_template() && is_reserved(e.name.text)) {
        bool type = is_type_name(e.name.text);
        fail(e.span, scope,
             "'" + std::string(e.name.text) + "' is a " + (type ? "type" : "function"),
             type ? "a cast is written " + std::string(e.name.text) + "(…)"
                  : "call it: " + std::string(e.name.text) + "(…)",
             "syntax");
        return std::nullopt;
    }
    auto name = text(e.name, scope);
    if (!name)
        return std::nullopt;
    if (const auto* local = find_local(*name, scope))
        return of_local(*local, e, scope);
    if (const auto* symbol = find(*name, scope))
        return of_symbol(*name, *symbol, e, scope);
    unknown(*name, e.span, scope, false);
    return std::nullopt;
}

Elaborator::MaybeValue Elaborator::of_local(const Local& local, const ast::Expr& e,
                                            const NameScope& scope) {
    if (local.kind == Local::Kind::Poison || local.failed)
        return std::nullopt;
    if (local.kind != Local::Kind::Parameter) {
        if (scope.constant && local.value.expr && !is_constant(local.value.expr)) {
            fail(e.span, scope, "'" + local.name + "' is not known at load",
                 "ranges, extents and templates are constants; to leave out some iterations use "
                 "'where'",
                 "constant");
            return std::nullopt;
        }
        Value out = local.value;
        if (out.expr && out.expr->kind == ExprKind::Variable)
            out.expr = variable(out.expr->name, out.expr->type, reporter_.range(e.span));
        return out;
    }
    if (local.evaluated && !local.evaluated->has_let)
        return local.evaluated;
    NameScope caller = *local.caller;
    caller.constant = caller.constant || scope.constant;
    auto result = value(*local.argument, caller);
    if (!result)
        local.failed = true;
    if (caller.constant == local.caller->constant)
        local.evaluated = result;
    return result;
}

Elaborator::MaybeValue Elaborator::of_symbol(const std::string& name, const Meaning& symbol,
                                             const ast::Expr& e, const NameScope& scope) {
    symbol.used = true;
    switch (symbol.kind) {
    case MeaningKind::Param:
    case MeaningKind::LoopVariable:
    case MeaningKind::Const: return symbol.value;
    case MeaningKind::Broken: return std::nullopt;
    case MeaningKind::Def:
        fail(e.span, scope, "'" + name + "' is a def", "call it: " + name + "(…)", "syntax");
        return std::nullopt;
    default: break;
    }
    const auto& state = program_.stages[static_cast<std::size_t>(symbol.stage)];
    std::string indices;
    for (const auto& v : state.stage.variables)
        indices += (indices.empty() ? "" : ", ") + v;
    fail(e.span, scope, "'" + name + "' is " + (state.stage.is_input ? "an input" : "a stage"),
         "read one element of it: " + name + "[" + indices + "]", "syntax");
    return std::nullopt;
}

} // namespace loopscope
