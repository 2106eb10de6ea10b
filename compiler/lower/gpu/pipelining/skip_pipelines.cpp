// skip_pipelines: loads for iterations beyond a loop's end are left out. ALCOP wraps such loads
// around (III-B, third step), so that they read something; nobody uses it, and of a short loop it
// is much. Groups stay, empty, so that waits count as before.
//
//     let ko.next = ko.ahead % 8 {               if ko.ahead < 8 {
//         copy As.copies As[…] =           ->        copy As.copies As[…] =
//             A[64*ko.next + i]                          A[64*ko.ahead + i]
//     }                                          }
//
// Expects a program after synchronize_pipelines.
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

bool is_wrapped(const Statement& s) {
    std::int64_t extent = 0;
    return s.kind == StatementKind::Let && s.variable.find(".next") != std::string::npos &&
           s.value->kind == ExprKind::Binary && s.value->op == Op::Modulo &&
           constant_value(s.value->args[1], extent);
}

bool is_carried(const Statement& s) {
    return s.kind == StatementKind::Let && s.variable.find(".carried") != std::string::npos;
}

StatementPtr skipping(const StatementPtr& s) {
    const auto at = s->value->args[0];
    auto body = substitute(s->children[0], [&](const std::string& name) -> ExprPtr {
        return name == s->variable ? at : nullptr;
    });
    return if_then(s->origin, binary(Op::Less, at, s->value->args[1]), body);
}

class Skipping {
public:
    StatementPtr run(const StatementPtr& s) {
        if (s->kind == StatementKind::For)
            extents_[s->variable] = s->loop->extent;
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child));
        auto out = with_children(s, std::move(children));
        if (is_carried(*s)) {
            // An inner level's next iteration is loaded only where the outer loop has one: its own
            // index wraps around.
            const auto outer = s->variable.substr(0, s->variable.find(".carried"));
            auto extent = extents_.find(outer);
            // of the prologue, which reads the first
            if (extent == extents_.end())
                return out;
            return with_children(
                out, {if_then(s->origin, binary(Op::Less, variable(s->variable), extent->second),
                              out->children[0])});
        }
        return is_wrapped(*s) && !inside_carried(s) ? skipping(out) : out;
    }

private:
    // The inner loop's index, which wraps into the outer loop's next iteration.
    static bool inside_carried(const StatementPtr& s) {
        bool inner = false;
        visit_statements(s, [&](const Statement& x) {
            for (const auto& e : expressions(x))
                visit(e, [&](const Expr& y) {
                    inner = inner || (y.kind == ExprKind::Variable &&
                                      y.name.find(".carried") != std::string::npos);
                    return !inner;
                });
            return !inner;
        });
        return inner;
    }

    std::map<std::string, ExprPtr> extents_;
};

} // namespace

Program skip_pipelines(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) { return Skipping().run(body); });
}

} // namespace loopscope::lower
