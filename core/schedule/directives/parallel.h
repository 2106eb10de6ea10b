#pragma once
// S.parallel(a): the iterations of the loop are shared among threads. They must be independent.

#include "core/schedule/directive.h"

namespace loopscope {

struct Parallel final : DirectiveOf<Parallel> {
    std::string loop;

    const char* verb() const override { return "parallel"; }
    const char* summary() const override;
    Fields fields() override { return {{"loop", field::Loop{loop}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
