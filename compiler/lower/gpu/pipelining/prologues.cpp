// ALCOP III-A, fifth step: where prologues stand. In front of the pipelined loop; that of an inner
// level in front of the outermost level's loop, so that all levels are one pipeline, and not one
// for each iteration (Fig. 3 c and d).
#include "compiler/lower/gpu/pipelining/analysis.h"

#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::lower::pipelining {

namespace {

// Is the inner loop in the outer one, and no other loop between them? Then the inner one's last
// iteration is followed by its first of the outer one's next. Another loop between would have
// iterations that this leaves out.
bool directly_inside(const StatementPtr& body, const std::string& outer, const std::string& inner) {
    bool found = false;
    visit_statements(body, [&](const Statement& s) {
        if (s.kind != StatementKind::For || s.variable != outer)
            return !found;
        visit_statements(s.children[0], [&](const Statement& x) {
            found = found || (x.kind == StatementKind::For && x.variable == inner);
            return x.kind != StatementKind::For;
        });
        return false;
    });
    return found;
}

} // namespace

void find_prologues(const StatementPtr& body, Plan& plan) {
    for (auto& entry : plan) { // outer levels come first
        entry.prologue_at = entry.loop;
        const auto* outer = find(plan, entry.outer);
        // The first loads of an inner level are of the outer level's first iteration.
        const bool fits = entry.copies - 1 <= entry.extent;
        if (outer && fits && !outer->loop.empty() && directly_inside(body, outer->loop, entry.loop))
            entry.prologue_at = outer->prologue_at;
        // it is filled outside of what uses it: one level
        else
            entry.outer.clear();
    }
}

void find_tokens(Plan& plan) {
    for (auto entry = plan.begin(); entry != plan.end(); ++entry) {
        const auto same = std::find_if(plan.begin(), entry, [&](const auto& other) {
            return other.loop == entry->loop && other.scope == entry->scope &&
                   other.copies == entry->copies && other.producers == entry->producers &&
                   other.prologue_at == entry->prologue_at;
        });
        entry->token = same == entry ? entry->buffer + ".copies" : same->token;
    }
}

} // namespace loopscope::lower::pipelining
