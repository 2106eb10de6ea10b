#pragma once
// Checks that need the boxes of a whole pipeline: reads outside of an input, indices that leave i32
// or cannot be bounded, arrays that are too large.

#include "core/ir/pipeline.h"
#include "core/language/reporter.h"

namespace loopscope {

// Errors go to `reporter`, each at the index or the definition that causes it.
void check_bounds(const Pipeline& pipeline, Reporter& reporter);

} // namespace loopscope
