#pragma once
// Expressions as affine functions of a definition's axes, whose ranges are known, as counting needs
// them.

#include "core/ir/expr.h"
#include "core/ir/range.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct Axis {
    std::string name;
    Interval range;
    // Where above 1, `range` is that of floor(axis / divisor), and forms are in that; the axis by
    // itself is then no form.
    std::int64_t divisor = 1;
};

// a[0]*axis0 + … + constant
struct AxisForm {
    std::vector<std::int64_t> a;
    std::int64_t constant = 0;
};

// nullopt: not affine in the axes, or beyond 2^61, where its type may wrap. Values are those of
// exact arithmetic, which the language promises for indices.
std::optional<AxisForm> axis_form(const ExprPtr& e, const std::vector<Axis>& axes);

// The values that an index takes while the axes run over their ranges.
struct Coverage {
    Interval range;          // their hull
    bool contiguous = false; // every value of the hull occurs
    std::uint64_t axes = 0;  // bit i: depends on axis i (63 and beyond share a bit)
};
// nullopt: depends on data, on the axes in a way that is not followed (affine, / and % by
// constants, clamps), or leaves 2^61.
std::optional<Coverage> coverage(const ExprPtr& e, const std::vector<Axis>& axes);

} // namespace loopscope
