#pragma once
// S.compute_root(): S is computed whole, before any stage that comes after it. The default.

#include "core/schedule/directive.h"

namespace loopscope {

struct ComputeRoot final : DirectiveOf<ComputeRoot> {
    const char* verb() const override { return "compute_root"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
