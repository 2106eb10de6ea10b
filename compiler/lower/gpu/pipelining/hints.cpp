// ALCOP III-A, first step: the hints that the schedule's `pipeline(n)` left at allocations.
#include "compiler/lower/gpu/pipelining/analysis.h"

#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::lower::pipelining {

Plan find_hints(const StatementPtr& body) {
    Plan plan;
    visit_statements(body, [&](const Statement& s) {
        if (s.kind == StatementKind::Allocate && s.storage->rotation.slot_count > 1) {
            PipelinedBuffer found;
            found.buffer = s.storage->buffer;
            found.scope = s.storage->scope;
            found.copies = s.storage->rotation.slot_count;
            found.producers = s.storage->rotation.producers;
            found.origin = s.origin;
            found.loop = s.storage->rotation.loop;
            found.token = s.storage->rotation.token;
            plan.push_back(std::move(found));
        }
        return true;
    });
    return plan;
}

const PipelinedBuffer* find(const Plan& plan, const std::string& buffer) {
    auto found = std::find_if(plan.begin(), plan.end(),
                              [&](const auto& entry) { return entry.buffer == buffer; });
    return found == plan.end() ? nullptr : &*found;
}

bool is_asynchronous(const PipelinedBuffer& pipelined) {
    return pipelined.scope.shared_by == device::Unit::Block;
}

Plan analyse(const StatementPtr& body) {
    auto plan = find_hints(body);
    find_producers(body, plan);
    std::erase_if(plan, [](const auto& entry) { return entry.source.empty(); });
    find_loops(body, plan);
    find_parts(body, plan);
    std::erase_if(plan, [](const auto& entry) { return entry.loop.empty(); });
    find_levels(plan);
    find_prologues(body, plan);
    find_tokens(plan);
    return plan;
}

Plan read_plan(const StatementPtr& body) {
    auto plan = find_hints(body);
    std::erase_if(plan, [](const auto& entry) { return entry.loop.empty(); });
    find_producers(body, plan);
    find_levels(plan);
    for (auto& entry : plan)
        visit_statements(body, [&](const Statement& s) {
            if (s.kind == StatementKind::For && s.variable == entry.loop)
                constant_value(s.loop->extent, entry.extent);
            return true;
        });
    find_prologues(body, plan);
    return plan;
}

} // namespace loopscope::lower::pipelining
