#pragma once
// The roles on a GPU of the loops around a point: as the mapping has them, but for loops whose
// threads a stage inside of them numbers anew.

#include "tuner/model/gpu/launches.h"

namespace loopscope::model::gpu {

enum class Role : std::uint8_t {
    Serial, // a thread runs it; the next three as well
    Unrolled,
    Vector,
    Virtual, // innermost, whatever is inside of it: statement by statement
    Block,   // numbers blocks
    Thread,  // numbers threads along an axis of the block
    Divided, // all threads of the block divide its points
    // inside of a tensor instruction, or of a copy between fragments and memory: the lanes of a
    // warp run it together
    Together,
    // numbers threads which the point ignores: a stage inside of it numbers or divides anew
    Suspended,
};

struct PointRoles {
    std::vector<Role> loops; // of Point::loops
    std::array<int, 3> numbers{
        -1, -1, -1}; // along x, y, z of the block: the position of the loop that does; -1: none
    std::vector<int> divided; // positions, outermost first
    // Is its stage cooperative: divided among the threads of the block, whatever their shape?
    // Without loops to divide one thread does it all.
    bool shared_out = false;
    // Do all threads run the point along axes that no loop numbers? Else only the first one does,
    // for others would do the same again; all do where each writes its private storage.
    bool everywhere = false;
    // Do the lanes of a warp act as one: execute a tensor instruction, or each move its elements?
    bool together = false;
    double executions = 1; // for one that the tree counts
};

// By index of Work::points; only those of the launch are filled in.
void add_roles(const Work& work, const Launch& launch, const std::vector<Memory>& memories,
               const Mapping& mapping, std::vector<PointRoles>& out);

// Turns the tree's counts of points and nodes into those of a GPU. A tree counts a stage inside of
// thread loops once for each thread, also where it lies in shared memory and a block computes it
// once.
void count_executions(Work& work, const std::vector<PointRoles>& roles);

// The threads that run a point, in warps.
class Lanes {
public:
    Lanes(const Launch& launch, const Point& point, const PointRoles& roles);

    // Warps that run the point, counted once for each value of the loops that threads run
    // themselves; where work is divided, once for each part of it.
    std::int64_t warps() const { return rounds_ * warps_; }
    std::int64_t rounds() const { return rounds_; }
    // Lanes that take part, over all of those warps.
    double active() const { return active_; }
    double active_warps() const { return active_warps_; }
    // Does the lane take part? Sets the values of those of the point's loops in which lanes differ.
    bool place(std::int64_t warp, std::int64_t lane, std::vector<std::int64_t>& loops) const;

private:
    const Launch& launch_;
    const PointRoles& roles_;
    std::vector<std::int64_t> extents_; // of the point's loops
    std::int64_t threads_, warps_, points_ = 1, rounds_ = 1;
    double active_ = 1, active_warps_ = 1;
};

} // namespace loopscope::model::gpu
