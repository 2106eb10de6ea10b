#include "core/schedule/directives/split.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Split::summary() const {
    return "Splits a loop into an outer and an inner one of a given extent.";
}

Status Split::apply(ScheduleState& state, const ApplyContext& context) const {
    auto opened = open_loop(state, *this, loop);
    if (!opened)
        return opened.errors();
    auto& [nest, position] = *opened;
    if (auto free = nest.not_in_use(position, "split"); !free)
        return at("loop", free.errors());
    if (auto names = nest.names_are_free({outer}, {loop}); !names)
        return at("outer", names.errors());
    if (auto names = nest.names_are_free({outer, inner}, {loop}); !names)
        return at("inner", names.errors());
    auto extent = factor_value(state, receiver.stage, factor, context);
    if (!extent)
        return at("factor", extent.errors());
    if (auto fits = nest.tail_fits(position, tail, *extent); !fits)
        return at("tail", fits.errors());
    nest.split(position, outer, inner, *extent, tail);
    return nest.finish();
}

std::string Split::describe() const {
    return "split " + receiver.text() + "." + loop + " by " + factor.text() + tail_phrase(tail);
}

std::unique_ptr<Directive> make_split() { return std::make_unique<Split>(); }

} // namespace loopscope
