#pragma once
// Reductions over loops that number threads: each thread combines a part into a register, then all
// of them combine those, as compiler/lower/build_reduction.cpp and reduce_threads.cpp make it. One
// thread adds the result to what the stage holds.

#include "tuner/model/gpu/roles.h"

#include <optional>

namespace loopscope::model::gpu {

struct ThreadReduction {
    std::size_t outermost = 0;     // of the reduction's loops: position in Point::loops
    std::vector<std::size_t> axes; // of the block that it runs over
};

// The reduction of a point; nothing: it reduces over no threads.
std::optional<ThreadReduction> thread_reduction(const Work& work, const Point& point,
                                                const PointRoles& roles);
// The threads that combine the result into the stage: the loops of the reduction number nobody.
PointRoles combining_roles(const PointRoles& roles, const ThreadReduction& reduction);

// The cost of one reduction by a block. A warp's threads exchange values by shuffles where they are
// all that reduce together; else the values lie in shared memory, and half as many threads combine
// them in each round.
struct ReductionCost {
    double instructions = 0; // of warps
    double passes = 0, bytes = 0;
    std::int64_t room_bytes = 0;
};
ReductionCost reduction_cost(const Launch& launch, const ThreadReduction& reduction,
                             std::int64_t element_bytes);

} // namespace loopscope::model::gpu
