#pragma once
// The cost of a warp's accesses on a GPU: sectors of global memory, passes over the banks of shared
// memory.

#include "compiler/run/simt_interpreter/memory.h"

#include <span>

namespace loopscope::simt_interpreter {

constexpr std::int64_t kSectorBytes = 32; // what global memory is asked for at least
constexpr std::int64_t kBanks = 32, kWordBytes = 4;
constexpr std::int64_t kWidestAccess = 16; // bytes of one thread at once

// Counts the lanes of one load or store, one Places each. Neighbouring lanes are one access as long
// as each thread's elements follow one another, begin at a multiple of their size, and are a power
// of two of at most 16 bytes; else each lane is its own.
void count_global(SimtCounts& counts, const Store& store, std::span<const Places> lanes,
                  bool writes);
void count_shared(SimtCounts& counts, const Store& store, std::span<const Places> lanes);

// Passes of one access to shared memory, each thread `width` bytes from byte `at` on. Threads with
// more than a word take turns: halves of the warp with 8 bytes each, quarters with 16.
struct Passes {
    std::uint64_t needed = 0;
    std::uint64_t least = 0; // without conflicts
};
Passes shared_passes(const std::array<std::int64_t, kWarp>& at, Mask on, std::int64_t width);

} // namespace loopscope::simt_interpreter
