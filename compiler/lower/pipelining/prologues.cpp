// ALCOP III-A, fifth step: where prologues stand. In front of the pipelined loop; that of an inner level in front of the
// outermost level's loop, so that all levels are one pipeline, and not one for each iteration (Fig. 3 c and d).
#include "compiler/lower/pipelining/analysis.h"

#include "compiler/lower/statements.h"

namespace loopscope::lower::pipelining {

namespace {

bool contains_loop(const StatementPtr& body, const std::string& outer, const std::string& inner) {
    bool found = false;
    visit_statements(body, [&](const Statement& s) {
        if (s.kind == StatementKind::For && s.name == outer)
            visit_statements(s.children[0], [&](const Statement& x) {
                found = found || (x.kind == StatementKind::For && x.name == inner);
                return !found;
            });
        return !found;
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
        if (outer && fits && !outer->loop.empty() && contains_loop(body, outer->loop, entry.loop))
            entry.prologue_at = outer->prologue_at;
        else
            entry.outer.clear(); // it is filled outside of what uses it: one level
    }
}

} // namespace loopscope::lower::pipelining
