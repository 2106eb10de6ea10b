#include "compiler/lower/gpu/producers.h"

#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace loopscope::lower {

namespace {

using Tokens = std::set<std::string>;

bool loads(const Statement& s, const Tokens& tokens) {
    const bool step = s.kind == StatementKind::Acquire || s.kind == StatementKind::BulkCopy ||
                      s.kind == StatementKind::Commit;
    return step && tokens.count(s.step->token);
}

// The statement with the steps of producers alone, or without them. Empty statements are left out,
// and allocations of the other part.
StatementPtr part(const StatementPtr& s, const Tokens& tokens, bool of_producers) {
    if (s->children.empty())
        return loads(*s, tokens) == of_producers ? s : empty_block();
    std::vector<StatementPtr> children;
    bool any = false;
    for (const auto& child : s->children) {
        children.push_back(part(child, tokens, of_producers));
        any = any || !is_empty(children.back());
    }
    if (!any)
        return empty_block();
    if (of_producers && s->kind == StatementKind::Allocate)
        return children.front();
    return with_children(s, std::move(children));
}

Diagnostic refusal(const std::string& stage, const std::string& why, const std::string& remedy) {
    return coded_error(kCodeNoProducers, stage + " cannot be loaded by producer warpgroups: " + why,
                       remedy + ", or leave out " + stage + ".specialize(…)");
}

Status check(const Launch& launch) {
    const auto tokens = handed_over(launch.body);
    if (tokens.empty())
        return success();
    Diagnostics errors;
    std::set<std::string> computed; // by the launch itself
    visit_statements(launch.body, [&](const Statement& s) {
        if (s.storage)
            computed.insert(s.storage->buffer);
        if (writes(s))
            computed.insert(s.access->buffer);
        return true;
    });
    std::string stage;
    visit_statements(part(launch.body, tokens, true), [&](const Statement& s) {
        if (loads(s, tokens))
            stage = s.origin.stage;
        auto meets = [&](const std::string& buffer, const char* as) {
            if (errors.empty() && computed.count(buffer))
                errors.push_back(refusal(stage, buffer + as, "compute that at root"));
        };
        if (s.kind == StatementKind::BulkCopy)
            meets(s.operands[1].buffer, ", which it is a copy of, is computed by the same launch");
        for (const auto& e : expressions(s))
            visit(e, [&](const Expr& x) {
                if (is_load(x))
                    meets(x.name, ", on which depends what is copied, is computed meanwhile");
                return true;
            });
        return true;
    });
    if (!errors.empty())
        return errors;
    return success();
}

// Does a launch have producer warpgroups, or mean to?
bool has_producers(const Launch& launch) {
    return any_statement(launch.body, [&](const Statement& s) {
        return s.kind == StatementKind::Acquire && s.step->producers > 0;
    });
}

} // namespace

StatementPtr producers_part(const StatementPtr& body) {
    return part(body, handed_over(body), true);
}

StatementPtr consumers_part(const StatementPtr& body) {
    return part(body, handed_over(body), false);
}

Status check_producers(const Program& program) {
    if (std::none_of(program.launches.begin(), program.launches.end(), has_producers))
        return success();
    Diagnostics errors;
    for (const auto& copy : no_bulk_copies(program))
        errors.push_back(refusal(copy.stage, "the TMA brings boxes of arrays, and " + copy.why,
                                 "copy whole boxes in the order of the array"));
    if (!errors.empty())
        return errors;
    for (const auto& launch : program.launches)
        if (on_device(launch))
            if (auto status = check(launch); !status)
                return status;
    return success();
}

} // namespace loopscope::lower
