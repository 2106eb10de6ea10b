#pragma once
// Lifts barriers out of conditions:
//
//     if c { A; barrier; B }   →   if c { A }  barrier  if c { B }
//
// A condition around a barrier is the same for the whole block, which may as well wait where it
// does not hold. OpenCL C admits both; PoCL 3.1 makes kernels that never end of the first, where
// such an `if` stands in a loop. Loops, allocations and lets around the barrier come out with it. A
// condition, bound or let that reads memory keeps its barriers.

#include "compiler/lower/program.h"

namespace loopscope::codegen {

// Does a barrier stand in it?
bool waits(const lower::StatementPtr& s);

lower::Program lift_barriers(const lower::Program& program);

} // namespace loopscope::codegen
