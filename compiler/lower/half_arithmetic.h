#pragma once
// What half_arithmetic and half_accumulations share; used by them alone.

#include "compiler/lower/names.h"
#include "core/ir/expr.h"

namespace loopscope::lower {

// How casts to the 16-bit types are written: as f32 operations, or as they are, for back ends that
// have them.
enum class HalfCasts { Expanded, Kept };

// The expression with the same bits by f32 operations and one rounding each (half_arithmetic.cpp).
// `names`: the program's, for its lets.
ExprPtr without_halves(const ExprPtr& e, NameSource& names, HalfCasts casts);

} // namespace loopscope::lower
