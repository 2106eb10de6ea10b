// synchronize_pipelines: ALCOP III-B, fifth step: copies become asynchronous, between the four
// primitives.
//
//     for ko in 0..8 {                          for ko in 0..8 {
//         let ko.ahead = ko + 2 {                   wait As.copies 1
//             As[ko.ahead % 3, i] = A[…]            let ko.ahead = ko + 2 {
//         }                                   ->        acquire As.copies
//         … As[ko % 3, i] …                             copy As.copies As[ko.ahead % 3, i] = A[…]
//     }                                                 commit As.copies
//                                                   }
//                                                   … As[ko % 3, i] …
//                                                   release As.copies
//
// When iteration ko waits, its own group and n - 2 later ones have been committed. It waits before
// it begins new copies: one barrier then serves both the data that have arrived and the slot that
// is free again. Where an inner level reads ahead, the wait is in front of its first copy out of
// the next iteration's slot, and in the prologue in front of the inner level's: Fig. 7 as printed
// lacks that one, and reads what has not arrived.
//
// A load by producer warpgroups (Rotation::producers) is waited for behind the copies of the same
// iteration, as long as all threads do both: `specialize_warps` parts them.
//
// Only memory that a block shares is filled asynchronously, from global memory; other levels are
// plain copies, which the hardware issues early. Expects a program after fill_pipelines. Guarantees
// that no hint is left.
#include "compiler/lower/gpu/pipelining/analysis.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <optional>
#include <set>

namespace loopscope::lower {

namespace {

using pipelining::Plan;
class Synchronization {
public:
    explicit Synchronization(Plan plan) : plan_(std::move(plan)) {}

    StatementPtr run(const StatementPtr& s, const std::string& loop = {}) {
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child, s->kind == StatementKind::For ? s->variable : loop));
        auto out = with_children(s, std::move(children));
        if (s->kind == StatementKind::Allocate && pipelining::find(plan_, s->storage->buffer))
            return edited(out, [](Statement& copy) { copy.storage->rotation = {}; });
        if (pipelining::is_ahead(*s, plan_, loop))
            return ahead(out, loop);
        if (s->kind != StatementKind::For)
            return out;
        for (const auto& entry : plan_)
            if (s->variable.starts_with(entry.loop + ".first") &&
                pipelining::writes_to(s->children[0], entry.buffer))
                return prologue(out, entry);
        return using_loop(out);
    }

private:
    // Loading for a later iteration; of an inner level behind the wait for what it then reads.
    StatementPtr ahead(const StatementPtr& s, const std::string& loop) {
        for (const auto& entry : pipelining::of_loop(plan_, loop)) {
            if (!pipelining::writes_to(s->children[0], entry.buffer))
                continue;
            if (pipelining::is_asynchronous(entry)) {
                auto begun = with_children(s, {issued(s->children[0], entry)});
                return entry.producers ? block({begun, handed_over(entry)}) : begun;
            }
            const auto* outer = pipelining::find(plan_, entry.outer);
            if (!outer || !pipelining::is_asynchronous(*outer))
                return s;
            // The first iteration that reads the outer loop's next slot.
            const auto turn = std::max<std::int64_t>(entry.extent - (entry.copies - 1), 0);
            auto wait = if_then(s->origin, binary(Op::Equal, variable(loop), constant_index(turn)),
                                pipeline_step(StatementKind::Wait, outer->origin, waited(*outer)));
            return block({wait, s});
        }
        return s;
    }

    StatementPtr prologue(const StatementPtr& s, const pipelining::PipelinedBuffer& entry) {
        if (pipelining::is_asynchronous(entry))
            return with_children(s, {issued(s->children[0], entry)});
        const auto* outer = pipelining::find(plan_, entry.outer);
        if (!outer || !pipelining::is_asynchronous(*outer) || !waited_.insert(outer->token).second)
            return s;
        return block({pipeline_step(StatementKind::Wait, outer->origin, waited(*outer)), s});
    }

    // A loop that uses what was loaded ahead.
    StatementPtr using_loop(const StatementPtr& s) {
        std::vector<StatementPtr> before, after, behind;
        std::set<std::string> done;
        for (const auto& entry : pipelining::of_loop(plan_, s->variable)) {
            if (!pipelining::is_asynchronous(entry) || !done.insert(entry.token).second)
                continue;
            if (entry.producers)
                append_empty_groups(entry, behind);
            else if (!has_inner_level(entry.token))
                before.push_back(pipeline_step(StatementKind::Wait, entry.origin, waited(entry)));
            after.push_back(pipeline_step(StatementKind::Release, entry.origin, {entry.token}));
        }
        if (done.empty())
            return s;
        before.push_back(s->children[0]);
        before.insert(before.end(), after.begin(), after.end());
        behind.insert(behind.begin(), with_children(s, {block(std::move(before))}));
        return block(std::move(behind));
    }

    static StatementPtr handed_over(const pipelining::PipelinedBuffer& entry) {
        return pipeline_step(StatementKind::Wait, entry.origin, {entry.token});
    }

    // Groups count on where the loop runs again, and slots begin anew with its first iteration:
    // empty groups are added up to a multiple of the number of slots.
    static void append_empty_groups(const pipelining::PipelinedBuffer& entry,
                                    std::vector<StatementPtr>& to) {
        for (auto group = entry.extent; group % entry.copies != 0; ++group) {
            to.push_back(issued(empty_block(), entry));
            to.push_back(handed_over(entry));
            to.push_back(pipeline_step(StatementKind::Release, entry.origin, {entry.token}));
        }
    }

    static PipelineStep waited(const pipelining::PipelinedBuffer& entry) {
        PipelineStep step{entry.token};
        step.pending = entry.copies - 2;
        return step;
    }

    bool has_inner_level(const std::string& token) const {
        return std::any_of(plan_.begin(), plan_.end(), [&](const auto& inner) {
            const auto* outer = pipelining::find(plan_, inner.outer);
            return outer && outer->token == token;
        });
    }

    static StatementPtr issued(const StatementPtr& copies,
                               const pipelining::PipelinedBuffer& entry) {
        PipelineStep acquired{entry.token, entry.producers};
        if (entry.producers)
            acquired.slot_count = entry.copies;
        return block(
            {pipeline_step(StatementKind::Acquire, entry.origin, acquired),
             rewrite(copies, [&](const StatementPtr& s) { return asynchronous(s, entry.token); }),
             pipeline_step(StatementKind::Commit, entry.origin, {entry.token})});
    }

    static StatementPtr asynchronous(const StatementPtr& s, const std::string& token) {
        if (s->kind != StatementKind::Store)
            return s;
        auto value = as_load(s->value);
        if (!value)
            return s;
        return copy(s->origin, token, s->access->buffer, s->access->indices, value);
    }

    // A copy brings an element or zeros. Null: what the value is no copy can bring.
    static ExprPtr as_load(const ExprPtr& value) {
        if (is_load(*value))
            return value;
        const bool zeros = value->kind == ExprKind::Select && is_constant(value->args[2]) &&
                           value->args[2]->bits == 0 && value->args[1]->kind == ExprKind::Load;
        return zeros ? masked_load(value->args[1]->name, value->type, value->args[1]->args,
                                   value->args[0])
                     : nullptr;
    }

    Plan plan_;
    std::set<std::string> waited_; // tokens whose first group a prologue has waited for
};

} // namespace

Program synchronize_pipelines(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) {
        auto plan = pipelining::read_plan(body);
        return plan.empty() ? body : Synchronization(std::move(plan)).run(body);
    });
}

} // namespace loopscope::lower
