#include "core/schedule/directives/persistent.h"

#include "core/schedule/directives/bind.h"
#include "core/schedule/nest.h"

namespace loopscope {

namespace {

// The line that binds the loop to blocks, where a level is free and iterations may run at once;
// else why there is none.
std::string blocks_first(const ScheduleState& state, const Directive& line, const std::string& loop,
                         const ApplyContext& context) {
    Diagnostics refused;
    for (const char* level : {"block.x", "block.y", "block.z"}) {
        Bind bind;
        bind.receiver = line.receiver;
        bind.loop = loop;
        bind.level = level;
        auto bound = state;
        const auto legal = bind.apply(bound, context);
        if (legal)
            return "first " + bind.text();
        if (refused.empty())
            refused = legal.errors();
    }
    return "it would have to be bound first, and " + refused.front().message + "; " +
           refused.front().remedy;
}

} // namespace

const char* Persistent::summary() const {
    return "Runs a loop of blocks inside as many blocks as the target holds at once.";
}

Status Persistent::apply(ScheduleState& state, const ApplyContext& context) const {
    auto opened = open_loop(state, *this, loop);
    if (!opened)
        return opened.errors();
    auto& [nest, position] = *opened;
    auto& bound = nest.loops().loops[position];
    if (bound.numbers.unit != device::Unit::Grid)
        return refuse(
            "loop",
            receiver.text() + "." + loop +
                (bound.binding.empty() ? " is bound to no block" : " is bound to " + bound.binding),
            blocks_first(state, *this, loop, context));
    bound.persistent = true;
    return nest.finish(*this);
}

std::string Persistent::describe() const {
    return "keep the blocks of " + receiver.text() + "." + loop + " running";
}

std::unique_ptr<Directive> make_persistent() { return std::make_unique<Persistent>(); }

} // namespace loopscope
