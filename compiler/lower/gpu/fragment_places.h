#pragma once
// Where lanes hold the elements of fragments, for instructions and for other work of lanes. Used by
// build_fragments.cpp and build_lane_work.cpp alone.

#include "compiler/lower/gpu/build_fragments.h"
#include "compiler/lower/gpu/lane_elements.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::lower {

// The loop over the lanes that run the body together.
StatementPtr for_lanes(const NodeId& origin, const std::string& lane, std::int64_t lanes,
                       StatementPtr body);
// The index, along one axis, of the r-th element that a lane holds of an operand, as an expression
// over the lane.
ExprPtr element_index(const IntrinsicOperand& operand, std::size_t axis, const std::string& lane,
                      std::int64_t r);
// Turns indices of a stage, counted from its first element, into those of the lanes' array: the
// tile, and a register.
std::vector<ExprPtr> register_indices(const FragmentLayout& layout,
                                      const std::vector<ExprPtr>& relative, ExprPtr r);
// A number that divides the last index of a load where the elements' variables are 0.
std::int64_t row_divisor(const FragmentScope& scope, const ExprPtr& load,
                         const LaneElements& elements);

} // namespace loopscope::lower
