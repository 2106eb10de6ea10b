#pragma once
// The files of `run`, held against the arrays of a pipeline before anything is compiled.

#include "compiler/run/input_files.h"
#include "core/base/result.h"
#include "core/ir/pipeline.h"

namespace loopscope::worker {

using Files = ArrayFiles;

// Errors: a name that no array has; an input without a file, unless such are `random`; no output;
// an output whose file cannot hold it (check_array_file) or is another's too.
Diagnostics check_files(const Pipeline& pipeline, const Files& inputs, const Files& outputs,
                        bool random = false);

} // namespace loopscope::worker
