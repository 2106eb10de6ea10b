// shift_pipelines: ALCOP III-B, second step: each iteration loads, at its beginning, for the one
// that comes n - 1 later.
//
//     for ko in 0..8 {                              for ko in 0..8 {
//         As[ko, i] = A[64*ko + i]            ->        let ko.ahead = ko + 2 {
//         … As[ko, i] …                                     As[ko.ahead, i] = A[64*ko.ahead + i]
//                                                       }
//                                                       … As[ko, i] …
//
// Producer warpgroups load at the iteration itself: they run ahead as far as there are slots
// (specialize_warps). Expects a program after expand_pipelines.
#include "compiler/lower/gpu/pipelining/analysis.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <set>

namespace loopscope::lower {

namespace {

StatementPtr shifted(const StatementPtr& loop, const pipelining::Plan& entries, NameSource& names) {
    auto rest = loop->children[0];
    std::vector<StatementPtr> out;
    std::set<std::string> done;
    for (const auto& entry : entries) {
        if (!done.insert(entry.token).second)
            continue;
        std::vector<StatementPtr> parts;
        for (const auto& other : entries) {
            if (other.token != entry.token)
                continue;
            auto found = pipelining::loading_part(rest, other.buffer);
            parts.push_back(found.part);
            rest = found.rest;
        }
        const auto ahead = names.unused(loop->variable + ".ahead");
        auto part = substitute(block(std::move(parts)), [&](const std::string& name) -> ExprPtr {
            return name == loop->variable ? variable(ahead) : nullptr;
        });
        out.push_back(let_statement(
            loop->origin, ahead,
            binary(Op::Add, variable(loop->variable),
                   constant_int(ScalarType::I32, pipelining::iterations_ahead(entry))),
            part));
    }
    out.push_back(rest);
    return with_children(loop, {block(std::move(out))});
}

} // namespace

Program shift_pipelines(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        const auto plan = pipelining::read_plan(body);
        if (plan.empty())
            return body;
        return rewrite(body, [&](const StatementPtr& s) {
            const auto entries = s->kind == StatementKind::For
                                     ? pipelining::of_loop(plan, s->variable)
                                     : pipelining::Plan();
            return entries.empty() ? s : shifted(s, entries, names);
        });
    });
}

} // namespace loopscope::lower
