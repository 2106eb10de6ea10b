// S.non_temporal(): the stores of the definition stream: they pass the caches by, and no line is
// fetched that is then overwritten. For what is written once and not read again soon. What a
// definition accumulates stays in registers, where the schedule lets it, and streams in the end.

#include "core/schedule/nest.h"

namespace loopscope {

namespace {

struct NonTemporal final : DirectiveOf<NonTemporal> {
    const char* verb() const override { return "non_temporal"; }
    const char* summary() const override {
        return "Stores past the caches what is not read again soon.";
    }
    Status apply(ScheduleState& state, const ApplyContext&) const override {
        auto nest = Nest::open(state, receiver);
        if (!nest)
            return at("receiver", nest.errors());
        if (nest->loops().atomic)
            return refuse(
                "receiver",
                receiver.text() + " is atomic: a store that combines with what is in memory "
                                  "cannot stream",
                "R = " + receiver.text() +
                    ".rfactor(…) in place of atomic() gives colliding iterations results of "
                    "their own");
        nest->loops().non_temporal = true;
        return success();
    }
    std::string describe() const override { return "stream the stores of " + receiver.text(); }
};

} // namespace

std::unique_ptr<Directive> make_non_temporal() { return std::make_unique<NonTemporal>(); }

} // namespace loopscope
