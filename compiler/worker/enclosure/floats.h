#pragma once
// The four operations of floats. Where infinities are among the ends, what they may make a NaN has
// NaN for its ends: else what follows, as a max, would take it for a number.

#include "compiler/worker/enclosure/arithmetic.h"

namespace loopscope::worker {

// Add, Subtract, Multiply or Divide, on operands that are not both exact.
Enclosure of_floats(Op op, const Enclosure& a, const Enclosure& b);
// The first three, of whole numbers in f64: which are finite.
Enclosure of_whole_numbers(Op op, const Enclosure& a, const Enclosure& b);

} // namespace loopscope::worker
