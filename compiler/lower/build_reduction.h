#pragma once
// Reductions whose loops are bound to threads, as build.cpp makes them: each thread has a partial
// result, and an instruction "reduce_sum" (reduce_threads) makes of them one that all threads have.

#include "compiler/lower/program.h"
#include "core/schedule/tree.h"

namespace loopscope::lower {

// Does the nest bind a loop over a reduction axis to a level, from this loop, its outermost over
// such an axis, inwards?
bool reduces_across_threads(const TreeNode& loop);
// The levels, each once.
std::vector<std::string> reduction_levels(const TreeNode& loop);

// The nest of a reduction across threads. `guard`: the condition of the point, which the last step
// stands in; null: none. `nest`: the nest without that, which combines into the stage's buffers at
// `indices`; it then combines into a partial result of each thread:
//
//     allocate S.partial: f32[1] in register
//     S.partial[0] = 0.0
//     bound thread.x for S.k in 0..128 { S.partial[0] = S.partial[0] + A[S.k] }
//     intrinsic reduce_sum S.partial[0]                             of level thread.x
//     S[i] = S[i] + S.partial[0]
StatementPtr reduced_across(const NodeId& origin, const DerivedStage& stage, int definition,
                            const std::vector<ExprPtr>& indices, const StatementPtr& nest,
                            const std::vector<std::string>& levels, const ExprPtr& guard);

// "reduce_sum", "reduce_argmax", and back.
std::string reduce_instruction(ReductionOp op);
std::optional<ReductionOp> reduction_of(const std::string& instruction);

// Combines what is at `places` with the values; argmin and argmax replace both components or none,
// by a let named `take`.
StatementPtr combine_into(const NodeId& origin, ReductionOp op,
                          const std::vector<std::string>& buffers,
                          const std::vector<ExprPtr>& indices, const std::vector<ExprPtr>& values,
                          const std::string& take);

} // namespace loopscope::lower
