#pragma once
// Products as contract() sees them (languages.md: fma by rule).
// compiler/run/reference/contraction.h states the whole rule, and shares no code with this.

#include "core/ir/expr.h"

namespace loopscope {

// a*b of floats, also inside of lets: `let d = x - y in d*d`, as which (x - y)**2 stands. A let's
// name is none.
bool is_product(const ExprPtr& e);

// product + addend, or addend - product, rounded once; lets around the product stand around the
// fma.
ExprPtr multiply_add(const ExprPtr& product, const ExprPtr& addend, SourceRange where = {});
ExprPtr multiply_subtract(const ExprPtr& product, const ExprPtr& addend, SourceRange where = {});

} // namespace loopscope
