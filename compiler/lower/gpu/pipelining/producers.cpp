// ALCOP III-A, second step: what each buffer is a copy of, and which of those are pipelined
// themselves.
#include "compiler/lower/gpu/pipelining/analysis.h"

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <set>

namespace loopscope::lower::pipelining {

bool writes_to(const StatementPtr& s, const std::string& buffer) {
    return any_statement(s, [&](const Statement& x) {
        return (writes(x) && x.access->buffer == buffer) ||
               (is_copy_instruction(x) && writes_operand(x, buffer));
    });
}

bool reads_from(const StatementPtr& s, const std::string& buffer) {
    return any_statement(
        s, [&](const Statement& x) { return loads_from(x, buffer) || reads_operand(x, buffer); });
}

// An asynchronous copy's value is a load; a boundary may stand around it, which says what lies
// outside.
static std::string copied_from(const ExprPtr& value) {
    if (is_load(*value))
        return value->name;
    if (value->kind == ExprKind::Select && is_constant(value->args[2]))
        return copied_from(value->args[1]);
    return {};
}

// Registers are loaded early, and not asynchronously: a function may be applied on the way. Empty:
// of several buffers, or none.
static std::string computed_from(const ExprPtr& value) {
    std::set<std::string> buffers;
    visit(value, [&](const Expr& e) {
        if (is_load(e))
            buffers.insert(e.name);
        return true;
    });
    return buffers.size() == 1 ? *buffers.begin() : std::string();
}

void find_producers(const StatementPtr& body, Plan& plan) {
    for (auto& entry : plan) {
        bool copies = true;
        visit_statements(body, [&](const Statement& s) {
            const bool loads = is_copy_instruction(s) && writes_operand(s, entry.buffer);
            if (!loads && (!writes(s) || s.access->buffer != entry.buffer))
                return true;
            const auto source = loads                             ? s.operands[1].buffer
                                : s.kind == StatementKind::Atomic ? std::string()
                                : is_asynchronous(entry)          ? copied_from(s.value)
                                                                  : computed_from(s.value);
            copies = copies && !source.empty() && (entry.source.empty() || entry.source == source);
            entry.source = source;
            return true;
        });
        if (!copies)
            entry.source.clear();
    }
}

void find_levels(Plan& plan) {
    for (auto& entry : plan)
        entry.outer = find(plan, entry.source) ? entry.source : std::string();
    std::stable_partition(plan.begin(), plan.end(),
                          [](const auto& entry) { return entry.outer.empty(); });
}

} // namespace loopscope::lower::pipelining
