#include "core/schedule/directives/parallel.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Parallel::summary() const { return "Shares a loop's iterations among threads."; }

Status Parallel::apply(ScheduleState& state, const ApplyContext&) const {
    auto opened = open_loop(state, *this, loop);
    if (!opened)
        return opened.errors();
    auto& [nest, position] = *opened;
    nest.run_as(position, LoopKind::Parallel);
    return nest.finish(*this);
}

std::string Parallel::describe() const { return "parallel " + receiver.text() + "." + loop; }

std::unique_ptr<Directive> make_parallel() { return std::make_unique<Parallel>(); }

} // namespace loopscope
