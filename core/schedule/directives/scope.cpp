#include "core/schedule/directives/scope.h"

#include "core/schedule/levels.h"
#include "core/schedule/placement.h"
#include "core/schedule/storage.h"

namespace loopscope {

const char* Scope::summary() const { return "Says which memory holds the stage."; }

Status Scope::apply(ScheduleState& state, const ApplyContext& context) const {
    if (auto own = owns_storage(state, receiver); !own)
        return at("receiver", own.errors());
    if (auto known = check_scope(memory, context); !known)
        return at("scope", known.errors());
    state.edit(receiver.stage).scope = scope_named(memory, context);
    return check_placements(state);
}

std::string Scope::describe() const { return "keep " + receiver.stage + " in " + memory; }

std::unique_ptr<Directive> make_scope() { return std::make_unique<Scope>(); }

} // namespace loopscope
