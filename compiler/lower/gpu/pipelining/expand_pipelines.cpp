// expand_pipelines: ALCOP III-B, first step: a pipelined buffer gets as many slots as there are
// stages. The memory lives around the loop; slot number `ko` is that of iteration `ko` for now.
//
//     for ko in 0..8 {                                allocate As: f16[3, 64] … rotate 3 over ko …
//         allocate As: f16[64] … rotate 3 over ko …   for ko in 0..8 {
//         … As[i] …                                ->     … As[ko, i] …
//
// Expects the plan of plan_pipelines. The memory of an inner level lives as long as that of the
// outermost one.
#include "compiler/lower/gpu/pipelining/analysis.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

using pipelining::Plan;

class Expansion {
public:
    explicit Expansion(Plan plan) : plan_(std::move(plan)) {}

    StatementPtr run(const StatementPtr& body) {
        auto moved = rewrite(
            body, [&](const StatementPtr& s) { return statement(s); },
            [&](const ExprPtr& e) { return expression(e); });
        return around_loops(moved);
    }

private:
    StatementPtr statement(const StatementPtr& s) {
        if (!s->operands.empty())
            return edited(s, [&](Statement& copy) {
                for (auto& operand : copy.operands)
                    if (const auto* entry = pipelining::find(plan_, operand.buffer))
                        operand.indices.insert(operand.indices.begin(), variable(entry->loop));
            });
        if (s->storage && pipelining::find(plan_, s->storage->buffer)) {
            allocations_[s->storage->buffer] = s;
            return s->children[0];
        }
        const auto* entry = s->access ? pipelining::find(plan_, s->access->buffer) : nullptr;
        if (!entry)
            return s;
        return edited(s, [&](Statement& copy) {
            copy.access->indices.insert(copy.access->indices.begin(), variable(entry->loop));
        });
    }

    ExprPtr expression(const ExprPtr& e) const {
        return loopscope::rewrite(e, [&](const ExprPtr& x) -> ExprPtr {
            if (x->kind != ExprKind::Load && x->kind != ExprKind::MaskedLoad)
                return x;
            const auto* entry = pipelining::find(plan_, x->name);
            if (!entry)
                return x;
            auto indices = x->args;
            indices.insert(indices.begin(), variable(entry->loop));
            if (x->kind == ExprKind::Load)
                return load(x->name, x->type, std::move(indices), x->component, x->where);
            auto mask = indices.back();
            indices.pop_back();
            return masked_load(x->name, x->type, std::move(indices), mask);
        });
    }

    StatementPtr around_loops(const StatementPtr& body) const {
        return rewrite(body, [&](const StatementPtr& s) {
            if (s->kind != StatementKind::For)
                return s;
            auto out = s;
            for (auto entry = plan_.rbegin(); entry != plan_.rend(); ++entry)
                if (entry->prologue_at == s->variable)
                    out = edited(allocations_.at(entry->buffer), [&](Statement& copy) {
                        copy.storage->extents.insert(copy.storage->extents.begin(),
                                                     Extent(entry->copies));
                        copy.children = {out};
                    });
            return out;
        });
    }

    Plan plan_;
    std::map<std::string, StatementPtr> allocations_;
};

} // namespace

Program expand_pipelines(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) {
        auto plan = pipelining::read_plan(body);
        return plan.empty() ? body : Expansion(std::move(plan)).run(body);
    });
}

} // namespace loopscope::lower
