#include "core/schedule/directives/unroll.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Unroll::summary() const { return "Writes a loop's body out for each iteration."; }

Status Unroll::apply(ScheduleState& state, const ApplyContext& context) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    auto position = nest->position(loop);
    if (!position)
        return at("loop", position.errors());
    if (factor)
        position = nest->split_for(*this, *position, *factor, "_u", tail, context);
    if (!position)
        return position.errors();
    nest->run_as(*position, LoopKind::Unrolled);
    if (auto legal = nest->finish(); !legal)
        return at("loop", legal.errors());
    return success();
}

std::string Unroll::describe() const {
    return "unroll " + receiver.text() + "." + loop +
           (factor ? " by " + factor->text() + tail_phrase(tail) : "");
}

std::unique_ptr<Directive> make_unroll() { return std::make_unique<Unroll>(); }

} // namespace loopscope
