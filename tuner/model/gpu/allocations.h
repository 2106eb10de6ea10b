#pragma once
// Allocations that are not in use at the same time may lie at one place.
// compiler/lower/gpu/reuse_storage.cpp places those of the loop program; here they are placed on
// the tree, by first and last use among siblings. What only lowering knows is not seen (copies that
// partitioned loops make of a body, accumulators that move to registers), so that a plan may be
// larger than that of the program; the cases of tests/model/test_gpu_counts.cpp are as large.

#include "tuner/model/gpu/roles.h"

namespace loopscope::model::gpu {

struct Allocation {
    std::string stage;
    std::int64_t size = 0;      // in any unit
    std::int64_t offset = 0;    // where it lies
    int first = 0, last = 0;    // of Work::nodes: from where to where it is in use
    std::int64_t alignment = 1; // at least
    std::int64_t threads = 1;   // virtual ones around it, each of which has a part of the size
};

// Places allocations, largest first: each at the least multiple of `alignment`, and of its own,
// where it overlaps no other that is in use meanwhile. Returns the size of all together.
std::int64_t place_allocations(std::vector<Allocation>& allocations, std::int64_t alignment);

// The launch's allocations in shared memory, in bytes: one for each component of a stage, with the
// slots of pipelined stages and with padding; and those of threads that reduce together.
std::vector<Allocation> shared_allocations(const Work& work, const Launch& launch,
                                           const std::vector<Memory>& memories,
                                           const std::vector<PointRoles>& roles);
// The launch's allocations in private storage, in registers of 32 bits: an element takes at least
// one; with each thread's part of fragments. Each virtual thread has its own.
std::vector<Allocation> private_allocations(const Work& work, const Launch& launch,
                                            const std::vector<Memory>& memories);

} // namespace loopscope::model::gpu
