// Inputs, stages, updates and outputs.
#include "core/language/expand.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

Value axis_value(const std::string& name, SourceRange where) {
    Value v;
    v.expr = variable(name, ScalarType::I32, std::move(where));
    return v;
}

void add_axis(const std::string& name, SourceRange where, std::deque<Local>& locals, Scope& scope) {
    Local l;
    l.parent = scope.locals;
    l.name = name;
    l.kind = Local::Kind::Axis;
    l.value = axis_value(name, std::move(where));
    scope.locals = &locals.emplace_back(std::move(l));
}

ReductionOp reduction_op(std::string_view word) {
    return word == "sum"    ? ReductionOp::Sum
           : word == "prod" ? ReductionOp::Product
           : word == "min"  ? ReductionOp::Min
           : word == "max"  ? ReductionOp::Max
           : word == "any"  ? ReductionOp::Any
                            : ReductionOp::All;
}

} // namespace

int Expander::new_stage(const ast::Statement& s, const Scope& scope, bool is_input) {
    auto name = elaborator_.text(s.name, scope);
    if (!name)
        return -1;
    if (!elaborator_.spend(3, s.span)) // a stage costs more than the nodes of its expressions
        return -1;
    Program::StageState state;
    state.stage.name = state.stage.display_name = *name;
    state.stage.is_input = is_input;
    state.stage.origin.range = reporter_.range(s.span);
    if (scope.environment) {
        state.stage.origin.iteration = scope.environment->iteration;
        state.stage.origin.group = scope.environment->group;
    }
    for (const auto& v : s.variables)
        state.stage.variables.emplace_back(v.text);
    state.where = s.name.span;
    state.broken = true;
    Meaning meaning;
    meaning.kind = is_input ? MeaningKind::Input : MeaningKind::Stage;
    meaning.stage = static_cast<int>(program_.stages.size());
    if (!define(s, *name, std::move(meaning), scope))
        return -1;
    program_.stages.push_back(std::move(state));
    return static_cast<int>(program_.stages.size()) - 1;
}

bool Expander::variables(const ast::Statement& s, const Scope& scope, std::deque<Local>& locals) {
    bool ok = true;
    Scope inner = scope;
    for (const auto& v : s.variables) {
        std::string name(v.text);
        bool twice = std::any_of(locals.begin(), locals.end(),
                                 [&](const Local& l) { return l.name == name; });
        if (twice)
            elaborator_.fail(v.span, scope, "the index name '" + name + "' stands twice",
                             "take another name", "duplicate");
        ok = !twice && elaborator_.check_hides_nothing(name, "axis", v.span, scope) && ok;
        add_axis(name, reporter_.range(v.span), locals, inner);
    }
    return ok;
}

// Extents of an input or output: at least 1 each; their product in bytes stays below the limit.
bool Expander::extents(const ast::Statement& s, const Scope& scope, const std::string& what,
                       ScalarType type, std::vector<Extent>& out) {
    bool ok = true;
    __int128 size = bytes(type);
    for (const auto& e : s.extents) {
        auto extent = elaborator_.whole(*e, scope, "an extent");
        ok = ok && extent.has_value();
        if (!extent)
            continue;
        if (*extent < 1 || *extent > kExtentLimit) {
            elaborator_.fail(e->span, scope, "the extent is " + std::to_string(*extent),
                             *extent < 1 ? "an extent is at least 1"
                                         : "an extent is at most 2147483647 (2^31 - 1)",
                             "extent");
            ok = false;
            continue;
        }
        out.emplace_back(*extent);
        size = std::min<__int128>(size * *extent, static_cast<__int128>(kByteLimit) * 2);
    }
    if (ok && size > kByteLimit) {
        elaborator_.fail(s.span, scope, what + " has more than 2^62 bytes", "make it smaller",
                         "extent");
        ok = false;
    }
    return ok;
}

bool Expander::boundary(const ast::Statement& s, const Scope& scope, Stage& stage) {
    stage.boundary.kind = s.boundary;
    if (!s.boundary_value)
        return true;
    Scope at_load = scope;
    at_load.constant = true;
    auto value = elaborator_.typed_value(*s.boundary_value, at_load, stage.types[0]);
    if (!value)
        return false;
    stage.boundary.value = value->expr;
    if (value->type() == stage.types[0])
        return true;
    elaborator_.fail(s.boundary_value->span, scope,
                     "the boundary is " + std::string(name(value->type())) + ", and the input " +
                         name(stage.types[0]),
                     "write " + std::string(name(stage.types[0])) + "(…)", "type");
    return false;
}

void Expander::input(const ast::Statement& s, const Scope& scope) {
    int number = new_stage(s, scope, true);
    if (number < 0)
        return;
    auto& state = program_.stages[static_cast<std::size_t>(number)];
    auto& stage = state.stage;
    ScalarType type = ScalarType::F32;
    parse_scalar_type(std::string(s.type->text), type);
    stage.types = {type};
    std::deque<Local> locals;
    bool ok = variables(s, scope, locals);
    ok = extents(s, scope, "the input '" + stage.name + "'", type, stage.extents) && ok;
    ok = boundary(s, scope, stage) && ok;
    if (!s.has_variables)
        for (std::size_t i = 0; i < s.extents.size(); ++i)
            stage.variables.push_back("d" + std::to_string(i));
    if (stage.variables.size() != s.extents.size()) {
        elaborator_.fail(s.span, scope,
                         "'" + stage.name + "' has " +
                             counted(stage.variables.size(), "index name") + " and " +
                             counted(s.extents.size(), "extent"),
                         {}, "arguments");
        ok = false;
    }
    state.broken = !ok;
}

bool Expander::check_type(const ast::Statement& s, ScalarType found, const Scope& scope) {
    ScalarType declared;
    if (!s.type || !parse_scalar_type(std::string(s.type->text), declared) || declared == found)
        return true;
    elaborator_.fail(s.value->span, scope,
                     "the stage is declared " + std::string(name(declared)) +
                         ", but its expression is " + name(found),
                     "write " + std::string(name(declared)) + "(…), or declare " + name(found),
                     "type");
    return false;
}

void Expander::stage(const ast::Statement& s, const Scope& scope) {
    int number = new_stage(s, scope, false);
    if (number < 0)
        return;
    std::deque<Local> locals;
    bool ok = variables(s, scope, locals);
    Elaborator::Type type;
    if (ScalarType t; s.type && parse_scalar_type(std::string(s.type->text), t))
        type = t;
    DefinitionContext context;
    context.stage = number;
    Scope inner = scope;
    inner.locals = locals.empty() ? nullptr : &locals.back();
    inner.definition = &context;
    Definition d;
    d.where = reporter_.range(s.span);
    ok = definition(*s.value, inner, type, locals, d) && ok;
    ok = ok && check_type(s, d.values[0]->type, scope);
    auto& state = program_.stages[static_cast<std::size_t>(number)];
    if (!ok)
        return;
    state.stage.types = {d.values[0]->type};
    d.free = state.stage.variables;
    state.stage.definitions.push_back(std::move(d));
    state.broken = false;
}

bool Expander::definition(const ast::Expr& e, Scope scope, Elaborator::Type type,
                          std::deque<Local>& locals, Definition& out) {
    if (e.kind == ast::ExprKind::Reduction)
        return reduction(e, scope, type, locals, out);
    auto value = elaborator_.typed_value(e, scope, type);
    if (value)
        out.values = {value->expr};
    return value.has_value();
}

bool Expander::reduction(const ast::Expr& e, Scope scope, Elaborator::Type type,
                         std::deque<Local>& locals, Definition& out) {
    auto word = std::string(e.name.text);
    if (is_unavailable_function(word)) {
        elaborator_.fail(e.name.span, scope, not_available("the reduction " + word), {},
                         "not-available");
        return false;
    }
    out.kind = DefinitionKind::Reduction;
    out.reduction = reduction_op(word);
    bool ok = axes(*e.axes, scope, locals, out.axes);
    auto body = elaborator_.typed_value(*e.args[0], scope, type);
    if (e.args.size() > 1) {
        auto condition = elaborator_.condition(*e.args[1], scope, "the condition after 'where'");
        ok = ok && condition;
        if (condition)
            out.condition = condition->expr;
    }
    if (!body)
        return false;
    out.values = {body->expr};
    bool wants_bool = word == "any" || word == "all";
    if (wants_bool == is_bool(body->type()))
        return ok;
    elaborator_.fail(e.args[0]->span, scope,
                     wants_bool ? "'" + word + "' needs bools, found " + name(body->type())
                                : "arithmetic on bool: '" + word + "'",
                     wants_bool ? "write a comparison, such as … != 0"
                                : "cast it: i32(…), or use any or all",
                     "type");
    return false;
}

bool Expander::axes(const std::vector<ast::Axis>& list, Scope& scope, std::deque<Local>& locals,
                    std::vector<ReductionAxis>& out) {
    bool ok = true;
    const Scope outside = scope;
    for (const auto& a : list) {
        std::string axis_name(a.name.text);
        ok = elaborator_.check_hides_nothing(axis_name, "axis", a.name.span, scope) && ok;
        auto begin = elaborator_.whole(*a.begin, outside, "the range of an axis");
        auto end = elaborator_.whole(*a.end, outside, "the range of an axis");
        add_axis(axis_name, reporter_.range(a.name.span), locals, scope);
        ok = ok && begin && end;
        if (!begin || !end)
            continue;
        auto extent = static_cast<__int128>(*end) - *begin;
        bool outside_i32 = *begin < -kExtentLimit - 1 || *end > kExtentLimit + 1 ||
                           *begin > kExtentLimit + 1 || *end < -kExtentLimit - 1;
        if (outside_i32 || extent > kExtentLimit) {
            elaborator_.fail({a.begin->span.begin, a.end->span.end}, scope,
                             outside_i32 ? "the axis '" + axis_name + "' leaves the range of i32"
                                         : "the extent of the axis '" + axis_name +
                                               "' is more than 2147483647 (2^31 - 1)",
                             "split it into two axes, and compute the index in i64: i64(…)",
                             "extent");
            ok = false;
            continue;
        }
        out.push_back({axis_name, Extent(*begin), Extent(*end), reporter_.range(a.name.span)});
    }
    return ok;
}

// ---- update ----

void Expander::update(const ast::Statement& s, const Scope& scope) {
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
    Scope inner = scope;
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
    auto type = state.stage.types[0];
    auto value = elaborator_.typed_value(*s.value, inner, type);
    if (s.condition) {
        auto condition = elaborator_.condition(*s.condition, inner, "the condition after 'where'");
        ok = ok && condition;
        if (condition)
            d.condition = condition->expr;
    }
    if (!value)
        return;
    if (value->type() != type)
        return elaborator_.fail(s.value->span, scope,
                                "the stage '" + *stage_name + "' is " + name(type) +
                                    ", but the update's expression is " + name(value->type()),
                                "write " + std::string(name(type)) + "(…)", "type");
    if (is_bool(type) && s.update != UpdateOp::Assign)
        return elaborator_.fail(s.span, scope,
                                "arithmetic on bool: '" + std::string(name(s.update)) + "'",
                                "write = with and, or, not", "type");
    d.values = {value->expr};
    if (ok)
        state.stage.definitions.push_back(std::move(d));
}

bool Expander::update_left(const ast::Statement& s, const Scope& scope,
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

void Expander::output(const ast::Statement& s, const Scope& scope) {
    auto stage_name = elaborator_.text(s.name, scope);
    if (!stage_name)
        return;
    const auto* known = elaborator_.find(*stage_name, scope);
    if (!known)
        return elaborator_.unknown(*stage_name, s.name.span, scope, false);
    if (known->kind == MeaningKind::Broken)
        return;
    if (known->kind != MeaningKind::Stage)
        return elaborator_.fail(
            s.name.span, scope,
            "'" + *stage_name + "' is " + with_article(known->kind) + ", not a stage",
            known->kind == MeaningKind::Input
                ? "copy it through a stage: stage out[i] = " + *stage_name + "[i]"
                : "an output is a stage",
            "output");
    const auto& state = program_.stages[static_cast<std::size_t>(known->stage)];
    std::vector<Extent> sizes;
    auto type = state.broken ? ScalarType::U8 : state.stage.types[0];
    if (!extents(s, scope, "the output '" + *stage_name + "'", type, sizes))
        return;
    if (sizes.size() != state.stage.variables.size())
        return elaborator_.fail(s.span, scope,
                                "'" + *stage_name + "' has " +
                                    counted(state.stage.variables.size(), "dimension") +
                                    ", found " + counted(sizes.size(), "extent"),
                                {}, "arguments");
    if (!program_.output_names.insert(*stage_name).second)
        return elaborator_.fail(s.name.span, scope, "'" + *stage_name + "' is already an output",
                                "remove one of the two", "duplicate");
    program_.outputs.push_back({*stage_name, std::move(sizes), reporter_.range(s.span)});
}

} // namespace loopscope
