#include "core/schedule/directives/unroll.h"

namespace loopscope {

const char* Unroll::summary() const { return "Writes a loop's body out for each iteration."; }

Status Unroll::apply(ScheduleState& state, const ApplyContext& context) const {
    return run_as(LoopKind::Unrolled, "_u", state, context);
}

std::unique_ptr<Directive> make_unroll() { return std::make_unique<Unroll>(); }

} // namespace loopscope
