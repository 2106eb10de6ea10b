#pragma once
// S.tensorize(a, INTRINSIC): its requirements on the schedule, checked after each line, and what
// the tree says of it. On a CPU the loops that the instruction replaces run as they are.

#include "core/base/result.h"
#include "core/schedule/reads.h"
#include "core/schedule/region.h"
#include "core/schedule/state.h"
#include "core/schedule/tensor_call.h"

#include <functional>

namespace loopscope {

bool any_tensorized(const ScheduleState& state);

// "C.tensorize(ii, mma_m16n8k16_f16)": the line as it now stands.
std::string tensorize_text(const ScheduleState& state, const DefinitionKey& definition);

// Checks the loops of a definition that an instruction is to compute from one loop on: all loops
// inside run serially, nothing is computed, stored or prefetched at them, and no other definition
// shares them.
Status check_tensorized_loops(const ScheduleState& state, const DefinitionKey& definition);
// Checks that, and that the loops compute what the instruction does (tensor_match.h). Brings
// `inferred` up to date.
Status prove_tensorized(ScheduleState& state, const DefinitionKey& definition);
// Proves the same for all such definitions of the state, after a line; the refusal names the line
// that would not hold.
Status check_tensorized(ScheduleState& state);

// Checks that no instruction replaces the loop at this position. The refusal is for a line that
// would have the loop `to_do`: "split".
Status check_not_tensorized(const DefinitionState& nest, const std::string& name,
                            std::size_t position, const std::string& to_do);

// The call for the tree, for a definition that has been proven, and the same for the copies of its
// loops that initialise the result; `expr`: forms as expressions there.
std::shared_ptr<const TensorCall>
tensor_call(const ScheduleState& state, const Layout& layout, const DefinitionKey& definition,
            bool initializes, const std::function<ExprPtr(const LinearForm&)>& expr);

} // namespace loopscope
