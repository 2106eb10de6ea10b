#pragma once
// S.scope(local): the memory that holds S. Without it the memory follows from where S is computed;
// on a CPU it is a hint.

#include "core/schedule/directive.h"

namespace loopscope {

struct Scope final : DirectiveOf<Scope> {
    std::string memory;

    const char* verb() const override { return "scope"; }
    const char* summary() const override;
    Fields fields() override { return {{"scope", field::Scope{memory}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
