#pragma once
// Traffic between cache levels, from footprints on the tree. The model of one cache of capacity C
// (a share of its size, divided among the threads that use it):
//
// - An execution of a node whose whole footprint is at most C loads that footprint once.
// - A loop whose one iteration fits in C, but not the whole, loads per iteration what the iteration
//   before did not touch: a stencil's overlap stays, and so does what the loop does not move.
// - A loop whose one iteration does not fit loads the iteration's own traffic in every iteration.
// - Of nodes that run one after another, a later one finds what an earlier one touched if all that
//   was touched since fits in C; a loop too large for C finds what its first iteration needs.
// - A parallel loop is cut into one run of consecutive iterations a thread; what all iterations
//   share is loaded by each thread's private caches, and once into a cache that the threads share.
// - Whole lines count. A line that is written by an ordinary store is fetched first and written
//   back later. One that streams is not fetched, takes no room, and is written once to memory
//   (Sioutas, section 4.3: the choice of non-temporal stores).
// - A level is asked only for what the one before it misses: traffic may grow from registers to L1,
//   where whole lines are fetched for a few bytes of each, and never beyond.
// - Caches keep what was touched last. At the start they are empty. A buffer's rows that fall into
//   so few sets that more of them meet in one than it has ways do not stay (the interference of
//   Sioutas, section 4.3); conflicts between buffers are not modelled.
// - Memory inside a loop is the same memory in every iteration: an intermediate that fits a level
//   stays in it.

#include "core/device/device.h"
#include "tuner/model/footprint.h"

namespace loopscope::model {

// The part of a cache that is ours: code, stacks and unlucky sets take the rest
constexpr double kCacheShare = 0.75;

struct Flow {
    int buffer = 0;
    double in = 0;  // bytes fetched into the cache
    double out = 0; // bytes written back from it
};
using Flows = std::vector<Flow>; // by rising buffer
double total(const Flows& flows);

// Per kernel (child Stage node of the root, in order): the bytes that one cache level exchanges
// with the next one beyond it.
std::vector<Flows> cache_traffic(const Work& work, const std::vector<NodeFootprints>& footprints,
                                 const device::CacheLevel& cache, int threads);

// Takes off `outer`, the traffic of one level, what the level before it does not ask for by
// `inner`.
void limit_traffic(std::vector<Flows>& outer, const std::vector<Flows>& inner);

// The kernels: indices into Work::nodes of the Stage nodes at root, in order.
std::vector<int> kernel_nodes(const Work& work);

} // namespace loopscope::model
