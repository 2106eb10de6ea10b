#include "core/schedule/directives/serial.h"

#include "core/schedule/nest.h"
#include "core/schedule/tensorizing.h"

namespace loopscope {

const char* Serial::summary() const { return "Runs a loop one iteration after another."; }

Status Serial::apply(ScheduleState& state, const ApplyContext&) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    auto position = nest->position(loop);
    if (!position)
        return at("loop", position.errors());
    // The outermost of the loops that an instruction replaces speaks for all of them.
    auto& loops = nest->loops();
    if (*position == loops.tensorized_from())
        loops.tensorized.reset();
    if (auto plain = check_not_tensorized(loops, receiver.text(), *position, "serial"); !plain)
        return at("loop", plain.errors());
    nest->run_as(*position, LoopKind::Serial);
    if (auto legal = nest->finish(); !legal)
        return at("loop", legal.errors());
    return success();
}

std::string Serial::describe() const { return "serial " + receiver.text() + "." + loop; }

std::unique_ptr<Directive> make_serial() { return std::make_unique<Serial>(); }

} // namespace loopscope
