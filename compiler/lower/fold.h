#pragma once
// Folding of operations on constants, with the arithmetic of languages.md ("Semantics that every
// back end shares"). Integers always fold. f32 and f64 fold where the host's IEEE operation is the
// specified one: + - * / sqrt and the roundings, each rounded once to its type. f16 and bf16 fold
// by f64 operations and core/ir/half.h. Casts of floats to integers and calls of the prelude do not
// fold.

#include "core/ir/expr.h"

namespace loopscope::lower {

// The constant that `e` equals when all its arguments are scalar constants and an operation of its
// kind can be folded; null otherwise.
ExprPtr folded(const Expr& e);

// Floor division and modulo; 0 for a zero divisor.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
std::int64_t floor_modulo(std::int64_t a, std::int64_t b);

} // namespace loopscope::lower
