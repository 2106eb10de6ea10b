#pragma once
// What half_arithmetic and half_accumulations share; used by them alone.

#include "compiler/lower/names.h"
#include "core/ir/expr.h"

namespace loopscope::lower {

// The same bits by f32 operations and one rounding each (half_arithmetic.cpp). `names`: of the program, for its lets.
ExprPtr without_halves(const ExprPtr& e, NameSource& names);

} // namespace loopscope::lower
