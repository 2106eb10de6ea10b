// Updates of stages.
#include "core/language/expand.h"

#include <algorithm>

namespace loopscope {

void Expander::update(const ast::Statement& s, const NameScope& scope) {
    auto stage_name = elaborator_.text(s.name, scope);
    if (!stage_name || !elaborator_.spend(3, s.span))
        return;
    const auto* known = elaborator_.find(*stage_name, scope);
    if (!known)
        return elaborator_.unknown(*stage_name, s.name.span, scope, false);
    if (known->kind == MeaningKind::Broken)
        return;
    if (known->kind != MeaningKind::Stage)
        return elaborator_.fail(s.name.span, scope,
                                "'" + *stage_name + "' is " + with_article(known->kind) +
                                    ", not a stage",
                                "only a stage can be updated", "update");
    auto number = known->stage;
    auto& state = program_.stages[static_cast<std::size_t>(number)];
    if (!state.reader.empty())
        elaborator_.fail(s.name.span, scope,
                         "'" + *stage_name + "' was read by '" + state.reader +
                             "' before this update",
                         "write the updates of a stage before its readers", "update");
    if (state.broken)
        return;
    std::deque<Local> locals;
    NameScope inner = scope;
    Definition d;
    d.kind = DefinitionKind::Update;
    d.update = s.update;
    d.where = reporter_.range(s.span);
    bool ok = axes(s.axes, inner, locals, d.axes);
    DefinitionContext context;
    context.stage = number;
    context.update = true;
    auto rank = state.stage.variables.size();
    context.free.resize(rank);
    for (std::size_t i = 0; i < std::min(rank, s.extents.size()); ++i) {
        const auto& left = *s.extents[i];
        const auto& own = state.stage.variables[i];
        bool taken =
            std::any_of(d.axes.begin(), d.axes.end(), [&](const auto& a) { return a.name == own; });
        if (taken || left.kind != ast::ExprKind::Name || left.name.is_template() ||
            left.name.text != own)
            continue;
        ok = elaborator_.check_hides_nothing(own, "axis", left.span, scope) && ok;
        context.free[i] = own;
        d.free.push_back(own);
        add_axis(own, reporter_.range(left.span), locals, inner);
    }
    inner.definition = &context;
    ok = update_left(s, inner, context, d) && ok;
    d.values = elaborator_.components(*s.value, inner, state.stage.types);
    if (s.condition) {
        auto condition = elaborator_.condition(*s.condition, inner, "the condition after 'where'");
        ok = ok && condition;
        if (condition)
            d.condition = condition->expr;
    }
    if (!d.values.empty() && check_update(s, scope, state.stage, d) && ok)
        state.stage.definitions.push_back(std::move(d));
}

// An update of a tuple has a value for each component, and its operator works on each by itself.
bool Expander::check_update(const ast::Statement& s, const NameScope& scope, const Stage& stage,
                            const Definition& d) {
    std::vector<ScalarType> found;
    for (const auto& v : d.values)
        found.push_back(v->type);
    const auto& types = stage.types;
    if (found != types) {
        bool single = types.size() == 1 && found.size() == 1;
        elaborator_.fail(s.value->span, scope,
                         "the stage '" + stage.name + "' is " + type_text(types) +
                             ", but the update's expression is " + type_text(found),
                         single                         ? "write " + type_text(types) + "(…)"
                         : types.size() == 1            ? "write one value"
                         : types.size() == found.size() ? "cast the components"
                                                        : "write a value for each component",
                         "type");
        return false;
    }
    if (s.update == UpdateOp::Assign || std::none_of(types.begin(), types.end(), is_bool))
        return true;
    elaborator_.fail(s.span, scope, "arithmetic on bool: '" + std::string(name(s.update)) + "'",
                     "write = with and, or, not", "type");
    return false;
}

bool Expander::update_left(const ast::Statement& s, const NameScope& scope,
                           const DefinitionContext& context, Definition& out) {
    const auto& stage = program_.stages[static_cast<std::size_t>(context.stage)].stage;
    if (s.extents.size() != stage.variables.size()) {
        elaborator_.fail(s.name.span, scope,
                         "'" + stage.name + "' has " +
                             counted(stage.variables.size(), "dimension") + ", found " +
                             std::to_string(s.extents.size()) +
                             (s.extents.size() == 1 ? " index" : " indices"),
                         {}, "arguments");
        return false;
    }
    bool ok = true;
    for (const auto& e : s.extents) {
        auto index = elaborator_.index(*e, scope);
        ok = ok && index;
        if (index)
            out.left.push_back(index->expr);
    }
    return ok;
}

} // namespace loopscope
