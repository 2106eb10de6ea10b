#pragma once
// Counts of a thread's work, by kind. Tests compare them with the size of the results, for they
// must not ask for times. Counting costs an addition.

#include <array>
#include <cstddef>
#include <cstdint>

namespace loopscope {

enum class Work : std::uint8_t {
    ReadGraphs,    // made of whole states
    LoopsAround,   // steps along paths of loops
    NamesCompared, // where stages are looked for by name
    LaunchParts,   // points and buffers that models go through for one launch of a GPU's
    NodesVisited,  // of a tree, where one is looked for
    kCount,
};

inline std::int64_t& work_of_thread(Work kind) {
    thread_local std::array<std::int64_t, static_cast<std::size_t>(Work::kCount)> counts{};
    return counts[static_cast<std::size_t>(kind)];
}

inline void count_work(Work kind, std::int64_t amount = 1) { work_of_thread(kind) += amount; }

} // namespace loopscope
