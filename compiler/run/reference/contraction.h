#pragma once
// Contraction by rule: what S.contract() means, to the bit.
//
// It is a rewrite of every float expression of one definition, as the definition stands in the
// pipeline: never of what inlining pastes into it. "Product" is a node `a*b` of the expression
// itself (ExprKind::Binary, Op::Multiply, of a float type), or a let whose body is a product: `let
// d = x - y in d*d`, as which (x - y)**2 stands. The let then stands around the fma. A let's name,
// a cast, a negation, a select or a load is none, whatever it stands for: `let t = a*b in t + c` is
// left as it is. The parentheses of the text do not matter, only the tree does. At every node,
// outermost first or last (the result is the same):
//
//     x + a*b      ->  fma(a, b, x)          whatever x is, also a product: so
//     a*b + c*d    ->  fma(c, d, a*b)        the right product is fused, the left one rounded
//     a*b + y      ->  fma(a, b, y)          y no product
//     x - a*b      ->  fma(-a, b, x)         whatever x is:
//     a*b - c*d    ->  fma(-c, d, a*b)
//     a*b - y      ->  fma(a, b, -y)         y no product
//
// The operands a, b, x, y are rewritten by the same rule. It holds in values, `where` conditions
// and indices alike. Then the step of the definition itself, which the rule sees as if it were
// written out:
//
//     sum[...](t)      acc + t   with the rule applied to it: a term a*b gives fma(a, b, acc); any
//                      other term is rewritten by itself and added. The accumulator is never the
//                      product.
//     S[...] += t      S[...] + t likewise: t = a*b gives fma(a, b, S[...]); of a tuple each t is
//                      rewritten by itself
//     prod, min, max, any, all, *=, max=, min=, =    nothing more than their own expressions
//
// Integer expressions are left alone: fusing could not change them.

#include "core/ir/expr.h"

namespace loopscope::reference {

// The expression with the rule applied at every node; shared nodes stay shared.
ExprPtr contracted(const ExprPtr& e);

} // namespace loopscope::reference
