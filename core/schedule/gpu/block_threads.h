#pragma once
// How many threads a block has along x, y and z, by the loops of a kernel that are bound to levels
// and by the lanes that work together in it. As compiler/lower/bind_levels numbers them: lanes
// along x, warps along y and z, or groups of four warps along z, whose warps stand along y where
// loops are bound to those as well.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace loopscope {

using BlockThreads = std::array<std::int64_t, 3>; // along x, y, z

// `extents`: the greatest extent of a loop that is bound to a level, by level. `lanes`: how many
// lanes do work of the kernel together, a warp's or a warpgroup's; 0: none do. `warp`: lanes of a
// warp.
BlockThreads block_threads(const std::map<std::string, std::int64_t>& extents, std::int64_t lanes,
                           std::int64_t warp);
std::int64_t thread_count(const BlockThreads& threads); // in all; saturated at 2^40

// The dimension along which producer warpgroups (`specialize`) are added, as rows behind all
// others: the last one that has more than one thread; x where none has.
std::size_t last_dimension(const BlockThreads& threads);
constexpr std::int64_t kWarp = 32;        // threads of a warp
constexpr std::int64_t kWarpsOfGroup = 4; // of a warpgroup, the unit in which they are added
// The rows to add along that dimension: as few as have the threads of so many warpgroups.
std::int64_t producer_rows(const BlockThreads& threads, std::int64_t warpgroups, std::int64_t warp);
BlockThreads with_producers(BlockThreads threads, std::int64_t warpgroups, std::int64_t warp);

} // namespace loopscope
