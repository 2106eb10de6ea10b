#include "core/schedule/directives/serial.h"

#include "core/schedule/nest.h"

namespace loopscope {

const char* Serial::summary() const { return "Runs a loop one iteration after another."; }

void Serial::visit_fields(FieldVisitor& visitor) { visitor.loop("loop", loop); }

Status Serial::apply(ScheduleState& state, const ApplyContext&) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    auto position = nest->position(loop);
    if (!position)
        return at("loop", position.errors());
    nest->run_as(*position, LoopKind::Serial);
    if (auto legal = nest->finish(); !legal)
        return at("loop", legal.errors());
    return success();
}

std::string Serial::describe() const { return "serial " + receiver.text() + "." + loop; }

} // namespace loopscope
