#pragma once
// Convolutions for instructions of warpgroups, with schedules for them, drawn at random: rows of an
// instruction, or its columns, are pixels of several dimensions; windows reach beyond borders on
// all sides, which are zeros, or the pixels there again; blocks move inwards where they do not
// divide what there is.

#include "tests/fuzz/judge.h"

namespace loopscope::fuzz {

Pair random_window_pair(std::uint64_t seed);

} // namespace loopscope::fuzz
