#pragma once
// Indices of stages as forms that count from the first element in the stage's memory.

#include "core/schedule/linear.h"
#include "core/schedule/region.h"

#include <cstddef>
#include <optional>
#include <string>

namespace loopscope {

// The form with region variables replaced by what they stand for.
LinearForm resolved(const Layout& layout, const LinearForm& form);
// An index of a stage or of an input along a dimension. Nothing: the memory folds.
std::optional<LinearForm> stored_form(const Layout& layout, const std::string& stage,
                                      std::size_t dimension, const LinearForm& index);

} // namespace loopscope
