#include "core/schedule/directives/tensorize.h"

#include "core/schedule/levels.h"
#include "core/schedule/nest.h"

namespace loopscope {

const char* Tensorize::summary() const {
    return "Replaces the loops inside one by an intrinsic of the target.";
}

void Tensorize::visit_fields(FieldVisitor& visitor) {
    visitor.loop("loop", loop);
    visitor.level("intrinsic", intrinsic);
}

Status Tensorize::apply(ScheduleState& state, const ApplyContext& context) const {
    auto nest = Nest::open(state, receiver);
    if (!nest)
        return at("receiver", nest.errors());
    if (auto position = nest->position(loop); !position)
        return at("loop", position.errors());
    return refuse("intrinsic", no_intrinsic(intrinsic, context),
                  "vectorize the innermost loop and unroll those around it; a target that has such "
                  "an intrinsic is named by the script's `target` line");
}

std::string Tensorize::describe() const {
    return "tensorize " + receiver.text() + "." + loop + " by " + intrinsic;
}

} // namespace loopscope
