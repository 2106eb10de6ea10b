#pragma once
// The files of `run`, held against the arrays of a pipeline before anything is compiled.

#include "core/base/result.h"
#include "core/ir/pipeline.h"

#include <map>
#include <string>

namespace loopscope::worker {

using Files = std::map<std::string, std::string>; // the paths, by the names of arrays

// Errors: a name that no array has; an input without a file; no output; an output whose file cannot
// hold it (check_array_file) or is another's too.
Diagnostics check_files(const Pipeline& pipeline, const Files& inputs, const Files& outputs);

} // namespace loopscope::worker
