// wrap_pipelines: ALCOP III-B, third step: indices of slots roll, and loads ahead wrap around at
// the end of their loop.
//
//     let ko.ahead = ko + 2 {                     let ko.ahead = ko + 2
//         As[ko.ahead, i] = A[64*ko.ahead + i]    let ko.next = ko.ahead % 8 {
//     }                                       ->      As[ko.ahead % 3, i] = A[64*ko.next + i]
//     … As[ko, i] …                               }
//                                                 … As[ko % 3, i] …
//
// Where the source is pipelined as well, an inner loop that runs over goes on with the outer one's
// next iteration (Fig. 7, line 26):
//
//     let ki.ahead = ki + 1 {                     let ki.ahead = ki + 1
//         Ar[ki.ahead] = As[ko, ki.ahead]         let ko.carried = ko + ki.ahead / 4
//     }                                       ->  let ki.next = ki.ahead % 4 {
//                                                     Ar[ki.ahead % 2] =
//                                                         As[ko.carried % 3, ki.next]
//
// Expects a program after shift_pipelines.
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/pipelining/analysis.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

using pipelining::Plan;
class Wrapping {
public:
    Wrapping(Plan plan, NameSource& names) : plan_(std::move(plan)), names_(names) {}

    StatementPtr run(const StatementPtr& s) {
        if (s->kind == StatementKind::Let)
            for (const auto& entry : plan_)
                if (pipelining::is_ahead(*s, plan_, entry.loop))
                    return ahead(s, entry.loop);
        auto out = map_expressions(s, [&](const ExprPtr& e) { return rolled(e); });
        if (const auto* entry =
                has_place(*s) ? pipelining::find(plan_, s->access->buffer) : nullptr)
            out = edited(out, [&](Statement& copy) {
                copy.access->indices[0] = copy_number(*entry, copy.access->indices[0]);
            });
        out = rolled_operands(out);
        if (s->kind == StatementKind::Let)
            lets_[s->variable] = out->value;
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(run(child));
        if (s->kind == StatementKind::Let)
            lets_.erase(s->variable);
        return with_children(out, std::move(children));
    }

private:
    // The copy that belongs to an iteration. An inner level goes on from one iteration of the outer
    // loop to the next: it counts through, where its own iterations are no multiple of the copies.
    ExprPtr copy_number(const pipelining::PipelinedBuffer& entry, ExprPtr iteration) const {
        const auto* outer = pipelining::find(plan_, entry.outer);
        if (outer && entry.extent % entry.copies != 0)
            iteration = binary(
                Op::Add, binary(Op::Multiply, variable(outer->loop), constant_index(entry.extent)),
                iteration);
        return binary(Op::Modulo, iteration, constant_index(entry.copies));
    }

    // Gives an instruction's operands the slots that they take and fill.
    StatementPtr rolled_operands(const StatementPtr& s) const {
        if (s->operands.empty())
            return s;
        return edited(s, [&](Statement& copy) {
            for (auto& operand : copy.operands)
                if (const auto* entry = pipelining::find(plan_, operand.buffer))
                    operand.indices[0] = copy_number(*entry, operand.indices[0]);
        });
    }

    // Which copy a load reads: that of its iteration.
    ExprPtr rolled(const ExprPtr& e) const {
        return loopscope::rewrite(e, [&](const ExprPtr& x) {
            const auto* entry = is_load(*x) ? pipelining::find(plan_, x->name) : nullptr;
            if (!entry)
                return x;
            auto args = x->args;
            args[0] = copy_number(*entry, args[0]);
            return with_args(x, std::move(args));
        });
    }

    StatementPtr ahead(const StatementPtr& s, const std::string& loop) {
        Plan loaded;
        for (const auto& entry : pipelining::of_loop(plan_, loop))
            if (pipelining::writes_to(s->children[0], entry.buffer))
                loaded.push_back(entry);
        const auto extent = constant_index(loaded.front().extent);
        const auto at = variable(s->variable);
        const auto next = names_.unused(loop + ".next");
        std::map<std::string, std::string> carried; // of outer loops
        for (const auto& entry : loaded)
            if (const auto* outer = pipelining::find(plan_, entry.outer))
                if (!carried.count(outer->loop))
                    carried[outer->loop] = names_.unused(outer->loop + ".carried");
        auto next_of = [&](const ExprPtr& e) {
            return loopscope::substitute(e, [&](const std::string& name) -> ExprPtr {
                return name == s->variable ? variable(next) : nullptr;
            });
        };
        auto body = rewrite(s->children[0], [&](const StatementPtr& x) {
            if (is_copy_instruction(*x))
                return loading(x, carried, next_of);
            auto out = map_expressions(
                x, [&](const ExprPtr& e) { return next_of(rolled(with_carried(e, carried))); });
            const auto* entry = writes(*x) ? pipelining::find(loaded, x->access->buffer) : nullptr;
            if (!entry)
                return out;
            // What is loaded has its slot by the iteration, not by where its data are.
            return edited(out, [&](Statement& copy) {
                copy.access->indices[0] = copy_number(*entry, x->access->indices[0]);
            });
        });
        body = let_statement(s->origin, next, binary(Op::Modulo, at, extent), body);
        for (const auto& [outer, name] : carried)
            body = let_statement(s->origin, name,
                                 binary(Op::Add, variable(outer), binary(Op::Divide, at, extent)),
                                 body);
        return with_children(s, {body});
    }

    // An instruction that loads ahead: its registers go by the iteration, its source as other loads
    // do.
    template <typename Next>
    StatementPtr loading(const StatementPtr& s, const std::map<std::string, std::string>& carried,
                         const Next& next_of) const {
        return edited(s, [&](Statement& copy) {
            auto& registers = copy.operands[0];
            for (std::size_t i = 0; i < registers.indices.size(); ++i) {
                const auto* entry = i == 0 ? pipelining::find(plan_, registers.buffer) : nullptr;
                registers.indices[i] = entry ? copy_number(*entry, registers.indices[i])
                                             : next_of(registers.indices[i]);
            }
            for (std::size_t o = 1; o < copy.operands.size(); ++o) {
                auto& source = copy.operands[o];
                const auto* outer = pipelining::find(plan_, source.buffer);
                for (auto& index : source.indices)
                    if (outer)
                        index = with_carried(index, carried);
                if (outer)
                    source.indices[0] = copy_number(*outer, source.indices[0]);
                for (auto& index : source.indices)
                    index = next_of(index);
            }
        });
    }

    // An expression in the outer loop's iteration in which the inner one then is; lets between the
    // loops are of that, too.
    ExprPtr with_carried(const ExprPtr& e,
                         const std::map<std::string, std::string>& carried) const {
        std::function<ExprPtr(const std::string&)> value = [&](const std::string& name) -> ExprPtr {
            if (auto found = carried.find(name); found != carried.end())
                return variable(found->second);
            auto let = lets_.find(name);
            if (let == lets_.end())
                return nullptr;
            auto then = loopscope::substitute(let->second, value);
            return equal(then, let->second) ? nullptr : then;
        };
        return carried.empty() ? e : loopscope::substitute(e, value);
    }

    Plan plan_;
    NameSource& names_;
    std::map<std::string, ExprPtr> lets_; // in scope
};

} // namespace

Program wrap_pipelines(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        auto plan = pipelining::read_plan(body);
        return plan.empty() ? body : Wrapping(std::move(plan), names).run(body);
    });
}

} // namespace loopscope::lower
