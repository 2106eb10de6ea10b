#pragma once
// S.atomic(): parallel and vectorised loops of the definition may have iterations that collide,
// which then combine by atomic operations. For sum, prod, min, max, any and all, and for += *= max=
// min= whose parts do not read the stage. The order of a float sum or product is then any.

#include "core/schedule/directive.h"

namespace loopscope {

struct Atomic final : Directive {
    const char* verb() const override { return "atomic"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Atomic>(*this); }
};

} // namespace loopscope
