#include "core/schedule/directives/store_root.h"

#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* StoreRoot::summary() const {
    return "Keeps what is computed from one iteration to the next, in memory that lives "
           "throughout.";
}

Status StoreRoot::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (auto stored = check_stored(state, receiver.stage); !stored)
        return at("receiver", stored.errors());
    state.edit(receiver.stage).store = Placement{};
    return check_placements(state);
}

std::string StoreRoot::describe() const { return "store " + receiver.stage + " at root"; }

std::unique_ptr<Directive> make_store_root() { return std::make_unique<StoreRoot>(); }

} // namespace loopscope
