// ALCOP III-A, fourth step: the part of each loop's body that loads a buffer.
#include "compiler/lower/gpu/pipelining/analysis.h"

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::lower::pipelining {

namespace {

// Does it write the buffer, and nothing else?
bool loads_only(const StatementPtr& s, const std::string& buffer) {
    bool only = true, some = false;
    visit_statements(s, [&](const Statement& x) {
        const bool loads = is_copy_instruction(x) && writes_operand(x, buffer);
        only = only && !(writes(x) && x.access->buffer != buffer) &&
               x.kind != StatementKind::Allocate && (x.kind != StatementKind::Intrinsic || loads);
        some = some || loads || (writes(x) && x.access->buffer == buffer);
        return only;
    });
    return only && some;
}

StatementPtr body_of(const StatementPtr& body, const std::string& loop) {
    StatementPtr found;
    visit_statements(body, [&](const Statement& s) {
        if (s.kind == StatementKind::For && s.variable == loop)
            found = s.children[0];
        return !found;
    });
    return found;
}

} // namespace

LoadingPart loading_part(const StatementPtr& body, const std::string& buffer) {
    if (loads_only(body, buffer))
        return {body, empty_block()};
    const bool passes = body->kind == StatementKind::Block || body->kind == StatementKind::Let ||
                        body->kind == StatementKind::Allocate;
    if (!passes)
        return {};
    std::vector<StatementPtr> rest, parts;
    for (const auto& child : body->children) {
        if (!writes_to(child, buffer)) {
            rest.push_back(child);
            continue;
        }
        auto inner = loading_part(child, buffer);
        if (!inner.part)
            return {};
        parts.push_back(inner.part);
        rest.push_back(inner.rest);
    }
    auto part = block(std::move(parts));
    // it copies what is computed here
    if (body->kind == StatementKind::Allocate && reads_from(part, body->storage->buffer))
        return {};
    if (body->kind == StatementKind::Let)
        part = substitute(part, [&](const std::string& name) -> ExprPtr {
            return name == body->variable ? body->value : nullptr;
        });
    return {part, with_children(body, std::move(rest))};
}

Plan of_loop(const Plan& plan, const std::string& loop) {
    Plan out;
    for (const auto& entry : plan)
        if (entry.loop == loop)
            out.push_back(entry);
    return out;
}

bool is_ahead(const Statement& s, const Plan& plan, const std::string& loop) {
    return s.kind == StatementKind::Let && s.variable.starts_with(loop + ".ahead") &&
           std::any_of(plan.begin(), plan.end(), [&](const auto& entry) {
               return entry.loop == loop && writes_to(s.children[0], entry.buffer);
           });
}

void find_parts(const StatementPtr& body, Plan& plan) {
    for (auto& entry : plan) {
        if (entry.loop.empty())
            continue;
        const auto inside = body_of(body, entry.loop);
        if (!inside || !loading_part(inside, entry.buffer).part)
            entry.loop.clear();
    }
}

} // namespace loopscope::lower::pipelining
