#include "core/schedule/directives/vectorize.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Vectorize::summary() const {
    return "Runs a loop's iterations at once, as lanes of vectors.";
}

void Vectorize::visit_fields(FieldVisitor& visitor) {
    visitor.loop("loop", loop);
    visitor.optional_factor("factor", factor);
    visitor.tail("tail", tail);
}

Status Vectorize::apply(ScheduleState& state, const ApplyContext& context) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    auto position = nest->position(loop);
    if (!position)
        return at("loop", position.errors());
    if (factor)
        position = nest->split_for(*this, *position, *factor, "_v", tail, context);
    if (!position)
        return position.errors();
    nest->loops().loops[*position].kind = LoopKind::Vectorised;
    if (auto legal = nest->finish(); !legal)
        return at("loop", legal.errors());
    return success();
}

std::string Vectorize::describe() const {
    return "vectorize " + receiver.text() + "." + loop + (factor ? " by " + factor->text() : "");
}

} // namespace loopscope
