#pragma once
// A part of an array.

#include "compiler/run/buffer.h"

namespace loopscope {

// The elements [offset, offset + extent) of each dimension, all of which must be inside (an
// exception otherwise: that is a bug). Errors: those of make_buffer.
Result<Buffer> window_of(const Buffer& whole, const std::vector<std::int64_t>& offsets,
                         const std::vector<std::int64_t>& extents);

} // namespace loopscope
