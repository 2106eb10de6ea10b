#pragma once
// Loads that give zeros outside of an array, as the tensor memory accelerator (TMA) does by itself:
// it is told where a box begins, inside of the array or not.

#include "compiler/lower/program.h"

#include <optional>
#include <vector>

namespace loopscope::lower {

// The indices of a masked load out of an array of these constant extents, without the clamps that
// bring them back into the array, where the load is zero exactly where one of those is outside.
// Nothing: its mask asks something else, or less.
std::optional<std::vector<ExprPtr>> indices_with_zero_border(const Expr& masked_load,
                                                             const std::vector<Extent>& extents);

} // namespace loopscope::lower
