#pragma once
// The text of expressions in loop programs. Close to the pipeline language, but exact: every type,
// lane count and bit pattern can be read back (program_parser.h).

#include "core/ir/expr.h"

#include <string>

namespace loopscope::lower {

// The text of `e`. A constant shows its type as a suffix ("1.5f64", "7u8") unless it is an i32 or
// f32, or its neighbour in an operation has the type. `typed_by_context`: the reader knows the type
// of `e` itself.
std::string expression_text(const ExprPtr& e, bool typed_by_context = false);

// Constants whose type the reader can take from a neighbour: numbers, and broadcasts and ramps of
// numbers.
bool is_literal(const Expr& e);

} // namespace loopscope::lower
