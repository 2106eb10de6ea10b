#include "compiler/codegen/opencl/lift_barriers.h"

#include "compiler/lower/statements.h"

namespace loopscope::codegen {

namespace {

using lower::Statement;
using lower::StatementKind;
using lower::StatementPtr;

bool reads_memory(const Statement& s) {
    for (const auto& e : lower::expressions(s))
        if (contains_load(e))
            return true;
    return false;
}

// `s` where `condition` holds, its barriers in any case. What is inside of it has been lifted
// already.
StatementPtr guarded(const ExprPtr& condition, const NodeId& origin, const StatementPtr& s) {
    if (s->kind == StatementKind::Barrier)
        return s;
    if (!waits(s) || (s->kind != StatementKind::Block && reads_memory(*s)))
        return lower::if_then(origin, condition, s);
    switch (s->kind) {
    case StatementKind::For:
    case StatementKind::Let:
    case StatementKind::Allocate:
        return lower::with_children(s, {guarded(condition, origin, s->children[0])});
    case StatementKind::Block: break;
    default: return lower::if_then(origin, condition, s);
    }
    std::vector<StatementPtr> parts, between;
    auto close = [&] {
        if (!between.empty())
            parts.push_back(lower::if_then(origin, condition, lower::block(between)));
        between.clear();
    };
    for (const auto& child : s->children) {
        if (!waits(child)) {
            between.push_back(child);
            continue;
        }
        close();
        parts.push_back(guarded(condition, origin, child));
    }
    close();
    return lower::block(std::move(parts));
}

StatementPtr lifted(const StatementPtr& s) {
    if (s->kind != StatementKind::If || !waits(s) || contains_load(s->condition))
        return s;
    std::vector<StatementPtr> parts{guarded(s->condition, s->origin, s->children[0])};
    if (s->children.size() > 1)
        parts.push_back(guarded(unary(Op::LogicalNot, s->condition), s->origin, s->children[1]));
    return lower::block(std::move(parts));
}

} // namespace

bool waits(const lower::StatementPtr& s) {
    return lower::any_statement(
        s, [&](const Statement& inner) { return inner.kind == StatementKind::Barrier; });
}

lower::Program lift_barriers(const lower::Program& program) {
    return lower::map_bodies(program, [](const StatementPtr& body) {
        return lower::rewrite(body, [](const StatementPtr& s) { return lifted(s); });
    });
}

} // namespace loopscope::codegen
