#include "core/schedule/directives/parallel.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Parallel::summary() const { return "Shares a loop's iterations among threads."; }

Status Parallel::apply(ScheduleState& state, const ApplyContext&) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    auto position = nest->position(loop);
    if (!position)
        return at("loop", position.errors());
    nest->run_as(*position, LoopKind::Parallel);
    if (auto legal = nest->finish(); !legal)
        return at("loop", legal.errors());
    return success();
}

std::string Parallel::describe() const { return "parallel " + receiver.text() + "." + loop; }

std::unique_ptr<Directive> make_parallel() { return std::make_unique<Parallel>(); }

} // namespace loopscope
