#pragma once
// The text of expressions where it must say more than expr.h's to_text.

#include "core/ir/expr.h"

#include <functional>
#include <string>

namespace loopscope {

// to_exact_text, with the component of every read of a tuple, the first too: S[i].0. `is_tuple` is
// asked for the names of what is read.
std::string to_exact_text(const ExprPtr& e,
                          const std::function<bool(const std::string&)>& is_tuple);

} // namespace loopscope
