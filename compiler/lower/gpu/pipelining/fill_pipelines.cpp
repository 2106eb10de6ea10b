// fill_pipelines: ALCOP III-B, fourth step: prologues load what the first iterations use.
//
//     for ko in 0..8 {                              for ko.first in 0..2 {
//         let ko.ahead = ko + 2                         let ko.next_1 = ko.first % 8
//         let ko.next = ko.ahead % 8 {                  As[ko.first % 3, i] = A[64*ko.next_1 + i]
//             As[ko.ahead % 3, i] = …         ->    }
//         }                                         for ko in 0..8 { … }
//
// An inner level's prologue stands there too, behind that of the outer level, whose first iteration
// it reads.
//
// Expects a program after wrap_pipelines.
#include "compiler/lower/gpu/pipelining/analysis.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <set>

namespace loopscope::lower {

namespace {

using pipelining::Plan;

class Filling {
public:
    Filling(Plan plan, NameSource& names) : plan_(std::move(plan)), names_(names) {}

    StatementPtr run(const StatementPtr& body) {
        visit_all(body, {});
        return rewrite(body, [&](const StatementPtr& s) {
            if (s->kind != StatementKind::For)
                return s;
            std::vector<StatementPtr> out;
            std::set<std::string> done;
            for (const auto& entry : plan_) // outer levels first
                if (entry.prologue_at == s->variable && pipelining::iterations_ahead(entry) > 0 &&
                    done.insert(entry.token).second)
                    out.push_back(prologue(entry));
            out.push_back(s);
            return block(std::move(out));
        });
    }

private:
    // Finds what loads ahead: by token.
    void visit_all(const StatementPtr& s, const std::string& loop) {
        if (pipelining::is_ahead(*s, plan_, loop))
            for (const auto& entry : pipelining::of_loop(plan_, loop))
                if (pipelining::writes_to(s, entry.buffer)) {
                    ahead_[entry.token] = s;
                    around_[entry.token] = lets_;
                }
        if (s->kind == StatementKind::Let)
            lets_[s->variable] = s->value;
        for (const auto& child : s->children)
            visit_all(child, s->kind == StatementKind::For ? s->variable : loop);
        if (s->kind == StatementKind::Let)
            lets_.erase(s->variable);
    }

    StatementPtr prologue(const pipelining::PipelinedBuffer& entry) {
        const auto& loads = ahead_.at(entry.token);
        const auto first = names_.unused(entry.loop + ".first");
        std::set<std::string> around; // loops of outer levels, which are at their first iteration
        for (const auto* outer = pipelining::find(plan_, entry.outer); outer;
             outer = pipelining::find(plan_, outer->outer))
            around.insert(outer->loop);
        // In front of the loop its lets are not in scope.
        const auto& lets = around_.at(entry.token);
        std::function<ExprPtr(const std::string&)> value = [&](const std::string& name) -> ExprPtr {
            if (name == loads->variable)
                return variable(first);
            if (around.count(name))
                return constant_int(ScalarType::I32, 0);
            auto let = lets.find(name);
            return let == lets.end() ? nullptr : loopscope::substitute(let->second, value);
        };
        auto body = substitute(names_.copy(loads->children[0]), value);
        return for_loop(loads->origin, first, constant_int(ScalarType::I32, 0),
                        constant_int(ScalarType::I32, pipelining::iterations_ahead(entry)),
                        ForKind::Unrolled, body);
    }

    Plan plan_;
    NameSource& names_;
    std::map<std::string, StatementPtr> ahead_;
    std::map<std::string, ExprPtr> lets_;                          // in scope
    std::map<std::string, std::map<std::string, ExprPtr>> around_; // by token: what was, there
};

} // namespace

Program fill_pipelines(const Program& program, const TargetInfo&) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        auto plan = pipelining::read_plan(body);
        return plan.empty() ? body : Filling(std::move(plan), names).run(body);
    });
}

} // namespace loopscope::lower
