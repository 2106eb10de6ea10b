#pragma once
// Finds the lines of a script that take part in what only the whole program shows: its size in code
// and in memory, and what a GPU does not run.

#include "compiler/worker/program.h"
#include "core/base/memory_limit.h"
#include "core/schedule/gpu/runnable.h"

namespace loopscope::worker {

// Errors of lowering that follow from loops unrolled: with the place of the first line that unrolls
// one, and a note for each other.
Diagnostics with_unrolling_lines(const LoadedProgram& loaded, Diagnostics errors);

// Why a schedule does not run on its GPU (code "not-runnable"), each with the place of the first
// line that made or bound one of the nodes that take part, and a note for each other.
Diagnostics with_lines(const LoadedProgram& loaded, const std::vector<NotRunnable>& reasons);

// Error (code measure::kCodeMemoryLimit) when what is allocated at one time, in one thread, is more
// than this process may have: with the largest stages, and the lines that pad their storage.
Status check_memory(const LoadedProgram& loaded, const lower::Program& program,
                    const MemoryLimit& limit = memory_limit());

} // namespace loopscope::worker
