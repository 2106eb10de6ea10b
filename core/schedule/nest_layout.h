#pragma once
// The layout of one definition's nest over the region that is needed of its stage: extents of
// loops, values of axes in loop variables, what becomes of the tails of splits, and how often the
// body runs.

#include "core/schedule/region.h"

namespace loopscope {

// "C.io", "H.u0.r": the variable of a loop, unique in the program.
std::string loop_variable(const std::string& stage, int definition, const std::string& loop);

// `extents` and `mins`: per dimension of the stage, what the definition must compute. `merged`:
// variables of its outer loops that are another definition's (merging.h). `of_block`: the threads
// of a block share the stage's memory. Errors: a fused or padded loop above 2^31-1, a vectorised
// one of too many lanes.
Result<NestLayout> lay_out_nest(const Stage& stage, const StageState& state, int definition,
                                const std::vector<std::int64_t>& extents,
                                const std::vector<LinearForm>& mins,
                                const std::vector<std::string>& merged, bool of_block);

// "shift", or "guard for shift (5 is below 8)" where it fell back.
std::string tail_text(const LoopTail& tail);

} // namespace loopscope
