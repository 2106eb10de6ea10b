#pragma once
// S.pipeline(n): each iteration of the loop at which S is computed computes S for the iteration n -
// 1 later, into one of n slots of its memory, which rotate (multi-stage pipelining; ALCOP, section
// II). The first iterations are the prologue: only S runs; the last ones compute no S. On a CPU the
// same thread computes ahead. 1 means no pipeline.
//
//     for k                         allocate S[3]
//       allocate S                  for k from -2
//       S for k              →        if k + 2 < K: S[(k+2) mod 3] for k + 2
//       use S                         if k >= 0: use S[k mod 3]

#include "core/schedule/directive.h"

namespace loopscope {

constexpr std::int64_t kMaxPipeline = 64; // slots

struct PipelineStage final : DirectiveOf<PipelineStage> {
    std::int64_t copies = 1;

    const char* verb() const override { return "pipeline"; }
    const char* summary() const override;
    Fields fields() override { return {{"copies", field::Count{copies}}}; }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
