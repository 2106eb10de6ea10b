#include "core/schedule/directives/contract.h"

#include "core/schedule/combining.h"
#include "core/schedule/nest.h"

namespace loopscope {

const char* Contract::summary() const {
    return "Fuses multiplications and additions by rule: one rounding instead of two.";
}

Status Contract::apply(ScheduleState& state, const ApplyContext&) const {
    auto found = find_definition(state, receiver);
    if (!found)
        return at("receiver", found.errors());
    auto reason = no_floats(state, receiver.stage, receiver.definition);
    if (!reason.empty())
        return refuse("receiver", receiver.text() + " " + reason + ": there is nothing to fuse",
                      state.find(receiver.stage)->copy_of.empty()
                          ? "contract is for definitions that compute floats"
                          : "contract the stage that computes");
    // What rfactor made of one definition is contracted together: the reference knows only the
    // whole.
    for (const auto& [stage, definition] :
         factor_family(state, {receiver.stage, receiver.definition}))
        state.edit(stage).definitions[static_cast<std::size_t>(definition)].contract = true;
    return success();
}

std::string Contract::describe() const { return "contract " + receiver.text(); }

std::unique_ptr<Directive> make_contract() { return std::make_unique<Contract>(); }

} // namespace loopscope
