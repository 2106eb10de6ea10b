#pragma once
// S.store_at(C, a): S lives for one iteration of C's loop a, outside the loop at which it is
// computed. Inside, each iteration computes only what the ones before it did not (sliding window),
// and its memory folds to a circular buffer where only a window of it is needed at a time
// (sliding.h). As Sioutas' Fig. 5.2 c:
//
//     for xo                             for xo
//       for yi                             allocate S[3]
//         allocate S[3]              →     for yi from -2
//         for S's region: S                  for S's new row: S[row mod 3]
//         for xi: C                          if yi >= 0: for xi: C

#include "core/schedule/directive.h"

namespace loopscope {

struct StoreAt final : DirectiveOf<StoreAt> {
    DefinitionRef host;
    std::string loop;

    const char* verb() const override { return "store_at"; }
    const char* summary() const override;
    Fields fields() override {
        return {{"host", field::Definition{host}}, {"loop", field::LoopOf{{loop}, host}}};
    }
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
