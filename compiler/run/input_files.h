#pragma once
// A person's arrays for the inputs of a pipeline: read from files, and held against what the
// pipeline takes.

#include "compiler/run/buffer.h"
#include "core/base/source.h"
#include "core/ir/pipeline.h"

#include <map>
#include <string>

namespace loopscope {

using ArrayFiles = std::map<std::string, std::string>; // the paths, by the names of arrays

// Errors: those of read_array, of all files.
Result<Buffers> read_inputs(const ArrayFiles& files);

// NumPy has no bf16: its bits are u2 there, and become bf16 where the input is.
void take_raw_bf16(const Pipeline& pipeline, Buffers& arrays, const ArrayFiles& files);

// Types and shapes of arrays, each of an input that the pipeline has; of what differs also what
// would fit: params, or another array. `source`: the pipeline's text.
Diagnostics check_arrays(const Pipeline& pipeline, const SourceFilePtr& source,
                         const Buffers& arrays, const ArrayFiles& files);

} // namespace loopscope
