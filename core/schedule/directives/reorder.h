#pragma once
// S.reorder(a, b, …): the listed loops, outermost first, take the places that they hold together;
// loops that are not named keep theirs.
//
//     for i, for j, for k   → reorder(k, i) →   for k, for j, for i

#include "core/schedule/directive.h"

namespace loopscope {

struct Reorder final : DirectiveOf<Reorder> {
    std::vector<std::string> loops;

    const char* verb() const override { return "reorder"; }
    const char* summary() const override;
    Fields fields() override { return {{"loops", field::Loops{loops}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
