#pragma once
// S.vectorize(a [, F [, tail]]): the iterations of the loop run at once, as lanes of vectors. With
// F the loop is split first: the outer one keeps the name, the inner one, a_v, is vectorised. The
// loop need not be the innermost. Over a reduction axis it is a vector reduction, which
// reassociates a float sum or product.

#include "core/schedule/loop_part.h"

namespace loopscope {

struct Vectorize final : LoopPart {
    const char* verb() const override { return "vectorize"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Vectorize>(*this); }

private:
    Status vectorize(ScheduleState& state, const ApplyContext& context) const {
        return run_as(LoopKind::Vectorized, "_v", state, context);
    }
    // The loops, as they were before the line split one, for which the same line applies.
    std::vector<std::string> legal_loops(const ScheduleState& before,
                                         const ApplyContext& context) const;
};

} // namespace loopscope
