#pragma once
// The signs of errors that the reference is moved by. Signs matter, as equal ones may cancel, s[i] - s[j] of a sum s: once
// all errors are upward, once all downward, once neighbours (in every index, and what is numbered one after another)
// differ in sign, and once signs are scattered.

#include "core/ir/expr.h"

#include <string>
#include <vector>

namespace loopscope::worker {

enum class ErrorSigns { AllUp, AllDown, Alternating, Scattered };
constexpr ErrorSigns kAllErrorSigns[] = {ErrorSigns::AllUp, ErrorSigns::AllDown,
                                         ErrorSigns::Alternating, ErrorSigns::Scattered};

// error or -error, an f64, at the point of those index variables. `number`: of what is off there.
ExprPtr signed_error(double error, ErrorSigns signs, const std::vector<std::string>& point,
                     int number);

} // namespace loopscope::worker
