#pragma once
// Where lanes have the elements of fragments: what instructions and other work of lanes ask alike.
// Used by build_fragments.cpp and build_lane_work.cpp alone.

#include "compiler/lower/gpu/build_fragments.h"
#include "compiler/lower/gpu/lane_elements.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::lower {

// The loop over the lanes that do the body together.
StatementPtr for_lanes(const NodeId& origin, const std::string& lane, std::int64_t lanes,
                       StatementPtr body);
// An index of the r-th element that a lane holds of an operand, along one of its axes, over the
// lane.
ExprPtr element_index(const IntrinsicOperand& operand, std::size_t axis, const std::string& lane,
                      std::int64_t r);
// From indices of a stage, counted from its first element, to those of the lanes' array: the tile,
// and a register.
std::vector<ExprPtr> register_indices(const FragmentLayout& layout,
                                      const std::vector<ExprPtr>& relative, ExprPtr r);
// What divides the last index of a load where the elements' variables are 0.
std::int64_t row_divisor(const FragmentScope& scope, const ExprPtr& load,
                         const LaneElements& elements);

} // namespace loopscope::lower
