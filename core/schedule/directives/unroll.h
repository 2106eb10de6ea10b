#pragma once
// S.unroll(a [, F [, tail]]): the loop's body is written out for each iteration. With F the loop is
// split first: the outer one keeps the name, the inner one, a_u, is unrolled.

#include "core/schedule/loop_part.h"

namespace loopscope {

struct Unroll final : LoopPart {
    const char* verb() const override { return "unroll"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Unroll>(*this); }
};

} // namespace loopscope
