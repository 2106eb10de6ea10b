// hoist_lets: a let that does not depend on the loop around it moves out of it.
//
//     for y in 0..8 {                        let row = s + 2
//         let row = s + 2              →     for y in 0..8 {
//         out[y] = row + y                       out[y] = row + y
//     }                                      }
//
// Expects: any program. Guarantees: no loop's body begins with a let that does not use the loop's
// variable and loads nothing (a loop without iterations must not load). Arithmetic has no effects,
// so nothing else is asked.
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

StatementPtr hoisted(const StatementPtr& loop) {
    const auto& first = loop->children[0];
    if (first->kind != StatementKind::Let)
        return loop;
    // A chain of lets: those that stay keep what follows them from moving past only if it uses
    // them.
    std::vector<StatementPtr> out, in;
    StatementPtr body = first;
    for (; body->kind == StatementKind::Let; body = body->children[0]) {
        bool stays = contains_load(body->value) || uses_variable(body->value, loop->variable);
        for (const auto& kept : in)
            stays = stays || uses_variable(body->value, kept->variable);
        (stays ? in : out).push_back(body);
    }
    if (out.empty())
        return loop;
    for (auto let = in.rbegin(); let != in.rend(); ++let)
        body = with_children(*let, {body});
    auto result = with_children(loop, {body});
    for (auto let = out.rbegin(); let != out.rend(); ++let)
        result = with_children(*let, {result});
    return result;
}

} // namespace

Program hoist_lets(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) {
        return rewrite(body, [](const StatementPtr& s) {
            // The dimensions of a launch stay one inside the other.
            return s->kind == StatementKind::For && s->loop->kind != ForKind::Bound ? hoisted(s)
                                                                                    : s;
        });
    });
}

} // namespace loopscope::lower
