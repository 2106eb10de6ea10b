#pragma once
// Where the parsers of both languages stop, so that a file of noise is answered in bounded time and
// space.

#include <cstddef>

namespace loopscope {

constexpr std::size_t kErrorLimit = 10'000; // diagnostics of one text: more would tell nothing new
constexpr std::size_t kMaxName = 256;       // letters of a name, and of what a message quotes

} // namespace loopscope
