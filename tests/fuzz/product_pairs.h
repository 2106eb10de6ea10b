#pragma once
// Sums of products as tensor_core() takes them, drawn at random: axes in any order, batches,
// windows that slide, sums that begin above 0, results that are rounded, shifted or transposed on
// the way to memory, extents that tiles do not divide. The schedule is the one word, and sometimes
// lines after it.

#include "tests/fuzz/judge.h"

namespace loopscope::fuzz {

Pair random_product_pair(std::uint64_t seed);

} // namespace loopscope::fuzz
