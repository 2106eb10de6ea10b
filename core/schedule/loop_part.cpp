#include "core/schedule/loop_part.h"

#include "core/schedule/nest.h"

namespace loopscope {

Status LoopPart::run_as(LoopKind kind, const char* suffix, ScheduleState& state,
                        const ApplyContext& context) const {
    auto opened = open_loop(state, *this, loop);
    if (!opened)
        return opened.errors();
    auto& [nest, position] = *opened;
    if (factor) {
        auto inner = nest.split_for(*this, position, *factor, suffix, tail, context);
        if (!inner)
            return inner.errors();
        position = *inner;
    }
    nest.run_as(position, kind);
    return nest.finish(*this);
}

std::string LoopPart::describe() const {
    return verb() + (" " + receiver.text()) + "." + loop +
           (factor ? " by " + factor->text() + tail_phrase(tail) : "");
}

} // namespace loopscope
