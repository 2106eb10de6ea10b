#pragma once
// One element of an array and its place, as text.

#include "compiler/run/buffer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope {

// With as many digits as tell it from its neighbours: "0.100000001", "-3".
std::string element_text(const Buffer& buffer, std::int64_t position);
// The index of the element at `position` in row-major order; none of `extents` is 0.
std::vector<std::int64_t> index_of_position(const std::vector<std::int64_t>& extents,
                                            std::int64_t position);
std::string index_text(const std::vector<std::int64_t>& index); // "[4, 7]"
std::string index_text(const Buffer& buffer, std::int64_t position);

} // namespace loopscope
