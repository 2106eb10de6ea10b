#pragma once
// S.fast_math(): the definition is contracted, as by contract(), and evaluates exp, log and the
// other functions of the prelude by approximations, also in what is inlined into it. Results may
// differ in rounding, and by the approximations' declared errors.

#include "core/schedule/directive.h"

namespace loopscope {

struct FastMath final : Directive {
    const char* verb() const override { return "fast_math"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<FastMath>(*this); }
};

} // namespace loopscope
