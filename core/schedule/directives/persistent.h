#pragma once
// S.persistent(a): the loop a, bound to blocks, becomes a loop inside as many blocks as run at
// once. On a CPU a bound loop is a plain one, and so is this.

#include "core/schedule/directive.h"

namespace loopscope {

struct Persistent final : DirectiveOf<Persistent> {
    std::string loop;

    const char* verb() const override { return "persistent"; }
    const char* summary() const override;
    Fields fields() override { return {{"loop", field::Loop{loop}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
