#pragma once
// What a tree is on a GPU: its launches, with their grids and blocks, and where its buffers lie. Read off the tree as
// compiler/lower (build_for_device, bind_levels) makes it of the loop program.

#include "core/device/gpu.h"
#include "tuner/model/work.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::model::gpu {

// One definition at root, or those that share loops there.
struct Launch {
    std::string name;       // "C", "H.update(0)"
    int stage = 0;          // of Work::nodes: the Stage node around it
    std::vector<int> nodes; // of Work::nodes: loops and points that are its outermost, in order
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}; // blocks, threads: along x, y, z
    std::array<std::int64_t, 3> cluster{1, 1, 1};              // blocks
    std::int64_t producers =
        0; // threads of a block beside those that only load (core/schedule/block_threads.h)
    std::int64_t lanes = 32;     // that hold fragments together: a warp's, or a warpgroup's
    bool bound = false;          // some loop of it is; else one thread does all
    std::int64_t blocks() const; // at most 2^62
    std::int64_t threads() const;
    std::int64_t cluster_blocks() const;
};

// In order. Definitions that compute nothing have none.
std::vector<Launch> launches(const Work& work);

// Along which axis of the grid or of the block a level numbers: "block.x", "cluster.y" the grid, "thread.z", "warp",
// "warpgroup" the block. Others number nothing: their loops are those of a thread.
struct LevelAxis {
    enum class Of : std::uint8_t { None, Grid, Block } of = Of::None;
    int axis = 0; // x, y, z
};
LevelAxis axis_of(const std::string& level);

enum class Memory : std::uint8_t {
    Global,   // of all blocks
    Shared,   // of a block's threads
    Fragment, // of the threads of a warp, which hold it together in registers
    Private,  // of each thread: registers, or its part of global memory where those do not suffice
};
// By index of Work::buffers. What lies at root is global, whatever its scope says.
std::vector<Memory> memories(const Work& work, const device::Gpu& gpu);

// The node behind all those of a subtree, which stand in a row.
int subtree_end(const Work& work, int node);

} // namespace loopscope::model::gpu
