#pragma once
// How often a condition over the axes of a definition holds: what a `where` leaves of its points.

#include "core/ir/expr.h"
#include "core/ir/range.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

// The values that an axis takes.
struct AxisValues {
    std::string name;
    Interval range;
    std::vector<double> times; // how often each value of `range` occurs; empty: once each

    double count() const; // of all, repetitions included
};

// In how many combinations of the axes' values the condition holds. Affine comparisons joined by
// `and`, of axes or of axes divided by a constant (blocks), are solved along one axis; others are
// tried, value by value. nullopt: the condition reads data, or more than 65,536 cases would have to
// be looked at.
std::optional<double> count_where(const ExprPtr& condition, const std::vector<AxisValues>& axes);

} // namespace loopscope
