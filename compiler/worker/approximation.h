#pragma once
// How far may the approximations of fast_math() move a pipeline's outputs? Each has a declared error (prelude_error_ulp),
// but what follows may amplify it: a softmax divides by a sum of exponentials, log(exp(x)) - x is nothing but error. So the
// reference measures it: it evaluates the pipeline again with every call of an approximated definition off by the whole of
// its declared error, and the greatest change of an output is what that error does there. Of the signs: error_signs.h.

#include "compiler/worker/error_signs.h"
#include "compiler/worker/marks.h"

namespace loopscope::worker {

// The pipeline with every call f(x) in `approximated`, those in indices aside, replaced by f(x)*(1 ± e), or f(x) ± e for sin and cos, e the declared
// error of f's approximation, computed in f64 and rounded to f's type.
PipelinePtr with_call_errors(const Pipeline& pipeline, const DefinitionSet& approximated,
                             ErrorSigns signs);

} // namespace loopscope::worker
