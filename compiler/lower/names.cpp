#include "compiler/lower/names.h"

#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

// Replaces names of variables by `variables` and of buffers by `buffers` in one statement and all
// below it.
class Renaming {
public:
    Renaming(NameSource& names) : names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        bool names_variable = s->kind == StatementKind::For || s->kind == StatementKind::Let;
        // bounds and values: outside
        auto renamed = map_expressions(s, [&](const ExprPtr& e) { return expression(e); });
        std::string variable, buffer;
        if (names_variable)
            variable = variables_[s->variable] = names_.fresh(s->variable);
        if (s->storage)
            buffer = buffers_[s->storage->buffer] = names_.fresh(s->storage->buffer);
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child));
        return edited(renamed, [&](Statement& copy) {
            if (!variable.empty())
                copy.variable = variable;
            if (copy.storage)
                copy.storage->buffer = buffer;
            if (copy.access)
                rename(copy.access->buffer);
            for (auto& operand : copy.operands)
                rename(operand.buffer);
            copy.children = std::move(children);
        });
    }

private:
    void rename(std::string& buffer) const {
        if (auto found = buffers_.find(buffer); found != buffers_.end())
            buffer = found->second;
    }

    ExprPtr expression(const ExprPtr& e) {
        if (variables_.empty() && buffers_.empty())
            return e;
        return loopscope::rewrite(e, [&](const ExprPtr& x) { return node(x); });
    }

    // Lets inside expressions have names that no statement has, so a variable found here is a
    // statement's.
    ExprPtr node(const ExprPtr& x) {
        if (x->kind == ExprKind::Variable) {
            auto found = variables_.find(x->name);
            if (found == variables_.end())
                return x;
            return x->lanes > 1 ? vector_variable(found->second, x->type, x->lanes)
                                : variable(found->second, x->type);
        }
        auto found = is_load(*x) ? buffers_.find(x->name) : buffers_.end();
        if (found == buffers_.end())
            return x;
        auto indices = x->args;
        if (x->kind == ExprKind::Load)
            return load(found->second, x->type, std::move(indices), x->component);
        auto mask = indices.back();
        indices.pop_back();
        return masked_load(found->second, x->type, std::move(indices), mask);
    }

    NameSource& names_;
    std::unordered_map<std::string, std::string> variables_, buffers_;
};

} // namespace

NameSource::NameSource(const Program& program) {
    taken_.insert(program.symbols.begin(), program.symbols.end());
    for (const auto& a : program.arguments)
        taken_.insert(a.buffer);
    for (const auto& b : program.buffers)
        taken_.insert(b.buffer);
    for (const auto& launch : program.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            taken_.insert(s.variable);
            if (s.storage) {
                taken_.insert(s.storage->buffer);
                taken_.insert(s.storage->rotation.token);
            }
            if (s.step)
                taken_.insert(s.step->token);
            for (const auto& e : expressions(s))
                visit(e, [&](const Expr& x) {
                    if (x.kind == ExprKind::Let)
                        taken_.insert(x.name);
                    return true;
                });
            return true;
        });
}

std::string NameSource::unused(const std::string& name) {
    return taken_.insert(name).second ? name : fresh(name);
}

std::string NameSource::fresh(const std::string& name) {
    auto made = base_.find(name);
    auto base = made == base_.end() ? name : made->second;
    std::string candidate;
    do
        candidate = base + "_" + std::to_string(++next_[base]);
    while (!taken_.insert(candidate).second);
    base_[candidate] = base;
    return candidate;
}

StatementPtr NameSource::copy(const StatementPtr& s) { return Renaming(*this).run(s); }

} // namespace loopscope::lower
