#include "core/schedule/directives/swizzle.h"

#include "core/schedule/storage.h"

namespace loopscope {

const char* Swizzle::summary() const {
    return "Permutes the banks of the memory that holds the stage.";
}

Status Swizzle::apply(ScheduleState& state, const ApplyContext&) const {
    if (auto own = owns_storage(state, receiver); !own)
        return at("receiver", own.errors());
    state.edit(receiver.stage).swizzled = true;
    return success();
}

std::string Swizzle::describe() const { return "swizzle " + receiver.stage; }

std::unique_ptr<Directive> make_swizzle() { return std::make_unique<Swizzle>(); }

} // namespace loopscope
