// S.atomic(): parallel and vectorised loops of the definition may have iterations that collide,
// which then combine by atomic operations. For sum, prod, min, max, any and all, and for += *= max=
// min= whose parts do not read the stage. The order of a float sum or product is then any.

#include "core/schedule/combining.h"
#include "core/schedule/legality.h"
#include "core/schedule/nest.h"

namespace loopscope {

namespace {

struct Atomic final : DirectiveOf<Atomic> {
    const char* verb() const override { return "atomic"; }
    const char* summary() const override {
        return "Lets iterations that run at once combine into the same element.";
    }
    Status apply(ScheduleState& state, const ApplyContext&) const override {
        auto found = find_definition(state, receiver);
        if (!found)
            return at("receiver", found.errors());
        if (auto reason = not_atomic(state, receiver.stage, receiver.definition); !reason.empty()) {
            bool factors = not_combining(state, receiver.stage, receiver.definition).empty();
            return refuse(
                "receiver", receiver.text() + " cannot be atomic: " + reason,
                factors ? "R = " + receiver.text() +
                              ".rfactor(…) gives colliding iterations results of their own"
                        : "atomic is for sum, prod, min, max, any and all, and for updates by "
                          "+=, *=, max= and min= that do not read their stage");
        }
        if (state.find(receiver.stage)
                ->definitions[static_cast<std::size_t>(receiver.definition)]
                .non_temporal)
            return refuse("receiver",
                          receiver.text() + " cannot be atomic: its stores stream, and one that "
                                            "combines with what is in memory cannot",
                          "remove " + receiver.text() + ".non_temporal()");
        auto& nest =
            state.edit(receiver.stage).definitions[static_cast<std::size_t>(receiver.definition)];
        nest.atomic = true;
        nest.reassociates = reassociates(state, receiver.stage, receiver.definition);
        return success();
    }
    std::string describe() const override { return "make " + receiver.text() + " atomic"; }
};

} // namespace

std::unique_ptr<Directive> make_atomic() { return std::make_unique<Atomic>(); }

} // namespace loopscope
