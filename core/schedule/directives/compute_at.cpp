#include "core/schedule/directives/compute_at.h"

#include "core/schedule/merging.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* ComputeAt::summary() const {
    return "Computes what each iteration of a reader's loop needs, inside it.";
}

void ComputeAt::visit_fields(FieldVisitor& visitor) {
    visitor.definition("host", host);
    visitor.loop_of("loop", host, loop);
}

Status ComputeAt::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    auto there = find_definition(state, host);
    if (!there)
        return at("host", there.errors());
    if (host.stage == receiver.stage)
        return refuse("host", receiver.stage + " cannot be computed inside itself",
                      "name a stage that reads it");
    if (state.find(host.stage)->compute.kind == Placement::Kind::Inline)
        return refuse("host",
                      host.stage + " is inlined: it has no loop at which " + receiver.stage +
                          " could be computed",
                      "compute it at a loop of a stage that " + host.stage + " is inlined into");
    auto position = find_loop(state, host, loop);
    if (!position)
        return at("loop", position.errors());
    const auto& nest =
        state.find(host.stage)->definitions[static_cast<std::size_t>(host.definition)];
    LoopRef ref{host.stage, host.definition, nest.loops[*position].id};
    // One that comes before it cannot hold it, and nothing may ask for the loops around it then: it might be around itself.
    if (state.index_of(host.stage) <= state.index_of(receiver.stage))
        return at("loop", check_placement(state, *read_graph(state), receiver.stage, ref).errors());
    auto& stage = state.edit(receiver.stage);
    stage.compute = stage.store = Placement{Placement::Kind::At, ref};
    // A stage inside one that shares its loops would be around itself, too.
    if (any_merges(state))
        if (auto merges = check_merges(state, *read_graph(state)); !merges)
            return at("receiver", merges.errors());
    if (auto legal = check_placement(state, *read_graph(state), receiver.stage, ref); !legal)
        return at("loop", legal.errors());
    return check_placements(state);
}

std::string ComputeAt::describe() const {
    return "compute " + receiver.stage + " at " + host.text() + "." + loop;
}

} // namespace loopscope
