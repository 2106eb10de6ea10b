#pragma once
// One element of an array and its place, as text.

#include "compiler/run/buffer.h"

#include <string>

namespace loopscope {

// With as many digits as tell it from its neighbours: "0.100000001", "-3".
std::string element_text(const Buffer& buffer, std::int64_t position);
// The index of the element at `position` in row-major order: "[4, 7]".
std::string index_text(const Buffer& buffer, std::int64_t position);

} // namespace loopscope
