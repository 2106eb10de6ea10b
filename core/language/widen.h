#pragma once
// Widens i32 arithmetic to i64: this tells an index that cannot be bounded from one that could be
// if it did not leave i32.

#include "core/ir/pipeline.h"

namespace loopscope {

// Every i32 part becomes i64; lets are widened with their variables.
ExprPtr widen(const ExprPtr& e);
// All indices, conditions and values of a definition widened where they are i32.
Definition widen(const Definition& definition);

} // namespace loopscope
