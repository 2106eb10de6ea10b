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
};

// Why the schedule cannot run on the GPU; empty: it can, as far as the tree tells. Judged are
// - blocks: what is bound to a grid begins at once, so that no other loop of several iterations
//   stands around it, and is bound there once;
// - memory: what a block shares lies inside of its blocks, what all share is computed at root, what
//   a thread has for itself is not computed by several, and where work of all threads reads it, all
//   have it (own_memory.h);
// - work of all threads stands where all threads come;
// - layouts: rows that are swizzled are of memory that a block shares, and as long as a pattern
//   asks for (swizzling.h);
// - pipelines: ALCOP's rules (section II-A) for memory that a block shares;
// - fragments: instructions take whole ones, and what else is done with them follows from how lanes
//   hold them (fragments.h);
// - figures: threads of a block, extents of grids, shared memory (as if nothing shared its room:
//   lowering may need less).
std::vector<NotRunnable> not_runnable(const ScheduleTree& tree, const device::Gpu& gpu);
// `mapping`: the tree's (gpu/mapping.h).
std::vector<NotRunnable> not_runnable(const ScheduleTree& tree, const Mapping& mapping,
                                      const device::Gpu& gpu);

} // namespace loopscope
