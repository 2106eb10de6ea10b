#pragma once
// The functions of the prelude by name: what may be called, with how many arguments, at what cost.
// Their definitions are in core/language/prelude.h, and tests hold these figures against them.

#include "core/ir/cost.h"

#include <string>
#include <vector>

namespace loopscope {

// The functions that a pipeline can name, in the order of the language reference: exp log tanh erf
// sin cos pow rsqrt.
const std::vector<std::string>& prelude_names();
bool is_prelude_function(const std::string& name); // also "fast_exp", …, which no pipeline can name
int prelude_parameters(const std::string& name);   // 1, or 2 for pow; 0: no such function
// The approximation that fast_math() puts in a function's place: "exp" -> "fast_exp".
std::string approximation_of(const std::string& name);
// The operations of one evaluation, by the rule of cost.h applied to the definition.
Cost prelude_cost(const std::string& name, ScalarType type);
// The declared error of an approximation: relative, in units of 2^-(significand bits) of the type
// (ulp); absolute in those units for fast_sin and fast_cos; 4 for the functions proper. It holds
// where argument and result are normal numbers; for fast_exp where results are below 2^127.5 (f64:
// 2^1023.5), for fast_sin and fast_cos where |x| <= 1e4, for fast_pow where x > 0 and |y log2 x| <
// 126 (1022).
double prelude_error_ulp(const std::string& name, ScalarType type);

} // namespace loopscope
