#pragma once
// The prelude: exp log tanh erf sin cos pow rsqrt, defined in the pipeline language itself
// (prelude_text_*.cpp), from exact operations alone. What evaluates a call evaluates this
// definition, so that every back end and vector width gives the same bits. Within 4 ulp of the true
// value in f32 and f64, for every argument; f16 and bf16 evaluate f32 and round once.
// core/ir/functions.h lists them.

#include "core/ir/functions.h"

#include <string>
#include <vector>

namespace loopscope {

struct PreludeFunction {
    std::string name; // "exp", "fast_exp"
    ScalarType type = ScalarType::F32;
    std::vector<std::string> parameters; // one or two variables of the type
    ExprPtr body;                        // without calls; of the type
};

// The definition for one float type. Parsed once; the name must be known.
const PreludeFunction& prelude_function(const std::string& name, ScalarType type);

} // namespace loopscope
