#pragma once
// A number that counts from 0 as an index of the standard library's containers.

#include <cstddef>
#include <cstdint>

namespace loopscope {

constexpr std::size_t index(std::int64_t number) { return static_cast<std::size_t>(number); }

} // namespace loopscope
