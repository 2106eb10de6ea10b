#include "core/schedule/directives/serial.h"

#include "core/schedule/nest.h"
#include "core/schedule/tensorizing.h"

namespace loopscope {

const char* Serial::summary() const { return "Runs a loop one iteration after another."; }

Status Serial::apply(ScheduleState& state, const ApplyContext&) const {
    auto opened = open_loop(state, *this, loop);
    if (!opened)
        return opened.errors();
    auto& [nest, position] = *opened;
    // The outermost of the loops that an instruction replaces speaks for all of them.
    auto& loops = nest.loops();
    if (position == loops.tensorized_from())
        loops.tensorized.reset();
    if (auto plain = check_not_tensorized(loops, receiver.text(), position, "serial"); !plain)
        return at("loop", plain.errors());
    nest.run_as(position, LoopKind::Serial);
    return nest.finish(*this);
}

std::string Serial::describe() const { return "serial " + receiver.text() + "." + loop; }

std::unique_ptr<Directive> make_serial() { return std::make_unique<Serial>(); }

} // namespace loopscope
