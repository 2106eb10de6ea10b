#include "core/schedule/directives/compute_root.h"

#include "core/schedule/nest.h"
#include "core/schedule/pipelining.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* ComputeRoot::summary() const {
    return "Computes the stage whole, before all that come after it.";
}

Status ComputeRoot::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (auto free = check_not_pipelined(
            *state.find(receiver.stage),
            "cannot be computed at root: there is no iteration there that it could be ahead of");
        !free)
        return at("receiver", free.errors());
    auto& stage = state.edit(receiver.stage);
    stage.compute = stage.store = Placement{};
    return check_placements(state);
}

std::string ComputeRoot::describe() const { return "compute " + receiver.stage + " at root"; }

std::unique_ptr<Directive> make_compute_root() { return std::make_unique<ComputeRoot>(); }

} // namespace loopscope
