#pragma once
// S.non_temporal(): the stores of the definition stream: they pass the caches by, and no line is
// fetched that is then overwritten. For what is written once and not read again soon. What a
// definition accumulates stays in registers, where the schedule lets it, and streams in the end.

#include "core/schedule/directive.h"

namespace loopscope {

struct NonTemporal final : Directive {
    const char* verb() const override { return "non_temporal"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override {
        return std::make_unique<NonTemporal>(*this);
    }
};

} // namespace loopscope
