#pragma once
// The quick affine arithmetic of dependences.h: linear reasoning on one index at a time. It only
// ever proves absence.

#include "core/polyhedral/dependences.h"

#include <vector>

namespace loopscope::polyhedral {

// For each loop, whether it is over free axes only: such loops never tell two meeting iterations
// apart.
std::vector<bool> free_loops(const DependenceQuery& query);

// Proves that two iterations that agree in the `agreed` loops and meet by these accesses agree in
// `loop` as well, or that they never meet. False: it cannot tell.
bool quick_agrees(const DependenceQuery& query, const Access& first, const Access& second,
                  const std::vector<int>& agreed, int loop);

// Proves that two iterations that meet by these accesses are the same iteration, or that they never
// meet.
bool quick_same(const DependenceQuery& query, const Access& first, const Access& second);

} // namespace loopscope::polyhedral
