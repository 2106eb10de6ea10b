#pragma once
// One definition's nest over the region that is needed of its stage: extents of loops, values of axes in loop variables,
// what becomes of the tails of splits, and how often the body runs.

#include "core/schedule/region.h"

namespace loopscope {

// `extents` and `mins`: per dimension of the stage, what the definition must compute. Errors: a fused or padded loop above
// 2^31-1, a vectorised one of too many lanes.
Result<NestLayout> lay_out_nest(const Stage& stage, const StageState& state, int definition,
                                const std::vector<std::int64_t>& extents,
                                const std::vector<LinearForm>& mins);

// "shift", or "guard for shift (5 is below 8)" where it fell back.
std::string tail_text(const LoopTail& tail);

} // namespace loopscope
