#pragma once
// A.compute_with(B, a): the loops of A down to the depth of B's loop a become one with B's, which
// keep their names: each iteration runs what is left of both, in the order of the pipeline. They
// must have the same trips and kinds, and A must not read, in an iteration, what B computes only in
// a later one (merging.h).
//
//     for y: for x: B          for y
//     for y: for x: A    →       for x: B
//                                for x: A

#include "core/schedule/directive.h"

namespace loopscope {

struct ComputeWith final : DirectiveOf<ComputeWith> {
    DefinitionRef host;
    std::string loop;

    const char* verb() const override { return "compute_with"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"host", field::Definition{host}}, {"loop", field::LoopOf{{loop}, host}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
};

} // namespace loopscope
