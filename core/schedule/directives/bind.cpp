#include "core/schedule/directives/bind.h"

#include "core/schedule/levels.h"
#include "core/schedule/nest.h"

namespace loopscope {

const char* Bind::summary() const { return "Runs a loop's iterations on a level of the target."; }

Status Bind::apply(ScheduleState& state, const ApplyContext& context) const {
    auto opened = open_loop(state, *this, loop);
    if (!opened)
        return opened.errors();
    auto& [nest, position] = *opened;
    if (auto known = check_level(level, context); !known)
        return at("level", known.errors());
    const auto& loops = nest.loops().loops;
    const auto numbers = numbered_by(level, context);
    for (const auto& other : loops)
        if (other.numbers == numbers && other.name != loop && !numbers.is_virtual())
            return refuse("level",
                          receiver.text() + "." + other.name + " is bound to " + other.binding +
                              " already",
                          "fuse the two loops and bind the fused one, or name another level");
    nest.run_as(position, LoopKind::Serial, level, numbers);
    return nest.finish(*this);
}

std::string Bind::describe() const {
    return "bind " + receiver.text() + "." + loop + " to " + level;
}

std::unique_ptr<Directive> make_bind() { return std::make_unique<Bind>(); }

} // namespace loopscope
