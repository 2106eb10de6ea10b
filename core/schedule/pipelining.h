#pragma once
// Requirements of a stage that is computed ahead of its use (`S.pipeline(n)`), and where its slots
// live.
//
// Iteration t of the loop at which S is computed computes S for iteration t + n - 1, into slot (t +
// n - 1) mod n, and uses slot t mod n. That is right where what S reads exists n - 1 iterations
// early: it is stored outside of the loop, or is itself computed at the loop and as far ahead. A
// slot is written again n iterations later, of which n - 1 are computed ahead: in the iteration
// after the one that used it. So readers that are ahead themselves find their data, too.

#include "core/base/result.h"
#include "core/schedule/reads.h"
#include "core/schedule/state.h"

#include <cstdint>
#include <string>

namespace loopscope {

class LoopPaths;

// Where a stage's memory is allocated: where it is stored, or, for slots that rotate, around the
// loop at which it is computed.
Placement storage_place(const ScheduleState& state, const StageState& stage);

// Why the stage cannot be computed ahead, with what would be legal; success if it can be, or is not
// to be. ALCOP, section II-A, rules 1 to 3: a producer of its own that fills memory, a sequential
// loop, and iterations that do not wait for one another. `paths`: the state's.
Status check_pipeline(const ScheduleState& state, const ReadGraph& graph, LoopPaths& paths,
                      const StageState& stage);

// May a line take the stage away from the loop that it is computed ahead at? It may not while the
// stage is pipelined; `why`: "is inlined: nothing computes it ahead".
Status check_not_pipelined(const StageState& stage, const std::string& why);

// The check of check_pipeline() on a stage that is not pipelined, as if a line gave it so many
// slots.
Status check_may_be_pipelined(const ScheduleState& state, const std::string& stage,
                              std::int64_t copies);

} // namespace loopscope
