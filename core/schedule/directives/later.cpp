#include "core/schedule/directives/later.h"

namespace loopscope {

const char* Later::summary() const { return "Not available in this version of Loopscope."; }

void Later::visit_fields(FieldVisitor& visitor) {
    visitor.result("made", made);
    visitor.words("arguments", arguments);
}

Status Later::apply(ScheduleState&, const ApplyContext&) const {
    return refuse("verb", verb_ + " is not available in this version of Loopscope",
                  "remove this line");
}

std::string Later::describe() const { return verb_ + " " + receiver.text(); }

} // namespace loopscope
