#pragma once
// A loop that runs otherwise than before or, with a factor, the inner one of two that it is split
// into: what unroll and vectorize are given.

#include "core/schedule/directive.h"

namespace loopscope {

struct LoopPart : Directive {
    std::string loop;
    std::optional<Factor> factor;
    Tail tail = Tail::Guard;

    Fields fields() override {
        return {{"loop", field::Loop{loop}},
                {"factor", field::OptionalFactor{factor}},
                {"tail", field::Tail{tail}}};
    }
    std::string describe() const override; // "unroll C.k by 8"

protected:
    // The inner loop's name is the loop's with the suffix.
    Status run_as(LoopKind kind, const char* suffix, ScheduleState& state,
                  const ApplyContext& context) const;
};

} // namespace loopscope
