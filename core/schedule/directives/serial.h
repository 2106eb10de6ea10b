#pragma once
// S.serial(a): the loop runs one iteration after another, as loops do by default. Where an
// instruction replaced it, with all inside it, all of these run so again.

#include "core/schedule/directive.h"

namespace loopscope {

struct Serial final : DirectiveOf<Serial> {
    std::string loop;

    const char* verb() const override { return "serial"; }
    const char* summary() const override;
    Fields fields() override { return {{"loop", field::Loop{loop}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
