#pragma once
// The same expression with its i32 arithmetic in i64: tells an index that cannot be bounded from
// one that would be if it did not leave i32.

#include "core/ir/pipeline.h"

namespace loopscope {

// Every i32 part becomes i64; lets are widened with their variables.
ExprPtr widen(const ExprPtr& e);
// All indices, conditions and values of a definition widened where they are i32.
Definition widen(const Definition& definition);

} // namespace loopscope
