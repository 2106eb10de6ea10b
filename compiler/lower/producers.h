#pragma once
// Pipelines that threads of their own load (`specialize`): what those do, and whether the others can leave it to them.

#include "compiler/lower/program.h"
#include "core/base/result.h"

namespace loopscope::lower {

inline constexpr const char* kCodeNoProducers = "no-producers";

// A body's two parts, of what it does in turn: the steps that load the tokens of `handed_over` (Acquire, the copies, Commit) with
// the loops, conditions and lets around them; and all others. Names are not made anew.
StatementPtr producers_part(const StatementPtr& body);
StatementPtr consumers_part(const StatementPtr& body);

// Of a program after `bulk_copies`. Error (code kCodeNoProducers) with the stage that has warps of its own, where those could
// not load it: its copies are none that the copy engine makes; what it is copied from is computed in the same launch; or
// what is copied, or whether, depends on what other threads compute.
Status check_producers(const Program& program);

} // namespace loopscope::lower
