#include "core/schedule/directives/compute_at.h"

#include "core/schedule/merging.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* ComputeAt::summary() const {
    return "Computes what each iteration of a reader's loop needs, inside it.";
}

Status ComputeAt::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (host.stage == receiver.stage)
        return refuse("host", receiver.stage + " cannot be computed inside itself",
                      "name a stage that reads it");
    auto place = find_host_loop(state, *this, host, loop, "computed");
    if (!place)
        return place.errors();
    // One that comes before it cannot hold it, and nothing may ask for the loops around it then: it
    // might be around itself.
    if (state.index_of(host.stage) <= state.index_of(receiver.stage))
        return at("loop",
                  check_placement(state, *read_graph(state), receiver.stage, *place).errors());
    auto& stage = state.edit(receiver.stage);
    stage.compute = stage.store = Placement{Placement::Kind::At, *place};
    // A stage inside one that shares its loops would be around itself, too.
    if (any_merges(state))
        if (auto merges = check_merges(state, *read_graph(state)); !merges)
            return at("receiver", merges.errors());
    if (auto legal = check_placement(state, *read_graph(state), receiver.stage, *place); !legal)
        return at("loop", legal.errors());
    return check_placements(state);
}

std::string ComputeAt::describe() const {
    return "compute " + receiver.stage + " at " + host.text() + "." + loop;
}

std::unique_ptr<Directive> make_compute_at() { return std::make_unique<ComputeAt>(); }

} // namespace loopscope
