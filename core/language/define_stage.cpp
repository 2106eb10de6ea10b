// Inputs, stages and outputs.
#include "core/ir/limits.h"
#include "core/language/expand.h"
#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

namespace {

ReductionOp reduction_op(std::string_view word) {
    return word == "sum"      ? ReductionOp::Sum
           : word == "prod"   ? ReductionOp::Product
           : word == "min"    ? ReductionOp::Min
           : word == "max"    ? ReductionOp::Max
           : word == "any"    ? ReductionOp::Any
           : word == "all"    ? ReductionOp::All
           : word == "argmin" ? ReductionOp::ArgMin
                              : ReductionOp::ArgMax;
}

std::int64_t element_bytes(const std::vector<ScalarType>& types) {
    std::int64_t sum = 0;
    for (auto t : types)
        sum += bytes(t);
    return sum;
}

} // namespace

int Expander::new_stage(const ast::Statement& s, const NameScope& scope, bool is_input) {
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

bool Expander::variables(const ast::Statement& s, const NameScope& scope,
                         std::deque<Local>& locals) {
    bool ok = true;
    NameScope inner = scope;
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
bool Expander::extents(const ast::Statement& s, const NameScope& scope, const std::string& what,
                       std::int64_t element_bytes, std::vector<Extent>& out) {
    bool ok = true;
    __int128 size = element_bytes;
    for (const auto& e : s.extents) {
        auto extent = elaborator_.whole(*e, scope, "an extent");
        ok = ok && extent.has_value();
        if (!extent)
            continue;
        if (*extent < 1 || *extent > kMaxExtent) {
            elaborator_.fail(e->span, scope, "the extent is " + std::to_string(*extent),
                             *extent < 1 ? "an extent is at least 1"
                                         : "an extent is at most 2147483647 (2^31 - 1)",
                             "extent");
            ok = false;
            continue;
        }
        out.emplace_back(*extent);
        size = std::min<__int128>(size * *extent, __int128{kMaxBytes} * 2);
    }
    if (ok && size > kMaxBytes) {
        elaborator_.fail(s.span, scope, what + " has more than 2^62 bytes", "make it smaller",
                         "extent");
        ok = false;
    }
    return ok;
}

bool Expander::boundary(const ast::Statement& s, const NameScope& scope, Stage& stage) {
    stage.boundary.kind = s.boundary;
    if (!s.boundary_value)
        return true;
    NameScope at_load = scope;
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

void Expander::input(const ast::Statement& s, const NameScope& scope) {
    int number = new_stage(s, scope, true);
    if (number < 0)
        return;
    auto& state = program_.stages[static_cast<std::size_t>(number)];
    auto& stage = state.stage;
    stage.types = scalar_types(s);
    std::deque<Local> locals;
    bool ok = variables(s, scope, locals);
    ok =
        extents(s, scope, "the input '" + stage.name + "'", bytes(stage.types[0]), stage.extents) &&
        ok;
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

std::vector<ScalarType> Expander::scalar_types(const ast::Statement& s) {
    std::vector<ScalarType> out;
    for (const auto& written : s.types) {
        auto type = ScalarType::F32;
        parse_scalar_type(std::string(written.text), type); // the parser has refused others
        out.push_back(type);
    }
    return out;
}

bool Expander::check_types(const ast::Statement& s, const std::vector<ScalarType>& found,
                           const NameScope& scope) {
    auto declared = scalar_types(s);
    if (declared.empty() || declared == found)
        return true;
    bool single = declared.size() == 1 && found.size() == 1;
    bool reduces = s.value->kind == ast::ExprKind::Reduction; // of a pair: no components to cast
    elaborator_.fail(s.value->span, scope,
                     "the stage is declared " + type_text(declared) + ", but its expression is " +
                         type_text(found),
                     (single ? "write " + type_text(declared) + "(…), or "
                      : declared.size() == found.size() && !reduces ? "cast the components, or "
                                                                    : "") +
                         "declare " + type_text(found),
                     "type");
    return false;
}

void Expander::stage(const ast::Statement& s, const NameScope& scope) {
    int number = new_stage(s, scope, false);
    if (number < 0)
        return;
    std::deque<Local> locals;
    bool ok = variables(s, scope, locals);
    DefinitionContext context;
    context.stage = number;
    NameScope inner = scope;
    inner.locals = locals.empty() ? nullptr : &locals.back();
    inner.definition = &context;
    Definition d;
    d.where = reporter_.range(s.span);
    ok = definition(*s.value, inner, scalar_types(s), locals, d) && ok;
    std::vector<ScalarType> types;
    for (const auto& v : d.values)
        types.push_back(v->type);
    ok = ok && check_types(s, types, scope);
    auto& state = program_.stages[static_cast<std::size_t>(number)];
    if (!ok)
        return;
    state.stage.types = std::move(types);
    d.free = state.stage.variables;
    state.stage.definitions.push_back(std::move(d));
    state.broken = false;
}

bool Expander::definition(const ast::Expr& e, NameScope scope, const std::vector<ScalarType>& types,
                          std::deque<Local>& locals, Definition& out) {
    if (e.kind == ast::ExprKind::Reduction)
        return reduction(e, scope, types, locals, out);
    out.values = elaborator_.components(e, scope, types);
    return !out.values.empty();
}

bool Expander::reduction(const ast::Expr& e, NameScope scope, const std::vector<ScalarType>& types,
                         std::deque<Local>& locals, Definition& out) {
    auto word = std::string(e.name.text);
    out.kind = DefinitionKind::Reduction;
    out.reduction = reduction_op(word);
    bool ok = axes(*e.axes, scope, locals, out.axes);
    Elaborator::Type type;
    if (!types.empty())
        type = types[0];
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
    if (ok && is_arg(out.reduction)) {
        auto index = rank(e, scope, out.axes);
        if (!index)
            return false;
        out.values.push_back(std::move(index));
    }
    bool wants_bool = word == "any" || word == "all";
    if (wants_bool == is_bool(body->type()))
        return ok;
    elaborator_.fail(e.args[0]->span, scope,
                     wants_bool ? "'" + word + "' needs bools, found " + name(body->type())
                                : "arithmetic on bool: '" + word + "'",
                     wants_bool              ? "write a comparison, such as … != 0"
                     : is_arg(out.reduction) ? "cast it: u8(…)"
                                             : "cast it: i32(…), or use any or all",
                     "type");
    return false;
}

ExprPtr Expander::rank(const ast::Expr& e, const NameScope& scope,
                       const std::vector<ReductionAxis>& axes) {
    auto variable_of = [](const ReductionAxis& a) {
        return variable(a.name, ScalarType::I32, a.where);
    };
    if (axes.size() == 1) {
        if (axes[0].begin.constant() > kNoRank || axes[0].extent().constant() == 0)
            return variable_of(axes[0]);
        elaborator_.fail((*e.axes)[0].begin->span, scope,
                         "the axis '" + axes[0].name + "' begins at -2147483648, the index that '" +
                             name(reduction_op(e.name.text)) + "' gives where it takes no term",
                         "begin at -2147483647 at least", "extent");
        return nullptr;
    }
    __int128 count = 1;
    for (const auto& a : axes)
        count = std::min<__int128>(count * a.extent().constant(), __int128{kMaxBytes});
    if (count > kMaxExtent) {
        elaborator_.fail(e.span, scope,
                         "the axes of '" + std::string(e.name.text) +
                             "' have more than 2147483647 (2^31 - 1) positions",
                         "reduce one axis in a stage of its own, and then the others", "extent");
        return nullptr;
    }
    ExprPtr position;
    for (const auto& a : axes) {
        ExprPtr own = variable_of(a);
        if (a.begin.constant() != 0)
            own = binary(Op::Subtract, own, constant_int(ScalarType::I32, a.begin.constant()),
                         a.where);
        auto extent = constant_int(ScalarType::I32, a.extent().constant());
        position = position ? binary(Op::Add, binary(Op::Multiply, position, extent, a.where), own,
                                     a.where)
                            : own;
    }
    return position;
}

bool Expander::axes(const std::vector<ast::Axis>& list, NameScope& scope, std::deque<Local>& locals,
                    std::vector<ReductionAxis>& out) {
    bool ok = true;
    const NameScope outside = scope;
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
        bool outside_i32 = *begin < -kMaxExtent - 1 || *end > kMaxExtent + 1 ||
                           *begin > kMaxExtent + 1 || *end < -kMaxExtent - 1;
        if (outside_i32 || extent > kMaxExtent) {
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

void Expander::output(const ast::Statement& s, const NameScope& scope) {
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
    auto element = state.broken ? 1 : element_bytes(state.stage.types);
    if (!extents(s, scope, "the output '" + *stage_name + "'", element, sizes))
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
