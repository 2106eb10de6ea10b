#pragma once
// S.contract(): multiplications and additions of the definition become one fma each, by rule: x +
// a*b, a*b + y (the right product first), x - a*b, a*b - y, and the accumulation of a sum whose
// term is a product. The reference evaluates a contracted definition the same way.

#include "core/schedule/directive.h"

namespace loopscope {

struct Contract final : DirectiveOf<Contract> {
    const char* verb() const override { return "contract"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
