#include "core/language/expand.h"

#include "core/language/words.h"

#include <algorithm>

namespace loopscope {

Expander::Expander(const ast::File& file, const std::map<std::string, std::int64_t>& params,
                   Reporter& reporter)
    : file_(file), params_(params), reporter_(reporter), elaborator_(program_, reporter) {}

void Expander::run() {
    collect_names(file_.statements);
    statements(file_.statements, NameScope{});
    for (const auto& [name, meaning] : program_.globals)
        note_usage(name, meaning);
}

void Expander::statements(const std::vector<ast::StatementPtr>& list, const NameScope& scope) {
    for (const auto& s : list) {
        if (stopped_ || elaborator_.exhausted() || reporter_.full())
            return;
        if (++statements_ > kStatementLimit) {
            reporter_.error(s->span, "the pipeline expands to more than 1,000,000 statements",
                            "use fewer iterations", "limit");
            stopped_ = true;
            return;
        }
        statement(*s, scope);
    }
}

void Expander::statement(const ast::Statement& s, const NameScope& scope) {
    switch (s.kind) {
    case ast::StatementKind::Param: return param(s, scope);
    case ast::StatementKind::Symbolic: return; // refused by the parser
    case ast::StatementKind::Const: return constant(s, scope);
    case ast::StatementKind::Input: return input(s, scope);
    case ast::StatementKind::Stage: return stage(s, scope);
    case ast::StatementKind::Update: return update(s, scope);
    case ast::StatementKind::Output: return output(s, scope);
    case ast::StatementKind::For: return for_block(s, scope);
    case ast::StatementKind::If: return if_block(s, scope);
    case ast::StatementKind::Def: return def(s, scope);
    case ast::StatementKind::Broken: return lose(s, scope);
    }
}

// ---- names ----

// Consts and defs of a loop's body belong to the iteration, unless their name has a template: then
// they are as global as stages and inputs, which always are.
bool Expander::check_free(const ast::Statement& s, const std::string& name,
                          const NameScope& scope) {
    bool local_kind = s.kind == ast::StatementKind::Const || s.kind == ast::StatementKind::Def;
    if (local_kind && scope.environment && !s.name.is_template()) {
        auto& own = scope.environment->names;
        if (auto found = own.find(name);
            found != own.end() && found->second.kind != MeaningKind::Broken) {
            elaborator_.fail(s.name.span, scope,
                             "'" + name + "' is already defined at " +
                                 reporter_.place(found->second.where),
                             "take another name", "duplicate");
            return false;
        }
        return elaborator_.check_hides_nothing(
            name, s.kind == ast::StatementKind::Def ? "def" : "const", s.name.span, scope);
    }
    const auto* known = elaborator_.find(name, scope);
    if (!known || known->kind == MeaningKind::Broken)
        return true;
    bool same = known->where.begin == s.name.span.begin;
    elaborator_.fail(
        s.name.span, scope, "'" + name + "' is already defined at " + reporter_.place(known->where),
        same ? "each iteration needs a name of its own: write a template, " + name + "{…}"
             : "take another name",
        "duplicate");
    return false;
}

bool Expander::define(const ast::Statement& s, const std::string& name, Meaning meaning,
                      const NameScope& scope) {
    meaning.sequence = ++program_.sequence;
    meaning.where = s.name.span;
    if (meaning.kind != MeaningKind::Broken && !check_free(s, name, scope))
        return false;
    bool local_kind = meaning.kind == MeaningKind::Const || meaning.kind == MeaningKind::Def;
    if (local_kind && scope.environment && !s.name.is_template())
        scope.environment->names.insert_or_assign(name, std::move(meaning));
    else if (meaning.kind == MeaningKind::Broken)
        program_.globals.try_emplace(name, std::move(meaning));
    else
        program_.globals.insert_or_assign(name, std::move(meaning));
    return true;
}

// What a statement with an error would have defined, so that its uses are not reported as unknown.
void Expander::lose(const ast::Statement& s, const NameScope& scope) {
    if (s.name.is_template()) {
        std::string beginning(s.name.text);
        auto& lost = program_.lost_names;
        if (lost.size() < 1'000 && std::find(lost.begin(), lost.end(), beginning) == lost.end())
            lost.push_back(beginning);
    } else if (!s.name.text.empty()) {
        define(s, std::string(s.name.text), Meaning{}, scope);
    }
    for (const auto& inner : s.body)
        lose(*inner, scope);
    for (const auto& inner : s.otherwise)
        lose(*inner, scope);
}

// New lets avoid the names of all axes and params, whichever stage they belong to.
void Expander::collect_names(const std::vector<ast::StatementPtr>& list) {
    auto add = [&](const ast::Name& n) { program_.let_names.try_emplace(std::string(n.text), 0); };
    for (const auto& s : list) {
        if (s->kind == ast::StatementKind::Param)
            add(s->name);
        bool defines =
            s->kind != ast::StatementKind::Update && s->kind != ast::StatementKind::Output;
        if (defines && !s->name.text.empty() && !s->name.is_template())
            program_.written_names.try_emplace(std::string(s->name.text), s->name.span);
        for (const auto& v : s->variables)
            add(v);
        for (const auto& a : s->axes)
            add(a.name);
        if (s->value)
            collect_axis_names(*s->value);
        collect_names(s->body);
        collect_names(s->otherwise);
    }
}

void Expander::collect_axis_names(const ast::Expr& e) {
    if (e.kind == ast::ExprKind::Reduction) // only ever at the root
        for (const auto& a : *e.axes)
            program_.let_names.try_emplace(std::string(a.name.text), 0);
}

// ---- params, consts, defs ----

void Expander::param(const ast::Statement& s, const NameScope& scope) {
    auto name = elaborator_.text(s.name, scope);
    if (!name)
        return;
    if (blocks_ > 0) {
        elaborator_.fail(s.span, scope, "a param stands outside of 'for' and 'if'",
                         "move it up, so that a caller can set it whatever the rest says",
                         "syntax");
        return lose(s, scope);
    }
    auto value = elaborator_.whole(*s.value, scope, "a param's default");
    if (!value)
        return lose(s, scope);
    auto given = params_.find(*name);
    Param p{*name, given == params_.end() ? *value : given->second, *value,
            reporter_.range(s.span)};
    Meaning meaning;
    meaning.kind = MeaningKind::Param;
    meaning.value.exact = Exact::whole(p.value);
    if (define(s, *name, std::move(meaning), scope))
        program_.params.push_back(std::move(p));
}

void Expander::constant(const ast::Statement& s, const NameScope& scope) {
    auto name = elaborator_.text(s.name, scope);
    if (!name)
        return;
    NameScope at_load = scope;
    at_load.constant = true;
    std::optional<ScalarType> type;
    if (!s.types.empty())
        type = scalar_types(s)[0];
    auto value = type ? elaborator_.typed_value(*s.value, at_load, type)
                      : elaborator_.value(*s.value, at_load);
    if (value && type && value->type() != *type) {
        elaborator_.fail(s.value->span, scope,
                         "the const '" + *name + "' is declared " + loopscope::name(*type) +
                             ", but its value is " + loopscope::name(value->type()),
                         "write " + std::string(loopscope::name(*type)) + "(…)", "type");
        value.reset();
    }
    Meaning meaning;
    meaning.kind = value ? MeaningKind::Const : MeaningKind::Broken;
    if (value)
        meaning.value = *value;
    define(s, *name, std::move(meaning), scope);
}

void Expander::def(const ast::Statement& s, const NameScope& scope) {
    auto name = elaborator_.text(s.name, scope);
    if (!name)
        return;
    std::vector<std::string_view> seen;
    auto check = [&](const ast::Name& n) {
        if (std::find(seen.begin(), seen.end(), n.text) != seen.end())
            elaborator_.fail(n.span, scope, "the name '" + std::string(n.text) + "' stands twice",
                             "take another name", "duplicate");
        seen.push_back(n.text);
    };
    for (const auto& n : s.parameters)
        check(n);
    for (const auto& n : s.variables)
        check(n);
    Meaning meaning;
    meaning.kind = MeaningKind::Def;
    meaning.def = &s;
    if (scope.environment)
        meaning.environment = scope.environment->shared_from_this();
    if (!define(s, *name, std::move(meaning), scope))
        return;
    elaborator_.check_names(s, scope);
}

// ---- for, if ----

void Expander::for_block(const ast::Statement& s, const NameScope& scope) {
    const auto& axis = s.axes[0];
    auto variable = std::string(axis.name.text);
    auto begin = elaborator_.whole(*axis.begin, scope, "the range of a 'for'");
    auto end = elaborator_.whole(*axis.end, scope, "the range of a 'for'");
    if (!begin || !end ||
        !elaborator_.check_hides_nothing(variable, "variable of a for", axis.name.span, scope))
        return lose(s, scope);
    if (*end <= *begin)
        return;
    auto count = static_cast<__int128>(*end) - *begin;
    auto left = kStatementLimit - statements_;
    if (count * static_cast<__int128>(std::max<std::size_t>(1, s.body.size())) > left) {
        reporter_.error({axis.begin->span.begin, axis.end->span.end},
                        "this 'for' expands the pipeline to more than 1,000,000 statements",
                        "use fewer iterations", "limit");
        stopped_ = true;
        return;
    }
    ++blocks_;
    for (auto i = *begin; i < *end && !stopped_ && !elaborator_.exhausted() && !reporter_.full();
         ++i) {
        auto environment = std::make_shared<Environment>();
        if (scope.environment)
            environment->parent = scope.environment->shared_from_this();
        Meaning meaning;
        meaning.kind = MeaningKind::LoopVariable;
        meaning.sequence = ++program_.sequence;
        meaning.where = axis.name.span;
        meaning.value.exact = Exact::whole(i);
        environment->names.emplace(variable, std::move(meaning));
        auto label = variable + "=" + std::to_string(i);
        const auto* outer = scope.environment;
        environment->iteration = outer ? outer->iteration + ", " + label : label;
        environment->group = outer ? outer->group + "/" + label : label;
        NameScope inner = scope;
        inner.environment = environment.get();
        if (s.body.empty())
            ++statements_;
        statements(s.body, inner);
        for (const auto& [name, local] : environment->names)
            note_usage(name, local);
        // Defs refer to the environment they were written in, which holds them: undo the cycle.
        for (auto& [name, local] : environment->names)
            if (local.kind == MeaningKind::Def)
                local.environment.reset();
    }
    --blocks_;
}

void Expander::if_block(const ast::Statement& s, const NameScope& scope) {
    NameScope at_load = scope;
    at_load.constant = true;
    auto condition = elaborator_.condition(*s.condition, at_load, "the condition of 'if'");
    if (!condition)
        return lose(s, scope);
    ++blocks_;
    statements(condition->expr->bits ? s.body : s.otherwise, scope);
    --blocks_;
}

// ---- what the load reports about names ----

void Expander::note_usage(const std::string& name, const Meaning& meaning) {
    if (meaning.kind != MeaningKind::Param && meaning.kind != MeaningKind::Const &&
        meaning.kind != MeaningKind::Def)
        return;
    auto& usage = usage_[meaning.where.begin];
    usage.name = name;
    usage.kind = meaning.kind;
    usage.where = meaning.where;
    usage.used = usage.used || meaning.used;
}

Diagnostics Expander::unused_names() {
    Diagnostics out;
    for (const auto& [place, usage] : usage_)
        if (!usage.used)
            out.push_back({Severity::Warning,
                           "the " + std::string(loopscope::name(usage.kind)) + " '" + usage.name +
                               "' is never used",
                           reporter_.range(usage.where), "remove it", "unused"});
    return out;
}

Diagnostics Expander::unknown_params() const {
    std::vector<std::string> names;
    for (const auto& p : program_.params)
        names.push_back(p.name);
    Diagnostics out;
    for (const auto& [name, value] : params_) {
        auto known = program_.globals.find(name);
        bool lost = known != program_.globals.end() && known->second.kind == MeaningKind::Broken;
        if (lost || std::find(names.begin(), names.end(), name) != names.end())
            continue;
        auto nearest = nearest_name(name, names);
        out.push_back({Severity::Error,
                       "the pipeline has no param '" + name + "'",
                       {},
                       names.empty()     ? "it has no params"
                       : nearest.empty() ? "its params are " +
                                               [&] {
                                                   std::string list;
                                                   for (const auto& n : names)
                                                       list += (list.empty() ? "" : ", ") + n;
                                                   return list;
                                               }()
                                         : "did you mean '" + nearest + "'?",
                       "unknown-param"});
    }
    return out;
}

} // namespace loopscope
