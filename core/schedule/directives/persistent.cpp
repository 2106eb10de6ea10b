#include "core/schedule/directives/persistent.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Persistent::summary() const {
    return "Runs a loop of blocks inside as many blocks as the target holds at once.";
}

Status Persistent::apply(ScheduleState& state, const ApplyContext&) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    auto position = nest->position(loop);
    if (!position)
        return at("loop", position.errors());
    auto& bound = nest->loops().loops[*position];
    if (bound.numbers.unit != device::Unit::Grid)
        return refuse(
            "loop",
            receiver.text() + "." + loop +
                (bound.binding.empty() ? " is bound to no block" : " is bound to " + bound.binding),
            "first " + receiver.text() + ".bind(" + loop + ", block.x)");
    bound.persistent = true;
    if (auto legal = nest->finish(); !legal)
        return at("loop", legal.errors());
    return success();
}

std::string Persistent::describe() const {
    return "keep the blocks of " + receiver.text() + "." + loop + " running";
}

std::unique_ptr<Directive> make_persistent() { return std::make_unique<Persistent>(); }

} // namespace loopscope
