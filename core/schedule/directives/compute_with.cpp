#include "core/schedule/directives/compute_with.h"

#include "core/schedule/merging.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* ComputeWith::summary() const {
    return "Shares outer loops with another definition: one nest runs both.";
}

Status ComputeWith::apply(ScheduleState& state, const ApplyContext&) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    if (auto there = find_definition(state, host); !there)
        return at("host", there.errors());
    auto position = find_loop(state, host, loop);
    if (!position)
        return at("loop", position.errors());
    const DefinitionKey own{receiver.stage, receiver.definition};
    const DefinitionKey other{host.stage, host.definition};
    if (own == other)
        return refuse("host", receiver.text() + " cannot share loops with itself",
                      "name another definition");
    const auto& loops =
        state.find(host.stage)->definitions[static_cast<std::size_t>(host.definition)].loops;
    if (state.find(host.stage)->compute.kind == Placement::Kind::Inline)
        return refuse("host", host.stage + " is inlined: it has no loops to share",
                      host.stage + ".compute_root() gives it loops again");
    nest->loops().with.reset(); // another host than before
    if (merge_head(state, other) == own)
        return refuse("host", host.text() + " shares the loops of " + receiver.text() + " already",
                      "one of the two lines is enough");
    nest->loops().with = LoopRef{host.stage, host.definition, loops[*position].id};
    nest->loops().touched = true;
    return check_placements(state);
}

std::string ComputeWith::describe() const {
    return "compute " + receiver.text() + " with " + host.text() + " down to " + loop;
}

std::unique_ptr<Directive> make_compute_with() { return std::make_unique<ComputeWith>(); }

} // namespace loopscope
