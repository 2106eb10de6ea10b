#pragma once
// A tree's launches and memory in nodes and buffers of its Work, as models need them; the mapping
// says what they are (core/schedule/gpu/mapping.h).

#include "core/schedule/gpu/mapping.h"
#include "tuner/model/work.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::model::gpu {

// A kernel: one definition at root, or those that share loops there.
struct Launch {
    const LaunchMapping* mapping = nullptr;
    std::string name;       // "C", "H.update(0)"
    int stage = 0;          // of Work::nodes: the Stage node around it
    std::vector<int> nodes; // of Work::nodes: loops and points that are its outermost, in order
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}; // blocks, threads: along x, y, z
    std::array<std::int64_t, 3> cluster{1, 1, 1};              // blocks
    // threads of a block's producer warpgroups (core/schedule/gpu/block_threads.h)
    std::int64_t producers = 0;
    std::int64_t lanes = 32;     // that hold fragments together: a warp's, or a warpgroup's
    bool bound = false;          // some loop of it is; else one thread does all
    std::int64_t blocks() const; // at most 2^62
    std::int64_t threads() const;
    std::int64_t cluster_blocks() const;
};

// The launches in order. Definitions that compute nothing have none. `mapping`: of the work's tree;
// it must outlive them.
std::vector<Launch> launches(const Work& work, const Mapping& mapping);

enum class Memory : std::uint8_t {
    Global,   // of all blocks
    Shared,   // of a block's threads
    Fragment, // of the threads of a warp, which hold it together in registers
    Private,  // of each thread: registers, or local memory where those do not suffice
};
// By index of Work::buffers.
std::vector<Memory> memories(const Work& work, const Mapping& mapping);

// The node behind all those of a subtree, which follow one another.
int subtree_end(const Work& work, int node);

} // namespace loopscope::model::gpu
