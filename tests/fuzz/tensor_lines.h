#pragma once
// Random schedules for tensor instructions, in the manner of those that are shipped: tiles of
// blocks and warps, sums in fragments, operands in shared memory and in fragments, copies that are
// wide, padded and pipelined at one level or at two. Most lines vary, and what does not apply is
// left out, so that some schedules are of other kinds or not runnable.

#include "tests/fuzz/random.h"
#include "tests/fuzz/script_lines.h"
#include "tests/fuzz/tensor_programs.h"

namespace loopscope::fuzz {

void schedule_tensor_program(const TensorProgram& program, ScriptLines& script, Random& random);

} // namespace loopscope::fuzz
