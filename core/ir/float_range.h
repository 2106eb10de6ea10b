#pragma once
// Ranges of float expressions, as whole numbers, so that indices made from floats have bounds.

#include "core/ir/range.h"

namespace loopscope {

// Every value of the expression lies between the ends, however its operations are rounded or
// contracted. nullopt: it may be NaN, or nothing bounds it.
std::optional<Interval> float_range_of(const ExprPtr& e, const RangeOf& variables,
                                       const LoadRangeOf& loads);

} // namespace loopscope
