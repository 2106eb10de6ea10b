#pragma once
// Evaluation of typed constants at load time, to the bit as languages.md defines it ("Semantics
// that every back end shares"): what typed consts, `if` conditions and template indices need.

#include "core/ir/expr.h"

namespace loopscope {

// The constant that `e` stands for, when all its arguments are constants; else `e` itself.
ExprPtr fold(const ExprPtr& e);

} // namespace loopscope
