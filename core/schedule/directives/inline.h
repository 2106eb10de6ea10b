#pragma once
// S.inline(): S has no storage and no loops; its definition is substituted wherever it is read. For
// stages with one pure definition that no loop directive has touched and at whose loops nothing is
// computed.

#include "core/schedule/directive.h"

namespace loopscope {

struct Inline final : DirectiveOf<Inline> {
    const char* verb() const override { return "inline"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
