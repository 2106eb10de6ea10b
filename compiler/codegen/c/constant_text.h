#pragma once
// Constants as C text.

#include "core/ir/expr.h"

#include <string>

namespace loopscope::codegen {

// The constant in its own type where an int will not do: "-3", "UINT64_C(5)", "0.1f", "0x3c00" (f16
// and bf16: their bits). Floats have as many digits as tell them from their neighbours. A negative
// one begins with '-'.
std::string constant_text(const Expr& constant);

} // namespace loopscope::codegen
