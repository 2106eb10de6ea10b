#pragma once
// The unsigned integer of a type's size, that holds its bits.

#include <cstdint>
#include <type_traits>

namespace loopscope {

template <typename T> using BitsOf =
    std::conditional_t<sizeof(T) == 2, std::uint16_t,
                       std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;

} // namespace loopscope
