#pragma once
// The translation of tails: the strategy of Halide's that stands for one, and the extents that
// decide it.

#include "compiler/codegen/foreign/foreign_program.h"

namespace loopscope::codegen {

// The extent of a loop of the step's receiver, by its name before the step.
std::optional<std::int64_t> loop_extent(const ForeignProgram& program, const ForeignStep& step,
                                        const std::string& loop);
bool is_inner_of_split(const ForeignStep& step, const std::string& loop);

// The strategy for the tail of a loop split by the factor, "TailStrategy::GuardWithIf". `pure`: in
// a pure definition's nest.
const char* halide_tail(const ForeignProgram& program, const ForeignStep& step, bool pure,
                        const std::string& loop, std::int64_t factor, Tail asked);

} // namespace loopscope::codegen
