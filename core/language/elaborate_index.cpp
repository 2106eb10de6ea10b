// Reads of stages and inputs, and applications of defs of stages: everything with a [ ].
#include "core/language/elaborate.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

Elaborator::MaybeValue Elaborator::indexed(const ast::Expr& e, const NameScope& scope, Type wanted,
                                           Part* part) {
    auto base = function(*e.args[0], scope);
    if (!base) { // the indices may have errors of their own
        for (std::size_t i = 1; i < e.args.size(); ++i)
            value(*e.args[i], scope);
        return std::nullopt;
    }
    if (base->stage >= 0)
        return read(e, base->stage, scope);
    if (part && e.component < 0)
        return indexed_def(e, *base, scope, wanted, part);
    Part own;
    own.which = static_cast<std::size_t>(std::max<int>(e.component, 0));
    auto result = indexed_def(e, *base, scope, wanted, &own);
    // Without a result and a tuple an error was reported.
    if ((result || own.count > 1) &&
        !check_component(e, std::string(base->def->def->name.text), own.count, scope))
        return std::nullopt;
    return result;
}

// `what[…].N` of something with `count` components.
bool Elaborator::check_component(const ast::Expr& e, const std::string& what, std::size_t count,
                                 const NameScope& scope) {
    auto number = static_cast<std::size_t>(std::max<int>(e.component, 0));
    auto read_as = [&](std::size_t n) { return what + "[…]." + std::to_string(n); };
    if (count == 1 && e.component < 0)
        return true;
    if (count == 1)
        fail(e.span, scope,
             "'" + what + "' is no tuple and has no component ." + std::to_string(number),
             "write " + what + "[…]", "tuple");
    else if (e.component < 0)
        fail(e.span, scope, "'" + what + "' is a tuple of " + counted(count, "component"),
             "read one of them: " + read_as(0), "tuple");
    else if (number >= count)
        fail(e.span, scope,
             "'" + what + "' has no component ." + std::to_string(number) + ", but " +
                 counted(count, "component"),
             "the last is " + read_as(count - 1), "tuple");
    else
        return true;
    return false;
}

Elaborator::MaybeValue Elaborator::indexed_def(const ast::Expr& e, const Function& base,
                                               const NameScope& scope, Type wanted, Part* part) {
    const auto& def = *base.def->def;
    if (e.args.size() - 1 != def.variables.size()) {
        fail(e.span, scope,
             "'" + std::string(def.name.text) + "' has " +
                 counted(def.variables.size(), "index name") + ", found " +
                 std::to_string(e.args.size() - 1) + (e.args.size() == 2 ? " index" : " indices"),
             {}, "arguments");
        return std::nullopt;
    }
    std::vector<Value> indices;
    for (std::size_t i = 1; i < e.args.size(); ++i)
        if (auto v = index(*e.args[i], scope))
            indices.push_back(*v);
    if (indices.size() != def.variables.size())
        return std::nullopt;
    return expand_def(*base.def, *base.call, base.scope, &indices, &e, scope, wanted, part);
}

std::optional<Elaborator::Function> Elaborator::function(const ast::Expr& base,
                                                         const NameScope& scope) {
    if (base.kind == ast::ExprKind::Name)
        return named_function(base, scope);
    if (base.kind != ast::ExprKind::Call) {
        fail(base.span, scope, "only a stage, an input or a def can be indexed", {}, "syntax");
        return std::nullopt;
    }
    auto name = is_reserved(base.name.text) ? std::optional(std::string(base.name.text))
                                            : text(base.name, scope);
    if (!name)
        return std::nullopt;
    const auto* symbol = is_reserved(*name) ? nullptr : find(*name, scope);
    if (!symbol || symbol->kind != MeaningKind::Def || !symbol->def->has_variables) {
        if (symbol && symbol->kind == MeaningKind::Broken)
            return std::nullopt;
        if (symbol || is_reserved(*name))
            fail(base.span, scope,
                 "'" + *name + "' is no def with index names and cannot be indexed",
                 "write def NAME(f)[y, x] = …", "syntax");
        else
            unknown(*name, base.name.span, scope, true);
        return std::nullopt;
    }
    symbol->used = true;
    Function out;
    out.def = symbol;
    out.call = &base;
    out.scope = scope;
    return out;
}

std::optional<Elaborator::Function> Elaborator::named_function(const ast::Expr& base,
                                                               const NameScope& scope) {
    if (!base.name.is_template() && is_reserved(base.name.text)) {
        fail(base.span, scope, "'" + std::string(base.name.text) + "' cannot be indexed", {},
             "syntax");
        return std::nullopt;
    }
    auto name = text(base.name, scope);
    if (!name)
        return std::nullopt;
    for (const auto* l = scope.locals; l; l = l->parent)
        if (l->name == *name && l->kind == Local::Kind::Parameter) {
            if (!spend(1, base.span) || depth_ > 900)
                return std::nullopt;
            ++depth_;
            auto result = function(*l->argument, *l->caller);
            --depth_;
            return result;
        }
    const auto* symbol = find(*name, scope);
    if (!symbol) {
        if (const auto* local = find_local(*name, scope)) {
            if (local->kind != Local::Kind::Poison)
                fail(base.span, scope,
                     std::string("the ") + loopscope::name(local->kind) + " '" + *name +
                         "' cannot be indexed",
                     {}, "syntax");
        } else {
            unknown(*name, base.name.span, scope, false);
        }
        return std::nullopt;
    }
    if (symbol->kind == MeaningKind::Broken)
        return std::nullopt;
    if (symbol->stage < 0) {
        fail(base.span, scope,
             "the " + std::string(loopscope::name(symbol->kind)) + " '" + *name +
                 "' cannot be indexed",
             symbol->kind == MeaningKind::Def ? "give it its arguments first: " + *name + "(…)[…]"
                                              : "",
             "syntax");
        return std::nullopt;
    }
    Function out;
    out.stage = symbol->stage;
    return out;
}

Elaborator::MaybeValue Elaborator::read(const ast::Expr& e, int stage, const NameScope& scope) {
    auto& state = program_.stages[static_cast<std::size_t>(stage)];
    std::vector<Value> values;
    for (std::size_t i = 1; i < e.args.size(); ++i)
        if (auto v = index(*e.args[i], scope))
            values.push_back(*v);
    if (scope.constant) {
        fail(e.span, scope, "'" + state.stage.name + "' is not known at load",
             "consts, ranges, extents and templates are constants", "constant");
        return std::nullopt;
    }
    const auto* d = scope.definition;
    bool self = d && d->stage == stage;
    if (self && !d->update) {
        fail(e.span, scope,
             "the stage '" + state.stage.name + "' cannot read itself in its first definition",
             "write that as an update: update " + state.stage.name + "[…] = … over …", "self-read");
        return std::nullopt;
    }
    if (state.broken)
        return std::nullopt;
    auto rank = state.stage.variables.size();
    if (e.args.size() - 1 != rank) {
        fail(e.span, scope,
             "'" + state.stage.name + "' has " + counted(rank, "dimension") + ", found " +
                 std::to_string(e.args.size() - 1) + (e.args.size() == 2 ? " index" : " indices"),
             {}, "arguments");
        return std::nullopt;
    }
    if (values.size() != rank)
        return std::nullopt;
    std::vector<ExprPtr> indices;
    Value parts;
    parts.size = 0;
    for (const auto& v : values) {
        indices.push_back(v.expr);
        parts.size += v.size;
        parts.depth = std::max(parts.depth, v.depth);
        parts.has_let = parts.has_let || v.has_let;
    }
    if (!check_component(e, state.stage.name, state.stage.types.size(), scope))
        return std::nullopt;
    auto component = static_cast<std::size_t>(std::max<int>(e.component, 0));
    if (self && !check_self_read(e, state.stage, indices, scope))
        return std::nullopt;
    if (!self && d && state.reader.empty())
        state.reader = program_.stages[static_cast<std::size_t>(d->stage)].stage.name;
    auto load = loopscope::load(state.stage.name, state.stage.types[component], std::move(indices),
                                static_cast<int>(component), reporter_.range(e.span));
    return build(load, {&parts}, e, scope);
}

// In a read of the stage by its own update a free variable stands unchanged in its own position:
// other iterations of it would read what has, or has not yet, been written, and nothing would say
// in which order.
bool Elaborator::check_self_read(const ast::Expr& e, const Stage& stage,
                                 const std::vector<ExprPtr>& indices, const NameScope& scope) {
    const auto& free = scope.definition->free;
    for (std::size_t i = 0; i < indices.size(); ++i) {
        if (free[i].empty() ||
            (indices[i]->kind == ExprKind::Variable && indices[i]->name == free[i]))
            continue;
        fail(e.args[i + 1]->span, scope,
             "'" + stage.name + "' reads itself, and its free variable '" + free[i] +
                 "' does not stand unchanged in its own position",
             "put it in 'over': over " + free[i] + " in 0..N", "self-read");
        return false;
    }
    return true;
}

} // namespace loopscope
