#pragma once
// The FLOP rule, one for models and interpreters: a float `+ - * / min max abs negate sqrt floor ceil round` is one
// operation per lane, an fma two; casts, comparisons, selects and loads are none. Integer arithmetic is none. Every
// node of an expression is evaluated once for each time it stands in it (both arms of a select), a `let` value once.

#include "core/ir/expr.h"

namespace loopscope {

// Of the node alone, without its arguments; all lanes.
double node_flops(const Expr& e);
// Of one evaluation of the whole expression, indices of loads included.
double flops(const ExprPtr& e);

} // namespace loopscope
