#include "core/schedule/directives/store_at.h"

#include "core/schedule/nest.h"
#include "core/schedule/placement.h"

namespace loopscope {

const char* StoreAt::summary() const {
    return "Keeps what is computed from one iteration to the next, in memory that lives for one "
           "iteration of an outer loop.";
}

Status StoreAt::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (auto stored = check_stored(state, receiver.stage); !stored)
        return at("receiver", stored.errors());
    auto place = find_host_loop(state, *this, host, loop, "stored");
    if (!place)
        return place.errors();
    state.edit(receiver.stage).store = Placement{Placement::Kind::At, *place};
    if (auto legal = check_store(state, receiver.stage); !legal)
        return at("loop", legal.errors());
    return check_placements(state);
}

std::string StoreAt::describe() const {
    return "store " + receiver.stage + " at " + host.text() + "." + loop;
}

std::unique_ptr<Directive> make_store_at() { return std::make_unique<StoreAt>(); }

} // namespace loopscope
