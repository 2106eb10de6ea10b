#pragma once
// Exact arithmetic on non-empty intervals of integers of up to 63 bits, in 128 bits: before a
// result is compared with the type that it may leave. Semantics of languages.md: floor division and
// modulo, 0 for a zero divisor, shifts.

#include "core/ir/range.h"

namespace loopscope::interval {

using Wide = __int128;

struct WideInterval {
    Wide least = 0;
    Wide greatest = -1;
};

WideInterval multiply(const Interval& a, const Interval& b);
WideInterval divide(const Interval& a, const Interval& b);
WideInterval modulo(const Interval& a, const Interval& b);
// `width`: bits of the type; what is shifted by that much or more is 0 (or the sign).
WideInterval shift(const Interval& a, const Interval& amounts, bool left, int width);
// BitAnd, BitXor or BitOr.
WideInterval bitwise(Op op, const Interval& a, const Interval& b);
// Within [0, 1]: what a comparison can give.
Interval compare(Op op, const Interval& a, const Interval& b);

} // namespace loopscope::interval
