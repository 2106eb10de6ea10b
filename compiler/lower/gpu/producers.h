#pragma once
// Pipelines that producer warpgroups load (`specialize`): what those do, and whether the consumers
// can leave it to them.

#include "compiler/lower/program.h"
#include "core/base/result.h"

#include <string>
#include <vector>

namespace loopscope::lower {

inline constexpr const char* kCodeNoProducers = "no-producers";

// The two parts of a body, each with the loops, conditions and lets around its work: the producers'
// has the steps that load the tokens of `handed_over` (Acquire, the copies, Commit), the consumers'
// all others. Names are not made anew.
StatementPtr producers_part(const StatementPtr& body);
StatementPtr consumers_part(const StatementPtr& body);

// A copy that producer warpgroups are to load but the tensor memory accelerator (TMA) cannot make.
struct NoBulkCopy {
    std::string stage;
    std::string why; // "elements of it have a condition of their own"
};
// Each stage that the TMA cannot load, once, in the program's order of tokens; the program is one
// after `bulk_copies`.
std::vector<NoBulkCopy> no_bulk_copies(const Program& program);

// Checks producer warpgroups in a program after `bulk_copies`. The error (code kCodeNoProducers)
// names the stage that they could not load: its copies are not bulk copies; what it is copied from
// is computed in the same launch; or what is copied, or whether, depends on what other threads
// compute.
Status check_producers(const Program& program);

} // namespace loopscope::lower
