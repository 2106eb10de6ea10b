#pragma once
// Products of matrices for instructions of warpgroups, with schedules for them, drawn at random:
// factors along rows of either kind, in batches, rows of 32 bytes to several panels, pipelines of
// any depth or none, extents that blocks do not divide, and what is computed of the sums.

#include "tests/fuzz/judge.h"

namespace loopscope::fuzz {

Pair random_group_pair(std::uint64_t seed);

} // namespace loopscope::fuzz
