#pragma once
// S.store_root(): S lives as long as the program runs, while it is still computed where compute_at
// put it. What one iteration computed serves the next ones, so that each computes only what is new
// (sliding window), and its memory folds to a circular buffer where only a window of it is needed
// at a time (sliding.h).
//
//     for y                              allocate S[3]
//       allocate S[3]                    for y from -2
//       for S's region of 3 rows: S  →     for S's new row: S[row mod 3]
//       for x: C(y, x)                     if y >= 0: for x: C(y, x)

#include "core/schedule/directive.h"

namespace loopscope {

struct StoreRoot final : DirectiveOf<StoreRoot> {
    const char* verb() const override { return "store_root"; }
    const char* summary() const override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    bool per_stage() const override { return true; }
};

} // namespace loopscope
