#include "core/schedule/directives/non_temporal.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* NonTemporal::summary() const {
    return "Stores past the caches what is not read again soon.";
}

Status NonTemporal::apply(ScheduleState& state, const ApplyContext&) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    if (nest->loops().atomic)
        return refuse("receiver",
                      receiver.text() + " is atomic: a store that combines with what is in memory "
                                        "cannot stream",
                      "R = " + receiver.text() +
                          ".rfactor(…) in place of atomic() gives colliding iterations results of "
                          "their own");
    nest->loops().non_temporal = true;
    return success();
}

std::string NonTemporal::describe() const { return "stream the stores of " + receiver.text(); }

std::unique_ptr<Directive> make_non_temporal() { return std::make_unique<NonTemporal>(); }

} // namespace loopscope
