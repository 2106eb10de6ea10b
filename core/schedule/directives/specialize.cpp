#include "core/schedule/directives/specialize.h"

#include "core/schedule/nest.h"
#include "core/schedule/pipelining.h"

namespace loopscope {

const char* Specialize::summary() const {
    return "Makes producer warpgroups, which do nothing but load the stage.";
}

namespace {

// What to write first, if it is legal.
std::string pipeline_first(const ScheduleState& state, const std::string& stage) {
    const auto legal = check_may_be_pipelined(state, stage, 2);
    return legal ? "first " + stage + ".pipeline(2), or more"
                 : "it would have to be pipelined first, and " + legal.errors().front().message +
                       "; " + legal.errors().front().remedy;
}

} // namespace

Status Specialize::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    if (warps < 1 || warps > kMaxSpecialization)
        return refuse("warps", std::to_string(warps) + " warpgroups are out of range",
                      "from 1 to " + std::to_string(kMaxSpecialization));
    if (state.find(receiver.stage)->pipeline < 2)
        return refuse("receiver",
                      receiver.stage + " is not pipelined: its producers would have to wait for "
                                       "its consumers in each iteration",
                      pipeline_first(state, receiver.stage));
    state.edit(receiver.stage).producer_warpgroups = warps;
    return success();
}

std::string Specialize::describe() const {
    return "let " + std::to_string(warps) +
           (warps == 1 ? " producer warpgroup load " : " producer warpgroups load ") +
           receiver.stage;
}

std::unique_ptr<Directive> make_specialize() { return std::make_unique<Specialize>(); }

} // namespace loopscope
