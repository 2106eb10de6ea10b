#pragma once
// S.compute_at(C, a): in every iteration of C's loop a, just what its body needs of S is computed.
// All readers of S are inside that loop, directly or through stages computed inside it.
//
//     for y, x: S(y, x)          for y                        # C's y
//     for y, x: C(y, x)    →       for S's region: S
//                                  for x: C(y, x)

#include "core/schedule/directive.h"

namespace loopscope {

struct ComputeAt final : DirectiveOf<ComputeAt> {
    DefinitionRef host;
    std::string loop;

    const char* verb() const override { return "compute_at"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"host", field::Definition{host}}, {"loop", field::LoopOf{{loop}, host}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
