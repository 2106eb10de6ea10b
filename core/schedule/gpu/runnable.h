#pragma once
// Applicable and runnable are two things (languages.md): a schedule is runnable on a GPU when the
// whole keeps what its launches ask for. Trees and estimates show one that is not, and why; check,
// run, measure and code emission refuse it.

#include "core/device/gpu.h"
#include "core/schedule/tree.h"

#include <string>
#include <vector>

namespace loopscope {

struct Mapping;

// One reason. `nodes`: the tree's nodes that take part.
struct NotRunnable {
    std::string message;
    std::string remedy;
    std::vector<NodeId> nodes;
    // Whatever lines are added, it stays: one that is there would have to change.
    bool stays = false;
};

// Why the schedule cannot run on the GPU; empty: it can, as far as the tree tells. Judged are
// - blocks: loops bound to a grid begin at once, so that no other loop of several iterations
//   stands around them, and each level is bound once;
// - memory: shared memory lies inside of its blocks, global memory is computed at root, private
//   storage is not computed by several threads, and where cooperative work reads it, all threads
//   have it (own_memory.h);
// - cooperative work stands where all threads come;
// - layouts: swizzled rows are of shared memory, and as long as a pattern asks for (swizzling.h);
// - pipelines: ALCOP's rules (section II-A) for shared memory;
// - fragments: instructions take whole ones, and all other work on them follows from how lanes
//   hold them (fragments.h);
// - figures: threads of a block, extents of grids, a thread's own memory, shared memory (as if no
//   allocations shared a place: lowering may need less).
std::vector<NotRunnable> not_runnable(const ScheduleTree& tree, const device::Gpu& gpu);
// `mapping`: the tree's (gpu/mapping.h).
std::vector<NotRunnable> not_runnable(const ScheduleTree& tree, const Mapping& mapping,
                                      const device::Gpu& gpu);

} // namespace loopscope
