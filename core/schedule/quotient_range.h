#pragma once
// Ranges of forms in which a floor division stands beside what it divides: y/2 - y, or x - 4*((x +
// 1)/4). By the ranges of their atoms alone these would be as wide as if the two had nothing to do
// with one another.

#include "core/schedule/linear.h"

namespace loopscope {

// An interval that holds the form's values and lies within form.range(). For one floor division of
// a form with one step between its values, beside multiples of that form, it is exact where the
// divisor is a multiple of the step.
Interval range_with_quotients(const LinearForm& form);

} // namespace loopscope
