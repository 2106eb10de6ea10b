#pragma once
// What a GPU makes of a schedule tree: its launches, the role of each loop, who shares each stage's
// memory, which stages are cooperative (all threads of a block divide their work), and who loads.
// It is worked out here once, for judging (runnable.h), lowering, estimating and drawing. Names of
// levels and scopes decide nothing: the target said what they mean when the directives that have
// them were applied (core/schedule/levels.h), and the tree keeps that.
//
//     C bound to block.x, ko serial, A_block in shared memory, at ko, no bound loop of its own:
//         launches  C: as many blocks as its loop has iterations
//         loops     C/io Block along x; C/ii Thread along x; C/ko Serial; A_block/k Divided
//         stages    A_block: of_block, cooperative, Loader::Block

#include "core/schedule/gpu/block_threads.h"
#include "core/schedule/gpu/fragments.h"
#include "core/schedule/tree.h"

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope {

enum class LoopRole : std::uint8_t {
    Serial, // a thread runs its iterations; of the next three as well
    Unrolled,
    Vectorized,
    Virtual, // one thread's in turn, statement by statement
    Block,   // numbers blocks along an axis of the grid, or of a cluster
    Thread,  // numbers threads along an axis of the block
    // All threads of the block divide its iterations among themselves, whatever the block's shape
    Divided,
};

struct LoopMapping {
    LoopRole role = LoopRole::Serial;
    int axis = 0; // Block, Thread: x, y, z
    // Is it inside of a tensor instruction, or of work that lanes do together on fragments, so that
    // a warp, or a group of them, runs it as one?
    bool together = false;
};

// The threads that compute what a stage has in memory.
enum class Loader : std::uint8_t {
    Threads,   // those that its own loops and the loops around it number
    Block,     // all threads of the block together
    Producers, // producer warpgroups (specialize), by the TMA
};

struct StageMapping {
    device::Unit memory = device::Unit::Thread; // whose members share it; at root the grid's
    // The scope that is judged: as the script has it, else as the loops around it; private storage
    // where that is no block's, wherever it is stored.
    device::MemoryScope scope{"local", device::Unit::Thread};
    // Is it computed inside of a kernel into shared memory? Loops of threads around it number
    // nobody in it.
    bool of_block = false;
    // Is it of_block without bound loops of its own, so that all threads divide its work?
    bool cooperative = false;
    Loader loader = Loader::Threads;
};

// A kernel: one definition at root, or those that share its loops.
struct LaunchMapping {
    std::string name;                   // "C", "H.update(0)"
    const TreeNode* stage = nullptr;    // around it
    std::vector<const TreeNode*> nodes; // its outermost loops and points, in order
    // The greatest extent of its loops that number blocks or threads, by level (launch_level).
    std::map<std::string, std::int64_t> extents;
    // A loop of that extent, by level; one that a script can name, not a copy that initializes.
    std::map<std::string, const TreeNode*> longest;
    std::vector<const TreeNode*> persistent; // loops
    std::array<std::int64_t, 3> blocks{1, 1, 1},
        cluster{1, 1, 1};          // block.x, …: blocks, or clusters; cluster.x, …: blocks of one
    BlockThreads threads{1, 1, 1}; // of a block, without producers
    std::int64_t lanes = 0;        // of a warp or of four that do work together; 0: none do
    std::int64_t producers = 0;    // warpgroups
    std::string produced;          // the stage that asks for the most of them
    bool one_thread() const { return extents.empty() && lanes == 0; } // it does all
    std::int64_t grid(std::size_t axis) const { return blocks[axis] * cluster[axis]; } // blocks
};

struct Mapping {
    std::vector<LaunchMapping> launches; // in order; what computes nothing has none
    std::map<std::string, StageMapping> stages;
    std::set<std::string> empty; // stages of which nothing is needed
    Fragments fragments;

    const LoopMapping& of(const TreeNode& loop) const;      // of the same tree
    const StageMapping& of(const std::string& stage) const; // one that the tree has not: a thread's

    std::unordered_map<const TreeNode*, LoopMapping> loops;
};

// Maps a tree as it stands. The tree must outlive the mapping.
Mapping map_to_gpu(const ScheduleTree& tree);

// Is something at or below the node a tensor instruction's?
bool has_instruction(const TreeNode& node);
// The axis of the block along which a level numbers threads, or warps: x, y, z.
int block_axis(const device::Numbering& numbers);
// The level of a launch at which a loop is bound: a level of the language that numbers the same.
// Empty: the hardware has none.
std::string launch_level(const TreeNode& loop);
// The level of loops over the 32 lanes of a warp, or the 128 of a warpgroup, which together do what
// a tensor instruction or a fragment asks for.
inline constexpr const char* kLaneLevel = "lane";

} // namespace loopscope
