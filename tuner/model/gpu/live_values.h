#pragma once
// How many values a thread holds at once in code without loops: unrolling and vectors make copies
// of points, which are evaluated one behind the other, and a value is held from its load to its
// last use.

#include "tuner/model/gpu/roles.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace loopscope::model::gpu {

// The elements of the access that are held at once. An element that a loop of copies uses again, as
// the loop does not move the access or moves it by less than it covers, waits in registers while
// the loops inside go on. An element that only moves on is done with when its copy is, but for
// elements of a vector and of virtual threads, which come together. `first`: the loops before that
// position stand still. At least one; saturated far beyond what a thread may have.
std::int64_t live_elements(const Work& work, const Point& point, const PointRoles& roles,
                           const Access& access, std::size_t first = 0);

// The greatest number of elements of a private allocation that are held at once, for one virtual
// thread around it: fewer than it has where all that touches it is copies, so that used elements
// free their registers for the next. `buffer`: the work's. Nothing: a loop runs while it is in use,
// and all of it stays.
std::optional<std::int64_t> live_of_memory(const Work& work, const Launch& launch,
                                           const std::vector<PointRoles>& roles, int buffer);

} // namespace loopscope::model::gpu
